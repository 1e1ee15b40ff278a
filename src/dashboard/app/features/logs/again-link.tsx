/** The way from a row of what failed to the question whether it is sent again. */
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useRights } from '../../frame/session/session.tsx';
import { phoneWord } from '../../ui/words.ts';
import styles from './logs.module.css';

/** As much of a row as the way needs. */
export interface AgainRow {
  readonly messageId: string | null;
  readonly status: string;
  readonly recipient: string;
}

const FAILED: ReadonlySet<string> = new Set(['FAILED', 'EXPIRED']);

/** The link; none where nothing failed, and for who may not send it again. The story says what became of the message as a whole. */
export function AgainLink({ row: { messageId, status, recipient } }: { readonly row: AgainRow }): ReactNode {
  const [params] = useSearchParams();
  const { may } = useRights();
  if (messageId === null || !FAILED.has(status) || !may('RESEND')) return null;
  const search = new URLSearchParams(params);
  search.set('open', messageId);
  search.set('again', '1');
  return (
    <Link className={styles.again} to={{ search: `${search}` }} aria-label={`Send again to ${phoneWord(recipient)}`}>
      Send again
    </Link>
  );
}

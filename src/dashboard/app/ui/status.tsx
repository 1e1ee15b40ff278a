/** How something stands: a dot and a word, so that colour alone says nothing. */
import type { ReactNode } from 'react';
import styles from './ui.module.css';
import { plainWord } from './words.ts';

/** The colour of each word, by its meaning. */
const MEANINGS: Readonly<Record<string, string>> = {
  DELIVERED: 'delivered',
  VERIFIED: 'delivered',
  ENABLED: 'delivered',
  UP: 'delivered',
  ACCEPTED: 'delivered',
  APPROVED: 'delivered',
  ACTIVE: 'delivered',
  WORKS: 'delivered',
  SENT: 'sent',
  READ: 'read',
  RECEIVED: 'received',
  PENDING: 'pending',
  PAUSED: 'pending',
  REVOKED: 'pending',
  OFF: 'pending',
  UNTRIED: 'pending',
  UNKNOWN: 'unknown',
  EXPIRED: 'unknown',
  THROTTLED: 'unknown',
  UNAVAILABLE: 'unknown',
  FLAGGED: 'unknown',
  RETRYING: 'unknown',
  WAITING: 'unknown',
  UNCLEAR: 'unknown',
  SICK: 'unknown',
  FAILED: 'failed',
  REFUSED: 'failed',
  UNREACHABLE: 'failed',
  BLOCKED: 'failed',
  DISABLED: 'failed',
  DOWN: 'failed',
  DEAD: 'failed',
  REJECTED: 'failed',
  INCORRECT: 'failed',
};

/** The meaning of a status: the name of its colour in `theme.css`. */
export function meaningOf(status: string): string {
  return MEANINGS[status] ?? 'pending';
}

/** A status as people say it. */
export function statusWord(status: string): string {
  return status === 'DEAD' ? 'given up' : plainWord(status);
}

/** A status as a dot with its word. */
export function Status({ status, word }: { readonly status: string; readonly word?: string }): ReactNode {
  const colour = `var(--${meaningOf(status)})`;
  return (
    <span className={styles.status} style={{ color: colour }}>
      <span className={styles.dot} aria-hidden="true" />
      {word ?? statusWord(status)}
    </span>
  );
}

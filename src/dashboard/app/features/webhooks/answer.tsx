/** The answer of an endpoint to a try. */
import type { ReactNode } from 'react';
import type { WebhookTryRowFragment } from '../../api/operations.generated.ts';
import { useRights } from '../../frame/session/session.tsx';
import { Status } from '../../ui/status.tsx';
import { duration, Time } from '../../ui/times.tsx';
import { Code, pretty } from './code.tsx';
import { faultWord } from './deliveries/fault-words.ts';
import styles from './webhooks.module.css';

/** How a try ended: `HTTP 204`, or the words for the fault. */
export function outcomeOf({ httpStatus, error }: Pick<WebhookTryRowFragment, 'httpStatus' | 'error'>): string {
  if (httpStatus !== null) return `HTTP ${httpStatus}`;
  return error === null ? 'no answer' : faultWord(error, httpStatus);
}

/** The whole answer. */
export function Answer({ made }: { readonly made: WebhookTryRowFragment }): ReactNode {
  const { may } = useRights();
  const nothing = may('TEXTS') ? 'The answer had no body.' : 'A viewer sees no text of an answer.';
  return (
    <div>
      <p className={styles.facts}>
        <Status status={made.error === null ? 'DELIVERED' : 'FAILED'} word={outcomeOf(made)} />
        <span className="numbers">{duration(made.durationMs)}</span>
        <Time at={made.createdAt} />
      </p>
      {made.errorMessage && <p className={styles.fault}>{made.errorMessage}</p>}
      {made.response ? (
        <Code text={pretty(made.response)} label="Copy the answer" />
      ) : (
        <p className="quiet">{made.httpStatus === null ? 'No answer came.' : nothing}</p>
      )}
    </div>
  );
}

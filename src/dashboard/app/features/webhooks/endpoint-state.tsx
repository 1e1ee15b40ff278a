/** How an endpoint stands: one that answers nothing but failures is amber, however few they are. */
import type { ReactNode } from 'react';
import type { WebhookEndpointRowFragment } from '../../api/operations.generated.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/times.tsx';
import { counted, waitingWord } from '../../ui/words.ts';
import styles from './webhooks.module.css';

type Standing = Pick<WebhookEndpointRowFragment, 'status' | 'failingSince' | 'failedTries' | 'waitingDeliveries'>;

/** Whether every try since the last success failed, and the gateway goes on trying. */
export function isRetrying({ status, failingSince }: Standing): boolean {
  return status === 'ENABLED' && failingSince !== null;
}

/** The state, and while tries fail since when, how many, and what waits. */
export function EndpointState({ endpoint }: { readonly endpoint: Standing }): ReactNode {
  const { status, failingSince, failedTries, waitingDeliveries } = endpoint;
  if (!isRetrying(endpoint)) return <Status status={status} />;
  return (
    <span className={styles.state}>
      <Status status="RETRYING" />
      <span className="quiet">
        failing since {failingSince && <Time at={failingSince} isMoment />} ·{' '}
        {counted(failedTries, 'failed try', 'failed tries')}
        {waitingDeliveries > 0 && ` · ${waitingWord(waitingDeliveries)}`}
      </span>
    </span>
  );
}

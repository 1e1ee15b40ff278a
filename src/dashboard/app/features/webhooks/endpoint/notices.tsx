/** Notices of an endpoint that is disabled, paused, failing or between two secrets, with the button that mends it. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useChange } from '../../../api/hooks.ts';
import {
  EnableWebhookEndpointDocument,
  UpdateWebhookEndpointDocument,
  type WebhookEndpointRowFragment,
} from '../../../api/operations.generated.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { Time, WhileAhead } from '../../../ui/times.tsx';
import { shownNumber, waitingWord } from '../../../ui/words.ts';
import { isRetrying } from '../endpoint-state.tsx';
import styles from '../webhooks.module.css';

const DISABLED = {
  GONE: 'it answered 410 Gone, which asks for no more deliveries',
  FAILING: 'it answered nothing but failures for five days',
} as const;

/** The notices; none where all is well. */
export function Notices({
  endpoint,
  mayChange,
  recover,
}: {
  readonly endpoint: WebhookEndpointRowFragment;
  readonly mayChange: boolean;
  /** Opens the dialog that recovers what was missed since a time. */
  readonly recover: (missedSince: string | null) => void;
}): ReactNode {
  const { endpointId, status, disabledReason, disabledAt, previousSecretUntil } = endpoint;
  const { failingSince, failedTries, waitingDeliveries, circuitOpenUntil } = endpoint;
  const enable = useChange(EnableWebhookEndpointDocument);
  const update = useChange(UpdateWebhookEndpointDocument);
  const failure = enable.error ?? update.error;
  return (
    <>
      {failure && <FailureNote failure={failure} />}
      {status === 'DISABLED' && (
        <Notice meaning="failed" title="Disabled: nothing is delivered">
          <p>
            The gateway disabled it {disabledAt && <Time at={disabledAt} />}
            {disabledReason && <>, because {DISABLED[disabledReason]}</>}. Mend the receiver, enable it, then recover
            what it missed.
          </p>
          {mayChange && (
            <Button
              loading={enable.isPending}
              // An endpoint that is enabled says neither any longer.
              onClick={() => enable.mutate({ endpointId }, { onSuccess: () => recover(failingSince ?? disabledAt) })}
            >
              Enable endpoint
            </Button>
          )}
        </Notice>
      )}
      {status === 'PAUSED' && (
        <Notice meaning="pending" title="Paused: deliveries wait">
          <p>They are kept, and go on their way when you resume.</p>
          {mayChange && (
            <Button loading={update.isPending} onClick={() => update.mutate({ input: { endpointId, paused: false } })}>
              Resume
            </Button>
          )}
        </Notice>
      )}
      {isRetrying(endpoint) && failingSince && (
        <Notice meaning="unknown" title="Failing: deliveries are tried again">
          <p>
            Every try has failed since <Time at={failingSince} isMoment />, {shownNumber(failedTries)} so far
            {waitingDeliveries > 0 && (
              <>
                , and <Link to="?status=PENDING">{waitingWord(waitingDeliveries)}</Link>
              </>
            )}
            . The tries below say why. After five days of nothing but failures the gateway disables it.
            {circuitOpenUntil && (
              <WhileAhead at={circuitOpenUntil}>
                {' '}
                Tries pause and go on <Time at={circuitOpenUntil} />: if the first one succeeds, the rest follow.
              </WhileAhead>
            )}
          </p>
        </Notice>
      )}
      {previousSecretUntil && (
        <Notice meaning="pending" title="Two secrets are in use">
          <p>
            The previous secret keeps signing until <Time at={previousSecretUntil} isMoment />.
          </p>
        </Notice>
      )}
    </>
  );
}

function Notice({
  meaning,
  title,
  children,
}: {
  readonly meaning: 'failed' | 'unknown' | 'pending';
  readonly title: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className={styles.notice} data-meaning={meaning} aria-label={title}>
      <strong>{title}</strong>
      {children}
    </section>
  );
}

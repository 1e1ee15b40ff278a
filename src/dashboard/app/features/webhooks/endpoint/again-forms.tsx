/** Deliveries that begin again, many at a time. */
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useChange } from '../../../api/hooks.ts';
import {
  RecoverWebhooksDocument,
  RedeliverWebhooksDocument,
  type WebhookEndpointRowFragment,
} from '../../../api/operations.generated.ts';
import dialogs from '../../../ui/dialogs/dialogs.module.css';
import type { Failure } from '../../../ui/failure.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { timeOfTyped, typedTime } from '../../../ui/region/zone-clock.ts';
import { zoneWord } from '../../../ui/times.tsx';
import { counted } from '../../../ui/words.ts';
import styles from '../webhooks.module.css';

const HOUR_MS = 3_600_000;

interface FormProps {
  readonly endpoint: WebhookEndpointRowFragment;
  readonly close: () => void;
}

/** Makes again all that was missed since a time. `missedSince`: since when it failed, where the endpoint forgot that as it was enabled. */
export function RecoverForm({
  endpoint: { endpointId, disabledAt, failingSince },
  missedSince,
  close,
}: FormProps & { readonly missedSince: string | null }): ReactNode {
  const recover = useChange(RecoverWebhooksDocument);
  const began = missedSince ?? failingSince ?? disabledAt;
  // The first delivery that was lost was made before its try failed.
  const [since, setSince] = useState(() => typedTime((began === null ? Date.now() : Date.parse(began)) - HOUR_MS));
  return (
    <Again
      verb="Recover deliveries"
      count={recover.data?.recoverWebhooks.count}
      failure={recover.error}
      isRunning={recover.isPending}
      run={() => recover.mutate({ endpointId, since: timeOfTyped(since)?.toISOString() ?? '' })}
      isReady={timeOfTyped(since) !== null}
      close={close}
    >
      <p>
        Deliveries that were given up since then go out again, and those that wait are tried now. What has arrived is
        not sent twice.
      </p>
      <TextInput
        type="datetime-local"
        label="Since"
        description={`Times in ${zoneWord()}`}
        value={since}
        onChange={event => setSince(event.currentTarget.value)}
      />
    </Again>
  );
}

/** Makes all dead deliveries again. */
export function RedeliverForm({ endpoint: { endpointId }, close }: FormProps): ReactNode {
  const redeliver = useChange(RedeliverWebhooksDocument);
  return (
    <Again
      verb="Redeliver all given up"
      count={redeliver.data?.redeliverWebhooks.count}
      failure={redeliver.error}
      isRunning={redeliver.isPending}
      run={() => redeliver.mutate({ endpointId, filter: { status: 'DEAD' } })}
      isReady
      close={close}
    >
      <p>
        Every delivery that this endpoint has lost goes out again, with the same id and body, and with all its tries.
      </p>
    </Again>
  );
}

function Again({
  verb,
  count,
  failure,
  isRunning,
  isReady,
  run,
  close,
  children,
}: {
  readonly verb: string;
  readonly count: number | undefined;
  readonly failure: Failure | null;
  readonly isRunning: boolean;
  readonly isReady: boolean;
  readonly run: () => void;
  readonly close: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run();
  };
  const isDone = count !== undefined;
  return (
    <form className={styles.stack} onSubmit={submit}>
      {children}
      {failure && <FailureNote failure={failure} />}
      <p aria-live="polite">
        {count === 0 && 'Nothing is to be delivered again.'}
        {isDone && count > 0 && <>{began(count)}</>}
      </p>
      <div className={dialogs.buttons}>
        <Button variant="default" onClick={close}>
          {isDone ? 'Close' : 'Cancel'}
        </Button>
        {!isDone && (
          <Button type="submit" loading={isRunning} disabled={!isReady}>
            {verb}
          </Button>
        )}
      </div>
    </form>
  );
}

function began(count: number): string {
  return `${counted(count, 'delivery begins', 'deliveries begin')} again, 50 a second.`;
}

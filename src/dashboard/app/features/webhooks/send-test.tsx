/** Sends a sample of an event to an endpoint, and shows what it answered. */
import { Button, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { TestWebhookEndpointDocument } from '../../api/operations.generated.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import { Answer } from './answer.tsx';
import styles from './webhooks.module.css';

/** The choice of an event with the button, and the answer below. `events` are those that the endpoint gets. */
export function SendTest({
  endpointId,
  events,
}: {
  readonly endpointId: string;
  readonly events: readonly string[];
}): ReactNode {
  const [event, setEvent] = useState(events[0] ?? null);
  const test = useChange(TestWebhookEndpointDocument);
  const send = (): void => test.mutate({ endpointId, event });
  return (
    <div className={styles.stack}>
      <div className={styles.line}>
        <Select
          aria-label="Event of the test"
          data={[...events]}
          value={event}
          allowDeselect={false}
          onChange={setEvent}
        />
        <Button loading={test.isPending} onClick={send}>
          Send test
        </Button>
      </div>
      {test.error && <FailureNote failure={test.error} />}
      <div aria-live="polite">{test.data && <Answer made={test.data.testWebhookEndpoint} />}</div>
      <p className="quiet">
        A test has the signature of a delivery and <code>"test": true</code> in its data. At most 10 a minute.
      </p>
    </div>
  );
}

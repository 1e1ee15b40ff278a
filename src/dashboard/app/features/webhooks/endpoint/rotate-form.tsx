/** A new secret for an endpoint. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { RotateWebhookSecretDocument, type WebhookEndpointRowFragment } from '../../../api/operations.generated.ts';
import dialogs from '../../../ui/dialogs/dialogs.module.css';
import { FailureNote } from '../../../ui/feedback.tsx';
import { Time } from '../../../ui/times.tsx';
import { ShownSecret } from '../secret/shown-secret.tsx';
import styles from '../webhooks.module.css';

/** Says what happens, and then shows the secret. `keep` is told while it shows. */
export function RotateForm({
  endpoint: { endpointId, previousSecretUntil },
  close,
  keep,
}: {
  readonly endpoint: WebhookEndpointRowFragment;
  readonly close: () => void;
  readonly keep: () => void;
}): ReactNode {
  const rotate = useChange(RotateWebhookSecretDocument);
  const made = rotate.data?.rotateWebhookSecret;
  if (made)
    return (
      <div className={styles.stack}>
        <ShownSecret secret={made.secret}>
          {made.endpoint.previousSecretUntil && (
            <p>
              The previous secret keeps signing until <Time at={made.endpoint.previousSecretUntil} isMoment />: switch
              your receiver within that time.
            </p>
          )}
        </ShownSecret>
        <div className={dialogs.buttons}>
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    );
  return (
    <div className={styles.stack}>
      <p>
        The endpoint gets a new secret, which is shown once. The old one signs too for 24 hours, so nothing is lost
        while you switch: <code>webhook-signature</code> holds a signature of each, and <code>X-Service-Signature</code>{' '}
        keeps to the old one until the day is over.
      </p>
      {previousSecretUntil && (
        <p className={styles.fault}>
          An earlier rotation is still under way: its previous secret stops signing at once.
        </p>
      )}
      {rotate.error && <FailureNote failure={rotate.error} />}
      <div className={dialogs.buttons}>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button loading={rotate.isPending} onClick={() => rotate.mutate({ endpointId }, { onSuccess: keep })}>
          Rotate secret
        </Button>
      </div>
    </div>
  );
}

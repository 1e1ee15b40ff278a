/** A new secret for an endpoint. */
import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSecret } from '../../../api/hooks.ts';
import { RotateWebhookSecretDocument, type WebhookEndpointRowFragment } from '../../../api/operations.generated.ts';
import dialogs from '../../../ui/dialogs/dialogs.module.css';
import { useOpenDialog } from '../../../ui/dialogs/open-dialog.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { Time } from '../../../ui/times.tsx';
import { ShownSecret } from '../secret/shown-secret.tsx';
import styles from '../webhooks.module.css';

/** The dialog: it says what happens, and then shows the secret. */
export function RotateSecret({
  endpoint: { endpointId, previousSecretUntil },
  close,
}: {
  readonly endpoint: WebhookEndpointRowFragment;
  readonly close: () => void;
}): ReactNode {
  useOpenDialog();
  const rotate = useSecret(RotateWebhookSecretDocument);
  const made = rotate.data?.rotateWebhookSecret;
  return (
    // The secret is lost neither while it is made nor by a click beside it.
    <Modal
      opened
      onClose={() => rotate.isPending || close()}
      title="Rotate secret"
      size={640}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? (
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
      ) : (
        <div className={styles.stack}>
          <p>
            The endpoint gets a new secret, which is shown once. The old one signs too for 24 hours, so nothing is lost
            while you switch: <code>webhook-signature</code> holds a signature of each, and{' '}
            <code>X-Service-Signature</code> keeps to the old one until the day is over.
          </p>
          {previousSecretUntil && (
            <p className={styles.fault}>
              An earlier rotation is still under way: its previous secret stops signing at once.
            </p>
          )}
          {rotate.error && <FailureNote failure={rotate.error} />}
          <div className={dialogs.buttons}>
            <Button variant="default" disabled={rotate.isPending} onClick={close}>
              Cancel
            </Button>
            <Button loading={rotate.isPending} onClick={() => rotate.mutate({ endpointId })}>
              Rotate secret
            </Button>
          </div>
        </div>
      )}
    </Modal>
  );
}

/** The dialogs of the actions on an endpoint. */
import { Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { UpdateWebhookEndpointDocument, type WebhookEndpointRowFragment } from '../../../api/operations.generated.ts';
import { useOpenDialog } from '../../../ui/dialogs/open-dialog.ts';
import { EndpointForm } from '../endpoint-form.tsx';
import { SendTest } from '../send-test.tsx';
import type { Dialog } from './actions.tsx';
import { RecoverForm, RedeliverForm } from './again-forms.tsx';
import { DeleteForm } from './delete-form.tsx';
import { RotateForm } from './rotate-form.tsx';

const TITLES: Readonly<Record<Dialog, string>> = {
  test: 'Send a test',
  recover: 'Recover what was missed',
  edit: 'Edit endpoint',
  rotate: 'Rotate secret',
  redeliver: 'Redeliver all given up',
  delete: 'Delete endpoint',
};

interface DialogProps {
  readonly endpoint: WebhookEndpointRowFragment;
  readonly close: () => void;
}

/** The dialog that is open. */
export function Dialogs({ dialog, ...props }: DialogProps & { readonly dialog: Dialog }): ReactNode {
  useOpenDialog();
  // A secret that shows is not lost by a click beside it.
  const [isKept, keep] = useState(false);
  return (
    <Modal
      opened
      onClose={props.close}
      title={TITLES[dialog]}
      size={dialog === 'edit' || dialog === 'rotate' ? 640 : 480}
      closeOnClickOutside={!isKept}
      closeOnEscape={!isKept}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {dialog === 'test' && <SendTest endpointId={props.endpoint.endpointId} events={props.endpoint.events} />}
      {dialog === 'recover' && <RecoverForm {...props} />}
      {dialog === 'edit' && <EditForm {...props} />}
      {dialog === 'rotate' && <RotateForm {...props} keep={() => keep(true)} />}
      {dialog === 'redeliver' && <RedeliverForm {...props} />}
      {dialog === 'delete' && <DeleteForm {...props} />}
    </Modal>
  );
}

function EditForm({ endpoint, close }: DialogProps): ReactNode {
  const { endpointId, url, description, events } = endpoint;
  const update = useChange(UpdateWebhookEndpointDocument);
  return (
    <EndpointForm
      first={{ url, description: description ?? '', events }}
      verb="Save changes"
      save={draft => update.mutate({ input: { endpointId, ...draft } }, { onSuccess: close })}
      isSaving={update.isPending}
      failure={update.error}
      cancel={close}
    />
  );
}

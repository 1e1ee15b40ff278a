/** The dialogs of the actions on an endpoint. */
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { UpdateWebhookEndpointDocument, type WebhookEndpointRowFragment } from '../../../api/operations.generated.ts';
import { useOpenDialog } from '../../../ui/dialogs/open-dialog.ts';
import { EndpointForm } from '../endpoint-form.tsx';
import { SendTest } from '../send-test.tsx';
import type { Dialog } from './actions.tsx';
import { RecoverForm, RedeliverForm } from './again-forms.tsx';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import { RotateSecret } from './rotate-secret.tsx';

type Form = Exclude<Dialog, 'delete' | 'rotate'>;

const TITLES: Readonly<Record<Form, string>> = {
  test: 'Send a test',
  recover: 'Recover what was missed',
  edit: 'Edit endpoint',
  redeliver: 'Redeliver all given up',
};

interface DialogProps {
  readonly endpoint: WebhookEndpointRowFragment;
  /** Since when deliveries were missed, where the endpoint forgot that as it was enabled. */
  readonly missedSince: string | null;
  readonly close: () => void;
}

/** The dialog that is open. */
export function Dialogs({ dialog, ...props }: DialogProps & { readonly dialog: Dialog }): ReactNode {
  if (dialog === 'delete') return <DeleteEndpoint {...props} />;
  if (dialog === 'rotate') return <RotateSecret {...props} />;
  return <FormOf form={dialog} {...props} />;
}

function FormOf({ form, ...props }: DialogProps & { readonly form: Form }): ReactNode {
  useOpenDialog();
  return (
    <Modal opened onClose={props.close} title={TITLES[form]} size={form === 'edit' ? 640 : 480}>
      {form === 'test' && <SendTest endpointId={props.endpoint.endpointId} events={props.endpoint.events} />}
      {form === 'recover' && <RecoverForm {...props} />}
      {form === 'edit' && <EditForm {...props} />}
      {form === 'redeliver' && <RedeliverForm {...props} />}
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

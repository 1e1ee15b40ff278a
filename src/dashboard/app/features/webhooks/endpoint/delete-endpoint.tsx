/** Deletes an endpoint after its host was typed. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { ask } from '../../../api/ask.ts';
import { DeleteWebhookEndpointDocument, type WebhookEndpointRowFragment } from '../../../api/operations.generated.ts';
import { Confirm } from '../../../ui/dialogs/confirm.tsx';
import type { Failure } from '../../../ui/failure.ts';
import { hostOf } from '../urls.ts';

/** The question. */
export function DeleteEndpoint({
  endpoint: { endpointId, url },
  close,
}: {
  readonly endpoint: WebhookEndpointRowFragment;
  readonly close: () => void;
}): ReactNode {
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useMutation<unknown, Failure>({
    mutationFn: () => ask(DeleteWebhookEndpointDocument, { endpointId }),
    // The page of the endpoint is left first: it would ask for it once more.
    onSuccess: async () => {
      await navigate('/webhooks');
      await client.invalidateQueries();
    },
  });
  return (
    <Confirm
      title="Delete endpoint"
      button="Delete endpoint"
      name={hostOf(url)}
      failure={remove.error}
      isBusy={remove.isPending}
      close={close}
      confirm={remove.mutate}
    >
      The endpoint, its secret and the list of its deliveries are deleted for good. Pending deliveries are given up. The
      log of messages and passcodes stays.
    </Confirm>
  );
}

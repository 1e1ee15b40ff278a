/** Deleting an endpoint: it says what will be gone, and asks for its name. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { ask } from '../../../api/ask.ts';
import { DeleteWebhookEndpointDocument, type WebhookEndpointRowFragment } from '../../../api/operations.generated.ts';
import dialogs from '../../../ui/dialogs/dialogs.module.css';
import type { Failure } from '../../../ui/failure.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { hostOf } from '../urls.ts';
import styles from '../webhooks.module.css';

/** The form. */
export function DeleteForm({
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
    // The page about what is gone is left first: it would ask for it once more.
    onSuccess: async () => {
      await navigate('/webhooks');
      await client.invalidateQueries();
    },
  });
  const [typed, type] = useState('');
  const host = hostOf(url);
  return (
    <form
      className={styles.stack}
      onSubmit={event => {
        event.preventDefault();
        remove.mutate();
      }}
    >
      <p>
        The endpoint, its secret and the list of its deliveries are deleted for good. Pending deliveries are given up.
        The log of messages and passcodes stays.
      </p>
      <TextInput
        label={
          <>
            Type <span className="mono">{host}</span> to delete it
          </>
        }
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={typed}
        onChange={event => type(event.currentTarget.value)}
      />
      {remove.error && <FailureNote failure={remove.error} />}
      <div className={dialogs.buttons}>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          type="submit"
          className={styles.danger ?? ''}
          disabled={typed.trim() !== host}
          loading={remove.isPending}
        >
          Delete endpoint
        </Button>
      </div>
    </form>
  );
}

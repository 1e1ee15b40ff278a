/** Deletes a connection after its name was typed. */
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type ConnectionFragment, DeleteConnectionDocument } from '../../api/operations.generated.ts';
import { Confirm } from '../../ui/dialogs/confirm.tsx';

/** The question. */
export function DeleteConnection({
  connection: { connectionId, name },
  close,
}: {
  readonly connection: ConnectionFragment;
  readonly close: () => void;
}): ReactNode {
  const remove = useChange(DeleteConnectionDocument);
  return (
    <Confirm
      title={`Delete ${name}`}
      button="Delete connection"
      name={name}
      failure={remove.error}
      isBusy={remove.isPending}
      close={close}
      confirm={() => remove.mutate({ connectionId }, { onSuccess: close })}
    >
      Nothing more is sent through it, and its settings and secrets are deleted. Sends in progress finish, and the log
      stays.
    </Confirm>
  );
}

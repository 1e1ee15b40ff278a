/** Removes a person after the address was typed. */
import type { ReactNode } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { type PersonFragment, RemoveUserDocument } from '../../../api/operations.generated.ts';
import { Confirm } from '../../../ui/dialogs/confirm.tsx';

/** The question. */
export function RemoveUser({
  person: { userId, email },
  close,
}: {
  readonly person: PersonFragment;
  readonly close: () => void;
}): ReactNode {
  const remove = useChange(RemoveUserDocument);
  return (
    <Confirm
      title={`Remove ${email}`}
      button="Remove person"
      name={email}
      failure={remove.error}
      isBusy={remove.isPending}
      close={close}
      confirm={() => remove.mutate({ userId }, { onSuccess: close })}
    >
      This person is signed out everywhere and can no longer sign in. Tokens that the person created stay.
    </Confirm>
  );
}

/** Gives a token another name. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type TokenFragment, UpdateTokenDocument } from '../../api/operations.generated.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';

/** The dialog. */
export function RenameToken({
  token,
  close,
}: {
  readonly token: TokenFragment;
  readonly close: () => void;
}): ReactNode {
  const update = useChange(UpdateTokenDocument);
  return (
    <FormDialog
      title={`Rename ${token.name ?? `${token.prefix}…`}`}
      button="Save name"
      failure={update.error}
      fields={['name']}
      isBusy={update.isPending}
      close={close}
      submit={({ name = '' }) =>
        update.mutate({ input: { tokenId: token.tokenId, name: name.trim() || null } }, { onSuccess: close })
      }
    >
      <TextInput
        name="name"
        label="Name"
        description="The program that uses it; empty: no name"
        defaultValue={token.name ?? ''}
        autoComplete="off"
        error={faultAt(update.error, 'name')}
        data-autofocus
      />
    </FormDialog>
  );
}

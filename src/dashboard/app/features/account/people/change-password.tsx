/** Changes one's own password. */
import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { ChangePasswordDocument } from '../../../api/operations.generated.ts';
import { faultAt } from '../../../ui/dialogs/faults.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';

/** The dialog. */
export function ChangePassword({ close }: { readonly close: () => void }): ReactNode {
  const change = useChange(ChangePasswordDocument);
  return (
    <FormDialog
      title="Change password"
      button="Change password"
      failure={change.error}
      fields={['current', 'new']}
      isBusy={change.isPending}
      close={close}
      submit={fields =>
        change.mutate({ input: { current: fields.current ?? '', new: fields.new ?? '' } }, { onSuccess: close })
      }
    >
      <PasswordInput
        name="current"
        label="Present password"
        autoComplete="current-password"
        required
        error={faultAt(change.error, 'current')}
        data-autofocus
      />
      <PasswordInput
        name="new"
        label="New password"
        description="12 to 128 characters, hard to guess. Your other browsers are signed out"
        autoComplete="new-password"
        required
        error={faultAt(change.error, 'new')}
      />
    </FormDialog>
  );
}

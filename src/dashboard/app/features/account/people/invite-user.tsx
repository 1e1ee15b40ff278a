/** Invites a person by a link that is shown once. */
import { Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useSecret } from '../../../api/hooks.ts';
import { InviteUserDocument, type Role } from '../../../api/operations.generated.ts';
import { useAskedAccount } from '../../../frame/session/whose.ts';
import { faultAt } from '../../../ui/dialogs/faults.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { ShownOnce } from '../../../ui/dialogs/once.tsx';
import { choicesOf, useRoles } from './roles.tsx';

/** The dialog. */
export function InviteUser({ close }: { readonly close: () => void }): ReactNode {
  const account = useAskedAccount();
  const invite = useSecret(InviteUserDocument);
  const roles = useRoles();
  const [role, setRole] = useState<Role>('DEVELOPER');
  if (invite.data) {
    const { link, invitation } = invite.data.inviteUser;
    return (
      <ShownOnce title="Invitation created" text={link} label="Copy the link" close={close}>
        <p style={{ margin: 0 }}>
          Send it to {invitation.email} and to nobody else: whoever has it may sign in. It is shown this once.
        </p>
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="Invite person"
      button="Create invitation"
      failure={invite.error}
      fields={['email', 'role']}
      isBusy={invite.isPending}
      close={close}
      submit={({ email = '' }) => invite.mutate({ input: { ...account, email: email.trim(), role } })}
    >
      <TextInput
        name="email"
        type="email"
        label="Email"
        required
        error={faultAt(invite.error, 'email')}
        data-autofocus
      />
      <Select
        label="Role"
        description={roles.find(candidate => candidate.role === role)?.meaning}
        data={choicesOf(roles)}
        value={role}
        allowDeselect={false}
        onChange={value => value && setRole(value as Role)}
        error={faultAt(invite.error, 'role')}
      />
    </FormDialog>
  );
}

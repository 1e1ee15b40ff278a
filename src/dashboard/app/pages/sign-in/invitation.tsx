/** Where a person who was invited chooses a password. */
import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { useChange } from '../../api/hooks.ts';
import { AcceptInvitationDocument } from '../../api/operations.generated.ts';
import { faultAt, withoutShown } from '../../ui/dialogs/faults.ts';
import { Entrance } from './entrance.tsx';
import { Form, useEntering } from './sign-in.tsx';

/** The page. The token of the link stands behind `#`, so that no server on the way sees it. */
export function Invitation(): ReactNode {
  const token = useLocation().hash.slice(1);
  const accept = useChange(AcceptInvitationDocument);
  const enter = useEntering();
  return (
    <Entrance title="Accept the invitation">
      <Form
        button="Accept invitation"
        failure={withoutShown(accept.error, ['name', 'password'])}
        isBusy={accept.isPending}
        submit={({ name = '', password = '' }) =>
          accept.mutate({ input: { token, name: name.trim() || null, password } }, { onSuccess: enter })
        }
      >
        <TextInput name="name" label="Your name" autoComplete="name" error={faultAt(accept.error, 'name')} autoFocus />
        <PasswordInput
          name="password"
          label="Password"
          description="12 to 128 characters, hard to guess: a sentence is good"
          autoComplete="new-password"
          required
          error={faultAt(accept.error, 'password')}
        />
      </Form>
    </Entrance>
  );
}

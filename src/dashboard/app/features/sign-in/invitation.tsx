/** The page of an invitation: it names the account and the role, and asks for a password. */
import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { useAnswer, useChange } from '../../api/hooks.ts';
import {
  AcceptInvitationDocument,
  InvitationOfferDocument,
  type InvitationOfferQuery,
} from '../../api/operations.generated.ts';
import { faultAt, withoutShown } from '../../ui/dialogs/faults.ts';
import { Failure } from '../../ui/failure.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import { plainWord } from '../../ui/words.ts';
import { Entrance } from './entrance.tsx';
import { Form, useEntering } from './sign-in.tsx';

const OVER = new Failure('NOT_FOUND', 'The invitation is over, was used or was taken back. Ask for another one.');

/** The page. The token of the link stands behind `#`, so that no server on the way sees it. */
export function Invitation(): ReactNode {
  const token = useLocation().hash.slice(1);
  const accept = useChange(AcceptInvitationDocument);
  // Once it is accepted there is none any more, which is nothing to tell of.
  const { data } = useAnswer(InvitationOfferDocument, { token }, { enabled: accept.isIdle || accept.isError });
  const enter = useEntering();
  if (data?.invitationOffer === null)
    return (
      <Entrance title="Accept the invitation">
        <FailureNote failure={OVER} isPlain />
      </Entrance>
    );
  return (
    <Entrance title="Accept the invitation">
      {data && <Offer offer={data.invitationOffer} />}
      <Form
        button="Accept invitation"
        failure={withoutShown(accept.error, ['name', 'password'])}
        isBusy={accept.isPending}
        submit={({ name = '', password = '' }) =>
          accept.mutate({ input: { token, name: name.trim() || null, password } }, { onSuccess: () => enter() })
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

/** To what, as what, and by whom. */
function Offer({ offer }: { readonly offer: NonNullable<InvitationOfferQuery['invitationOffer']> }): ReactNode {
  const { accountName, email, role, meaning, invitedBy } = offer;
  return (
    <p>
      {invitedBy ?? 'The operator'} invites <strong>{email}</strong> to the account <strong>{accountName}</strong> as{' '}
      <strong>{plainWord(role)}</strong>. {meaning}
    </p>
  );
}

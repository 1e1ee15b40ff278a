/** The reset of a forgotten password: the form that asks for a link by mail, and the form behind that link. */
import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { useChange } from '../../api/hooks.ts';
import { RequestPasswordResetDocument, ResetPasswordDocument } from '../../api/operations.generated.ts';
import { faultAt, withoutShown } from '../../ui/dialogs/faults.ts';
import { Entrance } from './entrance.tsx';
import styles from './sign-in.module.css';
import { Form } from './sign-in.tsx';

/** The page: with the token of a link behind `#`, so that no server on the way sees it, that of the new password. */
export function Reset(): ReactNode {
  const token = useLocation().hash.slice(1);
  return token === '' ? <Ask /> : <Choose token={token} />;
}

function Ask(): ReactNode {
  const ask = useChange(RequestPasswordResetDocument);
  return (
    <Entrance title="Forgot the password">
      {ask.isSuccess ? (
        <p className={styles.about} role="status">
          If {ask.variables.input.email} signs in here by password, a mail with a link is on its way. The link holds for
          30 minutes.
        </p>
      ) : (
        <Form
          button="Mail me a link"
          failure={ask.error}
          isBusy={ask.isPending}
          submit={({ email = '' }) => ask.mutate({ input: { email: email.trim() } })}
        >
          <TextInput name="email" type="email" label="Email" autoComplete="username" required autoFocus />
        </Form>
      )}
      <Back />
    </Entrance>
  );
}

function Choose({ token }: { readonly token: string }): ReactNode {
  const reset = useChange(ResetPasswordDocument);
  if (reset.isSuccess) {
    return (
      <Entrance title="The password is set">
        <p className={styles.about} role="status">
          You are signed out everywhere. Sign in with the new password.
        </p>
        <Back />
      </Entrance>
    );
  }
  return (
    <Entrance title="Set a new password">
      <Form
        button="Set password"
        failure={withoutShown(reset.error, ['password'])}
        isBusy={reset.isPending}
        submit={({ password = '' }) => reset.mutate({ input: { token, password } })}
      >
        <PasswordInput
          name="password"
          label="New password"
          description="12 to 128 characters, hard to guess: a sentence is good"
          autoComplete="new-password"
          required
          autoFocus
          error={faultAt(reset.error, 'password')}
        />
      </Form>
      <Back />
    </Entrance>
  );
}

function Back(): ReactNode {
  return (
    <Link className={styles.other} to="/sign-in">
      Back to the sign-in
    </Link>
  );
}

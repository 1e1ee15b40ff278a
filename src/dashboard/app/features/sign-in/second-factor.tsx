/** The page that turns on the second factor: by choice, or because the account requires it. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Navigate, useNavigate } from 'react-router';
import { useAnswer, useChange, useSecret } from '../../api/hooks.ts';
import {
  ConfirmSecondFactorDocument,
  StartSecondFactorDocument,
  ViewerDocument,
} from '../../api/operations.generated.ts';
import { useSignOut } from '../../frame/session/use-sign-out.ts';
import { RecoveryCodes } from '../../ui/copy/recovery-codes.tsx';
import { faultAt, withoutShown } from '../../ui/dialogs/faults.ts';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Entrance } from './entrance.tsx';
import { SecretCode } from './secret-code.tsx';
import styles from './sign-in.module.css';
import { Form, useEntering } from './sign-in.tsx';

/** The page. */
export function SecondFactor(): ReactNode {
  const { data, error, refetch } = useAnswer(ViewerDocument, {});
  // Recovery codes go before the redirect below: the factor is on by the time they show.
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const enter = useEntering();
  if (codes) {
    return (
      <Entrance title="Keep these codes">
        <RecoveryCodes codes={codes} />
        <Button mt="md" size="sm" fullWidth onClick={() => enter()}>
          I have kept them
        </Button>
      </Entrance>
    );
  }
  if (!data) return error ? <FailureNote failure={error} retry={refetch} /> : <Loading />;
  const factor = data.viewer?.secondFactor;
  if (!factor) return <Navigate to="/sign-in#next=/second-factor" replace />;
  if (factor.since !== null) return <Navigate to="/account" replace />;
  return (
    <Entrance title="Turn on the second factor">
      <p className={styles.about}>
        {factor.isRequired && 'Your account requires it. '}
        An app on your phone, such as Google Authenticator, 1Password or Aegis, then shows the code that is asked for
        after your password.
      </p>
      <TurnOn isRequired={factor.isRequired} onDone={setCodes} />
    </Entrance>
  );
}

function TurnOn({
  isRequired,
  onDone,
}: {
  readonly isRequired: boolean;
  readonly onDone: (codes: readonly string[]) => void;
}): ReactNode {
  const start = useChange(StartSecondFactorDocument);
  const confirm = useSecret(ConfirmSecondFactorDocument);
  return (
    <>
      {start.data ? (
        <Form
          key="code"
          button="Turn on"
          failure={withoutShown(confirm.error, ['code'])}
          isBusy={confirm.isPending}
          submit={({ code = '' }) =>
            confirm.mutate(
              { input: { code } },
              { onSuccess: ({ confirmSecondFactor }) => onDone(confirmSecondFactor.codes) },
            )
          }
        >
          <SecretCode {...start.data.startSecondFactor} />
          <TextInput
            name="code"
            label="Code of the app"
            description="Six digits, to show that the app has it"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            autoFocus
            error={faultAt(confirm.error, 'code')}
          />
        </Form>
      ) : (
        <Form
          key="password"
          button="Continue"
          failure={start.error}
          isBusy={start.isPending}
          submit={({ password = '' }) => start.mutate({ input: { password } })}
        >
          <PasswordInput name="password" label="Your password" autoComplete="current-password" required autoFocus />
        </Form>
      )}
      <WayOut isRequired={isRequired} isHeld={confirm.isPending} />
    </>
  );
}

/** The way out: back to the account, or a sign-out where the factor is required. */
function WayOut({
  isRequired,
  isHeld,
}: {
  readonly isRequired: boolean;
  /** Whether recovery codes are being made, which would be lost. */
  readonly isHeld: boolean;
}): ReactNode {
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <>
      {signOut.error && (
        <div style={{ marginTop: 20 }}>
          <FailureNote failure={signOut.error} isPlain />
        </div>
      )}
      <button
        type="button"
        className={styles.other}
        disabled={isHeld}
        onClick={() => (isRequired ? signOut.mutate() : navigate('/account'))}
      >
        {isRequired ? 'Sign out' : 'Not now'}
      </button>
    </>
  );
}

/** The way in: a person by email and password, or the operator by the operator's token. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { forgetTokens } from '../../../tab-storage.ts';
import { useAnswer, useChange } from '../../api/hooks.ts';
import {
  SignInAsOperatorDocument,
  SignInDocument,
  SignInOptionsDocument,
  SignInWithCodeDocument,
} from '../../api/operations.generated.ts';
import type { Failure } from '../../ui/failure.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import { Entrance } from './entrance.tsx';
import { useNext } from './next.ts';
import { OidcButton } from './oidc.tsx';
import styles from './sign-in.module.css';

/** The page. */
export function SignIn(): ReactNode {
  const [isOperator, setOperator] = useState(false);
  const { data } = useAnswer(SignInOptionsDocument, {});
  const [isCodeNext, setCodeNext] = useState(false);
  const enter = useEntering();
  if (isCodeNext) {
    return (
      <Entrance title="Sign in">
        <CodeForm onDone={() => enter()} onBack={() => setCodeNext(false)} />
      </Entrance>
    );
  }
  return (
    <Entrance title={isOperator ? 'Sign in as operator' : 'Sign in'}>
      {isOperator ? (
        <OperatorForm onDone={() => enter()} />
      ) : (
        <PersonForm onDone={() => enter()} onHalf={() => setCodeNext(true)} />
      )}
      {!isOperator && <OidcButton />}
      <div className={styles.others}>
        <button type="button" className={styles.other} onClick={() => setOperator(!isOperator)}>
          {isOperator ? 'Sign in with an email' : 'Sign in as the operator'}
        </button>
        {!isOperator && data?.signInOptions.resetsPasswords && (
          <Link className={styles.other} to="/reset">
            Forgot the password?
          </Link>
        )}
      </div>
    </Entrance>
  );
}

/** Goes where one wanted to go before, with nothing left of who was here before but drafts, which have an owner. */
export function useEntering(): (next?: string) => void {
  const navigate = useNavigate();
  const client = useQueryClient();
  const wanted = useNext();
  return (next = wanted) => {
    client.clear();
    forgetTokens();
    // A path of these pages, and nothing else that a link could name.
    navigate(next.startsWith('/') && !next.startsWith('//') ? next : '/', { replace: true });
  };
}

function PersonForm({
  onDone,
  onHalf,
}: {
  readonly onDone: () => void;
  /** The password was right, and a code is to follow. */
  readonly onHalf: () => void;
}): ReactNode {
  const signIn = useChange(SignInDocument);
  return (
    <Form
      button="Sign in"
      failure={signIn.error}
      isBusy={signIn.isPending}
      submit={fields =>
        signIn.mutate(
          { input: { email: fields.email ?? '', password: fields.password ?? '' } },
          { onSuccess: ({ signIn: { kind } }) => (kind === 'SECOND_STEP' ? onHalf() : onDone()) },
        )
      }
    >
      <TextInput name="email" type="email" label="Email" autoComplete="username" required autoFocus />
      <PasswordInput name="password" label="Password" autoComplete="current-password" required />
    </Form>
  );
}

function CodeForm({ onDone, onBack }: { readonly onDone: () => void; readonly onBack: () => void }): ReactNode {
  const signIn = useChange(SignInWithCodeDocument);
  const [isRecovery, setRecovery] = useState(false);
  return (
    <>
      <Form
        button="Sign in"
        failure={signIn.error}
        isBusy={signIn.isPending}
        submit={({ code = '' }) => signIn.mutate({ input: { code } }, { onSuccess: onDone })}
      >
        <TextInput
          key={String(isRecovery)}
          name="code"
          label={isRecovery ? 'Recovery code' : 'Code of your app'}
          description={
            isRecovery ? 'One of the codes that you kept. Each works once' : 'The six digits that it shows now'
          }
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          required
          autoFocus
        />
      </Form>
      <div className={styles.others}>
        <button type="button" className={styles.other} onClick={() => setRecovery(!isRecovery)}>
          {isRecovery ? 'Use the app' : 'Use a recovery code'}
        </button>
        <button type="button" className={styles.other} onClick={onBack}>
          Begin again
        </button>
      </div>
    </>
  );
}

function OperatorForm({ onDone }: { readonly onDone: () => void }): ReactNode {
  const signIn = useChange(SignInAsOperatorDocument);
  return (
    <Form
      button="Sign in"
      failure={signIn.error}
      isBusy={signIn.isPending}
      submit={fields => signIn.mutate({ input: { token: fields.token ?? '' } }, { onSuccess: onDone })}
    >
      <PasswordInput
        name="token"
        label="Operator token"
        description="OPERATOR_TOKEN of the gateway, or the file operator.token in its data directory"
        autoComplete="off"
        required
        autoFocus
      />
    </Form>
  );
}

/** A form with its button and, where it was refused, why. */
export function Form({
  button,
  failure,
  isBusy,
  submit,
  children,
}: {
  readonly button: string;
  readonly failure: Failure | null;
  readonly isBusy: boolean;
  readonly submit: (fields: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault();
        submit(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
      }}
    >
      {children}
      {failure && <FailureNote failure={failure} isPlain />}
      <Button type="submit" size="sm" loading={isBusy} fullWidth>
        {button}
      </Button>
    </form>
  );
}

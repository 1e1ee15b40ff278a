/** The way to the OIDC provider. */
import { Button } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useAnswer, useChange } from '../../api/hooks.ts';
import { SignInOptionsDocument, StartOidcDocument } from '../../api/operations.generated.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import { useNext } from './next.ts';
import styles from './sign-in.module.css';

/** The key in the session storage for the page to open after the sign-in. */
export const NEXT = 'heliograph:oidc-next';

/** The button; nothing where there is no provider. */
export function OidcButton(): ReactNode {
  const { data } = useAnswer(SignInOptionsDocument, {});
  const start = useChange(StartOidcDocument);
  const next = useNext();
  // Back from the provider the browser may show the page as it was left.
  useWindowEvent('pageshow', ({ persisted }) => persisted && start.reset());
  const name = data?.signInOptions.oidcName;
  if (!name) return null;
  return (
    <div className={styles.form}>
      <p className={styles.or}>or</p>
      {start.error && <FailureNote failure={start.error} isPlain />}
      <Button
        variant="default"
        size="sm"
        fullWidth
        loading={start.isPending || start.isSuccess}
        onClick={() => {
          sessionStorage.setItem(NEXT, next);
          start.mutate({}, { onSuccess: ({ startOidc }) => location.assign(startOidc) });
        }}
      >
        Sign in with {name}
      </Button>
    </div>
  );
}

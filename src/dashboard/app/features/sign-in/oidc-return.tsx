/** The redirect page of the OIDC provider. */
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { useChange } from '../../api/hooks.ts';
import { SignInByOidcDocument } from '../../api/operations.generated.ts';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Entrance } from './entrance.tsx';
import { NEXT } from './oidc.tsx';
import styles from './sign-in.module.css';
import { useEntering } from './sign-in.tsx';

/** The page. */
export function OidcReturn(): ReactNode {
  const signIn = useChange(SignInByOidcDocument);
  const { search } = useLocation();
  const onDone = useEffectEvent(useEntering());
  const isAsked = useRef(false);
  useEffect(() => {
    // A code is right once, and effects may run twice.
    if (isAsked.current) return;
    isAsked.current = true;
    const next = sessionStorage.getItem(NEXT) ?? '/';
    sessionStorage.removeItem(NEXT);
    signIn.mutate({ input: { address: search } }, { onSuccess: () => onDone(next) });
  }, [search, signIn.mutate]);
  return (
    <Entrance title="Sign in">
      {signIn.error ? (
        <>
          <FailureNote failure={signIn.error} isPlain />
          <Link className={styles.other} to="/sign-in" replace>
            Back to the sign-in
          </Link>
        </>
      ) : (
        <Loading lines={2} />
      )}
    </Entrance>
  );
}

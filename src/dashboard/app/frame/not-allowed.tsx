/** The note after a link to something that the signed-in person may not do. */
import type { ReactNode } from 'react';
import styles from './not-allowed.module.css';

/** The role that is needed, and how to get it. */
const WAYS = {
  developer: 'It needs the role developer. An owner of the account can give it to you, under Account.',
  owner: 'It needs the role owner. An owner of the account can give it to you, under Account.',
  operator: 'The operator of this gateway can.',
} as const;

/** The note. `what` goes on after "You cannot": `create tokens`. */
export function NotAllowed({ what, needs }: { readonly what: string; readonly needs: keyof typeof WAYS }): ReactNode {
  return (
    <div className={styles.note} role="status">
      <strong>You cannot {what}</strong>
      <p>{WAYS[needs]}</p>
    </div>
  );
}

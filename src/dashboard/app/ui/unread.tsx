/** How many texts are unread, as a number in a pill. */
import type { ReactNode } from 'react';
import styles from './ui.module.css';

/** More are not counted out: the number would not fit, and says nothing more. */
const SHOWN_MAX = 99;

/** The pill; nothing where none is unread. */
export function Unread({ texts }: { readonly texts: number }): ReactNode {
  if (texts === 0) return null;
  return (
    <span className={styles.unread}>
      {texts > SHOWN_MAX ? `${SHOWN_MAX}+` : texts}
      <span className={styles.hidden}> unread {texts === 1 ? 'text' : 'texts'}</span>
    </span>
  );
}

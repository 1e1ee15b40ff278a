/** The phones: the last text of each, when it came, and how many are unread. */
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { Time } from '../../ui/times.tsx';
import { Unread } from '../../ui/unread.tsx';
import { phoneWord } from '../../ui/words.ts';
import styles from './inbox.module.css';
import type { Phone } from './use-phones.ts';

/** The list. */
export function PhoneList({ phones }: { readonly phones: readonly Phone[] }): ReactNode {
  return (
    <nav className={styles.phones} aria-label="Phones">
      <ul>
        {phones.map(({ number, last, unread }) => (
          <li key={number}>
            <NavLink to={`/inbox/${number}`} className={styles.phone ?? ''} data-unread={unread > 0 || undefined}>
              <span className={styles.phoneLine}>
                <strong className="numbers">{phoneWord(number)}</strong>
                <span className="quiet">
                  <Time at={last.createdAt} />
                </span>
              </span>
              <span className={styles.phoneLine}>
                <span className={styles.last}>{last.text}</span>
                <Unread texts={unread} />
              </span>
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

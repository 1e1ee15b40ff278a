/** The phones: the last text of each, when it came, and how many are unread. */
import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { NavLink, useNavigate } from 'react-router';
import { Time } from '../../ui/times.tsx';
import { Unread } from '../../ui/unread.tsx';
import { phoneWord } from '../../ui/words.ts';
import { ClearPhones } from './clear-phones.tsx';
import styles from './inbox.module.css';
import type { Phone } from './use-phones.ts';

/** The list, and what is done with all of it. */
export function PhoneList({
  phones,
  markAllSeen,
}: {
  readonly phones: readonly Phone[];
  readonly markAllSeen: () => void;
}): ReactNode {
  // Not in the URL: it may be a number, and URLs stand in histories.
  const [words, setWords] = useState('');
  const [isClearing, setClearing] = useState(false);
  const navigate = useNavigate();
  const found = phones.filter(phone => isFound(phone, words));
  return (
    <nav className={styles.phones} aria-label="Phones">
      <div className={styles.tools}>
        <TextInput
          aria-label="Find a phone"
          placeholder="Number or last text"
          value={words}
          onChange={event => setWords(event.currentTarget.value)}
        />
        <Button
          variant="default"
          size="compact-xs"
          disabled={phones.every(({ unread }) => unread === 0)}
          onClick={markAllSeen}
        >
          All read
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          disabled={phones.length === 0}
          onClick={() => setClearing(true)}
          aria-label="Clear the inbox"
        >
          Clear …
        </Button>
      </div>
      {phones.length > 0 && found.length === 0 && <p className={styles.choose}>No phone has these words.</p>}
      <ul>
        {found.map(({ number, last, unread }) => (
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
      {isClearing && (
        <ClearPhones
          close={() => setClearing(false)}
          cleared={() => {
            setClearing(false);
            void navigate('/inbox');
          }}
        />
      )}
    </nav>
  );
}

function isFound({ number, last }: Phone, words: string): boolean {
  const digits = words.replaceAll(/[\s()+./-]/g, '');
  const isNumber = /^\d+$/.test(digits);
  return (isNumber && number.includes(digits)) || last.text.toLowerCase().includes(words.trim().toLowerCase());
}

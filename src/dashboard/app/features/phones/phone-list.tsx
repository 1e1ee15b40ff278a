/** The phones: the last text of each, when it came, and how many are unread. */
import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { Note, ThreadList, ThreadRow } from '../../ui/threads/panes.tsx';
import { phoneWord } from '../../ui/words.ts';
import { ClearPhones } from './clear-phones.tsx';
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
  const tools = (
    <>
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
        aria-label="Clear the phones"
      >
        Clear …
      </Button>
    </>
  );
  return (
    <ThreadList label="Phones" tools={tools}>
      {phones.length > 0 && found.length === 0 && <Note>No phone has these words.</Note>}
      <ul>
        {found.map(({ number, last, unread }) => (
          <ThreadRow
            key={number}
            to={`/phones/${number}`}
            name={phoneWord(number)}
            at={last.createdAt}
            text={last.text}
            unread={unread}
          />
        ))}
      </ul>
      {isClearing && (
        <ClearPhones
          close={() => setClearing(false)}
          cleared={() => {
            setClearing(false);
            void navigate('/phones');
          }}
        />
      )}
    </ThreadList>
  );
}

function isFound({ number, last }: Phone, words: string): boolean {
  const digits = words.replaceAll(/[\s()+./-]/g, '');
  const isNumber = /^\d+$/.test(digits);
  return (isNumber && number.includes(digits)) || last.text.toLowerCase().includes(words.trim().toLowerCase());
}

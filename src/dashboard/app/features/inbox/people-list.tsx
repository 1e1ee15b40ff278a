/** The people: the last text of each, when it came, and how many nobody has read. */
import { SegmentedControl, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InboxPeopleQuery } from '../../api/operations.generated.ts';
import { More, type Rows } from '../../ui/lists/more.tsx';
import { Note, ThreadList, ThreadRow } from '../../ui/threads/panes.tsx';
import { nameOf, textOf } from './words.ts';

/** The words of the search, and its filter. */
export interface Sought {
  readonly words: string;
  readonly isUnread: boolean;
}

/** The list, and what narrows it. */
export function PeopleList({
  people,
  sought,
  seek,
  isNarrowed,
}: {
  readonly people: Rows<InboxPeopleQuery['people']['nodes'][number]>;
  readonly sought: Sought;
  readonly seek: (sought: Sought) => void;
  readonly isNarrowed: boolean;
}): ReactNode {
  const tools = (
    <>
      <TextInput
        aria-label="Find a person"
        placeholder="Name, number or text"
        value={sought.words}
        onChange={event => seek({ ...sought, words: event.currentTarget.value })}
      />
      <SegmentedControl
        aria-label="Which people"
        size="xs"
        fullWidth
        style={{ gridColumn: '1 / -1' }}
        data={[
          { value: 'all', label: 'All' },
          { value: 'unread', label: 'Unread' },
        ]}
        value={sought.isUnread ? 'unread' : 'all'}
        onChange={which => seek({ ...sought, isUnread: which === 'unread' })}
      />
    </>
  );
  return (
    <ThreadList label="People" tools={tools}>
      {people.rows?.length === 0 && isNarrowed && (
        <Note>
          {people.hasMore && 'Nobody yet. Looking at older conversations …'}
          {!people.hasMore && (sought.words.trim() === '' ? 'All is read.' : 'No person has these words.')}
        </Note>
      )}
      <ul>
        {people.rows?.map(person => (
          <ThreadRow
            key={person.id}
            to={`/inbox/${person.id}`}
            name={nameOf(person)}
            at={person.lastMessage?.receivedAt ?? null}
            text={person.lastMessage ? textOf(person.lastMessage) : 'No message is kept.'}
            unread={person.unread}
          />
        ))}
      </ul>
      <More of={people} />
    </ThreadList>
  );
}

/** The foot of a conversation: answers the person, or writes a note about them. */
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { AddNoteDocument } from '../../../api/operations.generated.ts';
import { ThreadComposer } from '../../../ui/threads/composer.tsx';
import styles from '../inbox.module.css';
import type { Person } from '../words.ts';
import { Answer } from './answer.tsx';
import { useAnswering } from './use-answering.ts';

/** The form, with the choice of what it writes: notes alone where nothing is kept that could be answered. */
export function Composer({ person }: { readonly person: Person }): ReactNode {
  const [note, setNote] = useState('');
  const { lastMessage } = person;
  const form = <NoteForm person={person} text={note} setText={setNote} />;
  return lastMessage ? <Choice person={person} newest={lastMessage} noteForm={form} /> : form;
}

/** Either form; what was begun in the other one stays. */
function Choice({
  person,
  newest,
  noteForm,
}: {
  readonly person: Person;
  readonly newest: NonNullable<Person['lastMessage']>;
  readonly noteForm: ReactNode;
}): ReactNode {
  const [isNote, setNote] = useState(false);
  const state = useAnswering(person, newest);
  return (
    <>
      <div className={styles.choice}>
        <SegmentedControl
          aria-label="What is written"
          size="xs"
          data={[
            { value: 'answer', label: 'Answer' },
            { value: 'note', label: 'Note' },
          ]}
          value={isNote ? 'note' : 'answer'}
          onChange={value => setNote(value === 'note')}
        />
      </div>
      {isNote ? noteForm : <Answer person={person} newest={newest} state={state} />}
    </>
  );
}

function NoteForm({
  person,
  text,
  setText,
}: {
  readonly person: Person;
  readonly text: string;
  readonly setText: (text: string) => void;
}): ReactNode {
  const add = useChange(AddNoteDocument);
  return (
    <ThreadComposer
      label="Note about this person"
      text={text}
      change={next => {
        add.reset();
        setText(next);
      }}
      button="Add note"
      failure={add.error}
      isBusy={add.isPending}
      submit={() => add.mutate({ input: { to: person.id ?? person.to, text } }, { onSuccess: () => setText('') })}
    >
      Only people of the account see it.
    </ThreadComposer>
  );
}

/** Answers the newest message of a person: by its channel, from the sender that it came to. */
import { TextInput } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { CHANNEL_FACTS } from '../../../api/channels.generated.ts';
import { channelWord } from '../../../api/channels.ts';
import { Cost } from '../../../frame/cost/cost.tsx';
import { ThreadComposer } from '../../../ui/threads/composer.tsx';
import { momentWord } from '../../../ui/times.tsx';
import { counted, phoneWord } from '../../../ui/words.ts';
import styles from '../inbox.module.css';
import type { Person } from '../words.ts';
import type { AnswerState } from './use-answering.ts';

/** The form. */
export function Answer({
  person,
  newest,
  state,
}: {
  readonly person: Person;
  readonly newest: NonNullable<Person['lastMessage']>;
  readonly state: AnswerState;
}): ReactNode {
  const { draft, change, preview, needsTemplate, answering } = state;
  const cost = useId();
  const credits = preview?.credits ?? 0;
  return (
    <ThreadComposer
      label="Answer"
      text={draft.text}
      change={text => change({ text })}
      button={credits > 0 ? `Answer – ${counted(credits, 'credit')}` : 'Answer'}
      failure={answering.error}
      isBusy={answering.isPending}
      isReady={!needsTemplate || (draft.template !== '' && draft.language !== '')}
      submit={state.send}
      above={needsTemplate && <Template state={state} />}
    >
      <p>
        {channelWord(newest.channel)} from {phoneWord(newest.to)}.{' '}
        {!state.takesTemplatesOnly && windowWord(person, newest)}
      </p>
      {draft.text !== '' && <Cost text={draft.text} preview={preview} id={cost} replace={text => change({ text })} />}
      {state.refusal !== null && <p className={styles.refusal}>It would be refused: {state.refusal}</p>}
    </ThreadComposer>
  );
}

/** Until when free text goes in a cloud chat, or that it goes no longer; nothing of other channels. */
function windowWord({ windows }: Person, { channel, to }: NonNullable<Person['lastMessage']>): string {
  const hours = CHANNEL_FACTS[channel].freeTextHours;
  if (hours === null) return '';
  const open = windows.find(one => one.channel === channel && one.sender === to);
  return open ? `Free text until ${momentWord(open.closesAt)}.` : `The ${hours} hours are over: a template is needed.`;
}

function Template({ state: { draft, change } }: { readonly state: AnswerState }): ReactNode {
  return (
    <div className={styles.template}>
      <TextInput
        label="Template"
        placeholder="order_update"
        value={draft.template}
        onChange={event => change({ template: event.currentTarget.value.trim() })}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        label="Language"
        placeholder="en_US"
        value={draft.language}
        onChange={event => change({ language: event.currentTarget.value.trim() })}
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}

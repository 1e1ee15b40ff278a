/** Answers the newest message of a person: by its channel, from the sender that it came to. */
import { type ReactNode, useId } from 'react';
import { channelWord } from '../../../api/channels.ts';
import { Cost } from '../../../frame/cost/cost.tsx';
import { componentsFault } from '../../../frame/template/components.ts';
import { ComponentsInput } from '../../../frame/template/components-input.tsx';
import { TemplateInputs, type TemplateKey } from '../../../frame/template/template-inputs.tsx';
import { windowWord } from '../../../frame/template/window-word.ts';
import { ThreadComposer } from '../../../ui/threads/composer.tsx';
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
  const changeTemplate = ({ name, language }: Partial<TemplateKey>): void =>
    change({ ...(name !== undefined && { template: name }), ...(language !== undefined && { language }) });
  return (
    <ThreadComposer
      label="Answer"
      text={draft.text}
      change={text => change({ text })}
      button={credits > 0 ? `Answer – ${counted(credits, 'credit')}` : 'Answer'}
      failure={answering.error}
      isBusy={answering.isPending}
      isReady={!needsTemplate || isWhole(draft)}
      submit={state.send}
      above={
        needsTemplate && (
          <TemplateInputs
            value={{ name: draft.template, language: draft.language }}
            change={changeTemplate}
            components={draft.components}
          >
            <ComponentsInput value={draft.components} change={components => change({ components })} />
          </TemplateInputs>
        )
      }
    >
      <p>
        {channelWord(newest.channel)} from {phoneWord(newest.to)}.{' '}
        {!state.takesTemplatesOnly && windowAt(person, newest)}
      </p>
      {draft.text !== '' && <Cost text={draft.text} preview={preview} id={cost} replace={text => change({ text })} />}
      {state.refusal !== null && <p className={styles.refusal}>It would be refused: {state.refusal}</p>}
    </ThreadComposer>
  );
}

/** Whether a template is named, with components that can be read. */
function isWhole({ template, language, components }: AnswerState['draft']): boolean {
  return template !== '' && language !== '' && componentsFault(components) === null;
}

/** The window of the sender that a message came to. */
function windowAt({ windows }: Person, { channel, to }: NonNullable<Person['lastMessage']>): string {
  return windowWord(channel, windows.find(one => one.channel === channel && one.sender === to)?.closesAt ?? null);
}

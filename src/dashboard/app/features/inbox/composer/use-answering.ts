/** An answer that is being written: what it would cost, why it would be refused, and how it goes. */
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { CHANNEL_FACTS } from '../../../api/channels.generated.ts';
import { useAnswer, useChange } from '../../../api/hooks.ts';
import { newReference } from '../../../api/new-reference.ts';
import { AnswerDocument, AnswerPreviewDocument, type PreviewFragment } from '../../../api/operations.generated.ts';
import { readComponents } from '../../../frame/template/components.ts';
import type { Failure } from '../../../ui/failure.ts';
import type { Person } from '../words.ts';

/** The answer as it is written. */
interface Draft {
  readonly text: string;
  /** The name of the template; empty: none. */
  readonly template: string;
  readonly language: string;
  /** The components of the template, as JSON; empty: none. */
  readonly components: string;
}

/** How it stands. */
export interface AnswerState {
  readonly draft: Draft;
  readonly change: (parts: Partial<Draft>) => void;
  /** Null: it is not known what it would cost. */
  readonly preview: PreviewFragment | null;
  /** Whether a template has to be named: the chat is closed for free text, or takes none. */
  readonly needsTemplate: boolean;
  /** Whether its number takes templates only, however lately the person wrote. */
  readonly takesTemplatesOnly: boolean;
  /** Why it would be refused; null: it would not, or its template is still to be named. */
  readonly refusal: string | null;
  readonly answering: { readonly error: Failure | null; readonly isPending: boolean };
  readonly send: () => void;
}

const EMPTY: Draft = { text: '', template: '', language: 'en_US', components: '' };

/** How long the preview waits for more keys, in milliseconds. */
const ASKS_AFTER_MS = 200;

/** The state of an answer to the newest message of a person. */
export function useAnswering(person: Person, newest: NonNullable<Person['lastMessage']>): AnswerState {
  const [draft, setDraft] = useState(EMPTY);
  // A second click is the same request; another text is another one.
  const [reference, setReference] = useState(() => newReference('answer'));
  const answer = useChange(AnswerDocument);
  const [settled] = useDebouncedValue(draft, ASKS_AFTER_MS);
  const preview = useAnswer(
    AnswerPreviewDocument,
    { input: inputOf(settled, newest.id) },
    { enabled: settled.text.trim() !== '' },
  );
  const isWritten = draft.text.trim() !== '';
  const failure = isWritten ? preview.error : null;
  const isOpen = person.windows.some(({ channel, sender }) => channel === newest.channel && sender === newest.to);
  const asksForTemplate = failure?.faults.some(({ field }) => field.startsWith('cloudTemplate')) === true;
  const isClosed = CHANNEL_FACTS[newest.channel].freeTextHours !== null && !isOpen;
  const needsTemplate = isClosed || asksForTemplate || draft.template !== '';
  const change = (parts: Partial<Draft>): void => {
    answer.reset();
    setReference(newReference('answer'));
    setDraft(before => ({ ...before, ...parts }));
  };
  return {
    draft,
    change,
    preview: isWritten && !preview.error ? (preview.data?.preview ?? null) : null,
    needsTemplate,
    takesTemplatesOnly: asksForTemplate && isOpen,
    refusal: failure && !(isClosed && draft.template === '') ? wordOf(failure) : null,
    answering: answer,
    send: () =>
      answer.mutate({ input: { ...inputOf(draft, newest.id), reference } }, { onSuccess: () => change(EMPTY) }),
  };
}

function inputOf({ text, template, language, components: json }: Draft, replyTo: string) {
  const components = readComponents(json);
  const cloudTemplate = { name: template, language, ...(components && { components }) };
  return { replyTo, text, ...(template !== '' && { cloudTemplate }) };
}

/** The inputs by the names that the gateway has for them. */
const INPUTS: Readonly<Record<string, string>> = {
  text: 'the text',
  cloudTemplate: 'a template',
  'cloudTemplate.name': 'the template',
  'cloudTemplate.language': 'the language',
  'cloudTemplate.components': 'the components',
};

function wordOf({ faults, message }: Failure): string {
  if (faults.length === 0) return message;
  return `${faults.map(fault => `${INPUTS[fault.field] ?? fault.field} ${fault.message}`).join('; ')}.`;
}

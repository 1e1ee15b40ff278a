/** The form of an endpoint: its URL, description and events. */
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Failure } from '../../ui/failure.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import { Code } from './code.tsx';
import { EventPicker } from './event-picker.tsx';
import { listenCommand } from './urls.ts';
import styles from './webhooks.module.css';

/** The fields of the form. */
export interface EndpointDraft {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
}

/** The form. `verb` is the word of its button. */
export function EndpointForm({
  first,
  verb,
  save,
  isSaving,
  failure,
  cancel,
}: {
  readonly first: EndpointDraft;
  readonly verb: string;
  readonly save: (draft: { url: string; description: string; events: string[] }) => void;
  readonly isSaving: boolean;
  readonly failure: Failure | null;
  readonly cancel: () => void;
}): ReactNode {
  const [url, setUrl] = useState(first.url);
  const [description, setDescription] = useState(first.description);
  const [events, setEvents] = useState([...first.events]);
  const [isEmpty, setEmpty] = useState(false);
  const faultOf = (field: string) => failure?.faults.find(fault => fault.field === field)?.message ?? null;
  const urlFault = faultOf('url');
  const eventsFault = isEmpty && events.length === 0 ? 'Choose at least one event.' : faultOf('events');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setEmpty(true);
    if (events.length > 0) save({ url: url.trim(), description: description.trim(), events });
  };
  const isTold = ['url', 'events', 'description'].some(field => faultOf(field) !== null);
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextInput
        label="URL"
        description="http or https at a public address, on port 80, 443, 8080 or 8443"
        placeholder="https://example.com/hooks"
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={url}
        onChange={event => setUrl(event.currentTarget.value)}
        error={urlFault && sentenceOf('The URL', urlFault)}
      />
      {urlFault?.includes('webhooks listen') && (
        <div className={styles.wayOut}>
          <Code text={listenCommand(url.trim())} label="Copy the command" />
        </div>
      )}
      <TextInput
        label="Description"
        description="What it is for; optional"
        placeholder="Orders"
        value={description}
        onChange={event => setDescription(event.currentTarget.value)}
        error={sentenceOf('The description', faultOf('description'))}
      />
      <EventPicker chosen={events} choose={setEvents} fault={eventsFault} />
      {failure && !isTold && <FailureNote failure={failure} />}
      <div className={styles.line}>
        <Button type="submit" loading={isSaving}>
          {verb}
        </Button>
        <Button variant="default" disabled={isSaving} onClick={cancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** A fault that goes on from the name of its field, as a sentence. */
function sentenceOf(name: string, fault: string | null): string | null {
  if (fault === null) return null;
  return `${/^[a-z]/.test(fault) ? `${name} ${fault}` : fault}${fault.endsWith('.') ? '' : '.'}`;
}

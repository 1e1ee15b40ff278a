/** The choice of events: a list to search, with a sample of each. */
import { Button, Checkbox, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { WebhookEventKindsDocument, type WebhookEventKindsQuery } from '../../api/operations.generated.ts';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Code, pretty } from './code.tsx';
import styles from './webhooks.module.css';

type Kind = WebhookEventKindsQuery['webhookEventKinds'][number];

/** The list. `fault` is what was wrong with the choice. */
export function EventPicker({
  chosen,
  choose,
  fault,
}: {
  readonly chosen: readonly string[];
  readonly choose: (events: string[]) => void;
  readonly fault: string | null;
}): ReactNode {
  const { data, error } = useAnswer(WebhookEventKindsDocument, {});
  const [search, setSearch] = useState('');
  if (!data) return error ? <FailureNote failure={error} /> : <Loading lines={10} />;
  const kinds = data.webhookEventKinds;
  const words = search.trim().toLowerCase();
  const found = kinds.filter(({ event, meaning }) => `${event} ${meaning}`.toLowerCase().includes(words));
  const set = (event: string, isChosen: boolean): void =>
    choose(kinds.map(kind => kind.event).filter(name => (name === event ? isChosen : chosen.includes(name))));
  const isAll = chosen.length === kinds.length;
  return (
    <fieldset className={styles.picker}>
      <legend>Events</legend>
      <div className={styles.line}>
        <TextInput
          className={styles.grow ?? ''}
          aria-label="Search events"
          placeholder="Search events"
          value={search}
          onChange={event => setSearch(event.currentTarget.value)}
        />
        <Button variant="default" onClick={() => choose(isAll ? [] : kinds.map(({ event }) => event))}>
          {isAll ? 'Choose none' : 'Choose all'}
        </Button>
      </div>
      <ul>
        {found.map(kind => (
          <KindRow key={kind.event} kind={kind} isChosen={chosen.includes(kind.event)} set={set} />
        ))}
      </ul>
      {found.length === 0 && <p className="quiet">No event matches.</p>}
      {fault && (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

function KindRow({
  kind: { event, meaning, sample },
  isChosen,
  set,
}: {
  readonly kind: Kind;
  readonly isChosen: boolean;
  readonly set: (event: string, isChosen: boolean) => void;
}): ReactNode {
  const [isShown, show] = useState(false);
  return (
    <li>
      <div className={styles.kind}>
        <Checkbox
          label={<span className="mono">{event}</span>}
          description={meaning.replaceAll('`', '')}
          checked={isChosen}
          onChange={change => set(event, change.currentTarget.checked)}
        />
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          flex="none"
          aria-expanded={isShown}
          aria-label={`Sample of ${event}`}
          onClick={() => show(!isShown)}
        >
          Sample
        </Button>
      </div>
      {isShown && <Code text={pretty(sample)} label={`Copy the sample of ${event}`} />}
    </li>
  );
}

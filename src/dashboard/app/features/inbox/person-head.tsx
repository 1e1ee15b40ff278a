/** The head of a conversation: who the person is, and what can be done beside answering. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { channelWord } from '../../api/channels.ts';
import { useRights } from '../../frame/session/session.tsx';
import { sendLink } from '../../ui/send-link.ts';
import { Time } from '../../ui/times.tsx';
import { phoneWord } from '../../ui/words.ts';
import { Erase, ExportPerson } from './erase.tsx';
import styles from './inbox.module.css';
import { Suppress, TakeOff } from './suppress.tsx';
import type { Person } from './words.ts';

/** The head, behind the name. */
export function PersonHead({ person }: { readonly person: Person }): ReactNode {
  const { name, to, addresses, suppression } = person;
  const { may } = useRights();
  // The question stays the one that was opened, though its answer turns what the button offers.
  const [Question, ask] = useState<typeof Suppress | null>(null);
  const number = addresses.find(({ kind }) => kind === 'NUMBER')?.value ?? (/^\d+$/.test(to) ? to : null);
  // A name says not yet who it is, and a person may have several numbers and ids.
  const isTold = name !== null || addresses.length > 1 || addresses.some(({ kind }) => kind === 'USER_ID');
  return (
    <>
      {number !== null && may('SEND') && <Link to={sendLink({ to: `+${number}` })}>Send a message</Link>}
      <Link to={`/logs?${new URLSearchParams({ recipient: number ?? to })}`}>Show the log</Link>
      {may('SUPPRESS') && (
        <Button variant="default" size="compact-sm" onClick={() => ask(() => (suppression ? TakeOff : Suppress))}>
          {suppression ? 'Take off the list …' : 'Suppress …'}
        </Button>
      )}
      {number !== null && may('ERASE') && <ExportPerson number={number} />}
      {number !== null && may('ERASE') && (
        <Button variant="default" size="compact-sm" onClick={() => ask(() => Erase)}>
          Erase …
        </Button>
      )}
      {isTold && (
        <p className={styles.known}>
          {addresses.map(({ value, kind, channel }) => (
            <span key={value} className="numbers">
              {kind === 'NUMBER' ? phoneWord(value) : <code>{value}</code>}
              {kind === 'USER_ID' && channel && ` ${channelWord(channel)}`}
            </span>
          ))}
        </p>
      )}
      {suppression && (
        <p className={styles.suppressed}>
          Gets no messages:{' '}
          {suppression.origin === 'RECIPIENT' ? 'the person asked for it' : 'the account suppressed the person'}
          {suppression.reason && ` (${suppression.reason})`}, <Time at={suppression.createdAt} />.
        </p>
      )}
      {Question && <Question person={person} close={() => ask(null)} />}
    </>
  );
}

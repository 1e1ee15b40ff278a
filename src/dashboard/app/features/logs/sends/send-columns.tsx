/** The columns of the list of messages and passcodes. */
import type { SendRowFragment } from '../../../api/operations.generated.ts';
import { Status } from '../../../ui/status.tsx';
import { counted, phoneWord } from '../../../ui/words.ts';
import { type LogColumn, Moment } from '../log-list.tsx';
import styles from '../logs.module.css';
import { partiesOf } from '../parties.ts';
import { factsOf, outcomeWord, type SendFacts } from './send-words.ts';

/** A send with its facts. */
export type ShownSend = Pick<SendRowFragment, 'id' | 'messageId' | 'pinId' | 'status' | 'entries'> & SendFacts;

/** A send as the list shows it. */
export function shownSend(send: SendRowFragment): ShownSend {
  return { ...send, ...factsOf(send) };
}

/** The columns. */
export const SEND_COLUMNS: readonly LogColumn<ShownSend>[] = [
  { name: 'when', head: 'Time', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: 'outcome', head: 'Outcome', cell: send => <Status status={send.status} word={outcomeWord(send)} /> },
  { name: 'channel', head: 'What', cell: ({ kind }) => kind },
  { name: 'recipient', head: 'To', cell: send => phoneWord(partiesOf(send, send.kind === 'incoming').to ?? '') },
  { name: 'sender', head: 'From', cell: send => phoneWord(partiesOf(send, send.kind === 'incoming').from ?? '') },
  { name: 'course', head: 'How it went', cell: ({ course }) => course },
  { name: 'reference', head: 'Reference', cell: ({ reference }) => reference },
  {
    name: 'result',
    head: 'Error',
    cell: ({ errorCode, errorMessage }) =>
      errorCode && (
        <span className={styles.error} title={errorMessage ?? ''}>
          {errorCode}
        </span>
      ),
  },
  { name: 'credits', head: 'Cost', cell: ({ credits }) => credits > 0 && counted(credits, 'cr', 'cr') },
];

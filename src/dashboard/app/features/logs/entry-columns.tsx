/** The columns of the list of attempts and of outcomes of passcodes. */
import { channelWord } from '../../api/channels.ts';
import type { LogRowFragment } from '../../api/operations.generated.ts';
import { Status } from '../../ui/status.tsx';
import { duration } from '../../ui/times.tsx';
import { counted, phoneWord, plainWord } from '../../ui/words.ts';
import { type LogColumn, Moment } from './log-list.tsx';
import styles from './logs.module.css';
import { partiesOf } from './parties.ts';

function isAttempt({ type }: LogRowFragment): boolean {
  return type === 'MESSAGE_ATTEMPT' || type === 'OTP_ATTEMPT';
}

/** A flagged passcode was sent all the same. */
function isFlagged({ type }: LogRowFragment): boolean {
  return type === 'OTP_FLAGGED';
}

/** The columns. */
export const ENTRY_COLUMNS: readonly LogColumn<LogRowFragment>[] = [
  { name: 'when', head: 'Time', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    name: 'outcome',
    head: 'Outcome',
    cell: row => (
      <Status
        status={isFlagged(row) ? 'FLAGGED' : row.status}
        {...(!isAttempt(row) && { word: plainWord(row.type) })}
      />
    ),
  },
  { name: 'channel', head: 'Channel', cell: ({ channel }) => (channel ? channelWord(channel) : 'OTP') },
  { name: 'recipient', head: 'To', cell: row => phoneWord(partiesOf(row, row.type === 'INBOUND').to ?? '') },
  { name: 'sender', head: 'From', cell: row => phoneWord(partiesOf(row, row.type === 'INBOUND').from ?? '') },
  {
    name: 'via',
    head: 'Provider/connection',
    cell: ({ provider, connection }) => [provider, connection?.name].filter(Boolean).join('/'),
  },
  { name: 'reference', head: 'Reference', cell: ({ reference }) => reference },
  {
    name: 'result',
    head: 'Error or duration',
    cell: row =>
      row.errorCode ? (
        <span className={isFlagged(row) ? styles.warning : styles.error} title={row.errorMessage ?? ''}>
          {row.errorCode}
        </span>
      ) : (
        row.latencyMs !== null && isAttempt(row) && duration(row.latencyMs)
      ),
  },
  { name: 'credits', head: 'Cost', cell: ({ credits }) => credits > 0 && counted(credits, 'cr', 'cr') },
];

/** The errors of attempts: code and meaning, channel and country, and whether they grow. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { channelWord } from '../../api/channels.ts';
import { attemptsLink } from '../../ui/log-link.ts';
import { Table } from '../../ui/table.tsx';
import { sentence, shownNumber } from '../../ui/words.ts';
import { CountChange } from './change.tsx';
import type { OverviewData } from './figures.tsx';

type Failure = OverviewData['failures'][number];

/** The table. A count is of attempts with that code, whatever became of them: a send of which nobody knows has one, too. */
export function Failures({
  overview: { failures, previousFrom, from, to },
  before,
}: {
  readonly overview: OverviewData;
  /** The name of the time before: `yesterday`. */
  readonly before: string;
}): ReactNode {
  if (failures.length === 0) return <p className="quiet">Nothing failed in this time.</p>;
  // As long as the time that is counted, and no longer: the rest of its last bucket is not compared.
  const previousTo = new Date(Date.parse(previousFrom) + Date.parse(to) - Date.parse(from)).toISOString();
  const linkOf = ({ channel, errorCode, provider, country }: Failure, from: string, to: string): string => {
    const filter = { channel, errorCode, provider: provider ?? 'none', country: country ?? 'none' };
    return attemptsLink({ from, to, type: 'ATTEMPT', ...filter });
  };
  return (
    <Table
      label="What fails"
      rows={failures}
      keyOf={({ errorCode, channel, provider, country }) => [errorCode, channel, provider, country].join(' ')}
      columns={[
        {
          head: 'Error',
          cell: ({ errorCode, meaning }) => (
            <span>
              {meaning}{' '}
              <Link to={`/errors#${errorCode}`}>
                <code>{errorCode}</code>
              </Link>
            </span>
          ),
          isMain: true,
        },
        {
          head: 'Over',
          cell: ({ channel, provider }) => [channelWord(channel), provider].filter(Boolean).join(' via '),
        },
        { head: 'To', cell: ({ country }) => country ?? '–' },
        {
          head: 'Count',
          cell: failure => <Link to={linkOf(failure, from, to)}>{shownNumber(failure.attempts)}</Link>,
          isNumber: true,
        },
        {
          head: sentence(before),
          cell: failure => (
            <span>
              {failure.previousAttempts === 0 ? (
                '0'
              ) : (
                <Link to={linkOf(failure, previousFrom, previousTo)}>{shownNumber(failure.previousAttempts)}</Link>
              )}{' '}
              <CountChange now={failure.attempts} before={failure.previousAttempts} better="less" />
            </span>
          ),
          isNumber: true,
        },
      ]}
    />
  );
}

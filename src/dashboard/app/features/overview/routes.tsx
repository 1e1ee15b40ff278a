/** How much arrives and how fast providers answer, by connection and country. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { channelWord } from '../../api/channels.ts';
import { attemptsLink } from '../../ui/log-link.ts';
import { Table } from '../../ui/table.tsx';
import { duration } from '../../ui/times.tsx';
import { percent, shownNumber } from '../../ui/words.ts';
import type { OverviewData } from './figures.tsx';

/** The most attempts that the table is made of, as the schema says. */
const NEWEST = 20_000;

type Route = OverviewData['routes'][number];

/** The table. */
export function Routes({ overview: { routes, totals, from, to } }: { readonly overview: OverviewData }): ReactNode {
  if (routes.length === 0) return <p className="quiet">No provider was asked in this time.</p>;
  // Of more the gateway counts the newest only, and the log would have others as well.
  const isCut = totals.attempts > NEWEST;
  const cell = (row: Route, count: number, shown: string, status?: string): ReactNode => {
    const { connectionId, provider, channel, country } = row;
    const by = connectionId ? { connection: connectionId } : { provider };
    const filter = { from, to, type: 'ATTEMPT', ...by, channel, country: country ?? 'none', ...(status && { status }) };
    return isCut || count === 0 ? shown : <Link to={attemptsLink(filter)}>{shown}</Link>;
  };
  return (
    <>
      <Table
        label="Delivery by connection and country"
        rows={routes}
        keyOf={({ connectionId, channel, provider, country }) => [connectionId, channel, provider, country].join(' ')}
        columns={[
          {
            head: 'Connection',
            cell: ({ connectionName, channel, provider }) => (
              <span>
                {connectionName ?? provider} <span className="quiet">{channelWord(channel)}</span>
              </span>
            ),
            isMain: true,
          },
          { head: 'To', cell: ({ country }) => country ?? '–' },
          { head: 'Attempts', cell: row => cell(row, row.attempts, shownNumber(row.attempts)), isNumber: true },
          {
            head: 'Delivered',
            cell: row => cell(row, row.delivered, percent(row.delivered, row.attempts), 'DELIVERED,READ'),
            isNumber: true,
          },
          {
            head: 'Failed',
            cell: row => cell(row, row.failed, percent(row.failed, row.attempts), 'FAILED,EXPIRED'),
            isNumber: true,
          },
          { head: 'p95', cell: ({ p95Ms }) => (p95Ms === null ? '–' : duration(p95Ms)), isNumber: true },
        ]}
      />
      {isCut && <p className="quiet">Of the newest {shownNumber(NEWEST)} attempts of this time.</p>}
    </>
  );
}

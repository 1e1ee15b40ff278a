/** How much arrives and how fast providers answer, by connection and country. */
import type { ReactNode } from 'react';
import { channelWord } from '../../api/channels.ts';
import { Table } from '../../ui/table.tsx';
import { duration } from '../../ui/times.tsx';
import { percent, shownNumber } from '../../ui/words.ts';
import type { OverviewData } from './figures.tsx';

/** The most attempts that the table is made of, as the schema says. */
const NEWEST = 20_000;

/** The table. */
export function Routes({ routes }: { readonly routes: OverviewData['routes'] }): ReactNode {
  if (routes.length === 0) return <p className="quiet">No provider was asked in this time.</p>;
  const looked = routes.reduce((total, { attempts }) => total + attempts, 0);
  return (
    <>
      <Table
        label="Delivery by connection and country"
        rows={routes}
        keyOf={({ connectionName, channel, provider, country }) =>
          [connectionName, channel, provider, country].join(' ')
        }
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
          { head: 'Attempts', cell: ({ attempts }) => shownNumber(attempts), isNumber: true },
          { head: 'Delivered', cell: ({ delivered, attempts }) => percent(delivered, attempts), isNumber: true },
          { head: 'Failed', cell: ({ failed, attempts }) => percent(failed, attempts), isNumber: true },
          { head: 'p95', cell: ({ p95Ms }) => (p95Ms === null ? '–' : duration(p95Ms)), isNumber: true },
        ]}
      />
      {looked >= NEWEST && <p className="quiet">Of the newest {shownNumber(NEWEST)} attempts of this time.</p>}
    </>
  );
}

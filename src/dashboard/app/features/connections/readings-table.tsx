/** How a connection does lately, by country: the last hour beside the day. */
import type { ReactNode } from 'react';
import type { ConnectionFragment } from '../../api/operations.generated.ts';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { duration } from '../../ui/times.tsx';
import { percent, shownNumber } from '../../ui/words.ts';

type Reading = ConnectionFragment['readings'][number];

/** The reasons for which a connection is sick; empty: it is well. */
export function sicknessOf({ readings }: ConnectionFragment): string[] {
  return readings.flatMap(({ reason }) => reason ?? []);
}

/** The table; nothing where nothing was counted. */
export function ReadingsTable({ connection }: { readonly connection: ConnectionFragment }): ReactNode {
  const { readings, name } = connection;
  if (readings.length === 0) return null;
  return (
    <Table
      label={`The last hour of ${name} beside its day`}
      rows={readings}
      keyOf={({ country }) => country ?? ''}
      columns={[
        { head: 'Country', cell: ({ country }) => country ?? 'all', isMain: true },
        {
          head: 'Standing',
          cell: ({ reason }) => (
            <Status status={reason === null ? 'UP' : 'SICK'} word={reason === null ? 'well' : 'sick'} />
          ),
        },
        { head: 'In the hour', cell: ({ hour }) => shownNumber(hour.attempts), isNumber: true },
        { head: 'Taken', cell: row => <Beside row={row} part="taken" whole="attempts" />, isNumber: true },
        { head: 'Delivered', cell: row => <Beside row={row} part="delivered" whole="due" />, isNumber: true },
        { head: 'Answer', cell: ({ hour }) => timeOf(hour.ackMs), isNumber: true },
        { head: 'Receipt', cell: ({ hour }) => timeOf(hour.receiptMs), isNumber: true },
      ]}
    />
  );
}

type Count = 'attempts' | 'taken' | 'due' | 'delivered';

/** A part of the last hour, with that of the day behind it. */
function Beside({
  row,
  part,
  whole,
}: {
  readonly row: Reading;
  readonly part: Count;
  readonly whole: Count;
}): ReactNode {
  return (
    <span>
      {percent(row.hour[part], row.hour[whole])}{' '}
      <span className="quiet">{percent(row.day[part], row.day[whole])} in the day</span>
    </span>
  );
}

function timeOf(milliseconds: number | null): string {
  return milliseconds === null ? '–' : duration(milliseconds);
}

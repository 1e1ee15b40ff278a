/** What went by a connection within a day, by country. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Table } from '../../ui/table.tsx';
import { duration } from '../../ui/times.tsx';
import { shownNumber } from '../../ui/words.ts';
import type { Connection } from './connections.tsx';

/** The table. */
export function FiguresTable({
  figures,
  name,
}: {
  readonly figures: Connection['health']['figures'];
  readonly name: string;
}): ReactNode {
  if (figures.length === 0)
    return (
      <p className="quiet">
        Nothing went by it within the last 24 hours. <Link to="/logs">Open the log</Link>
      </p>
    );
  return (
    <Table
      label={`The last 24 hours of ${name} by country`}
      rows={figures}
      keyOf={({ country }) => country ?? ''}
      columns={[
        { head: 'Country', cell: ({ country }) => country ?? 'unknown', isMain: true },
        { head: 'Attempts', cell: ({ attempts }) => shownNumber(attempts), isNumber: true },
        {
          head: 'Accepted',
          cell: ({ accepted, attempts }) => <Part part={accepted} whole={attempts} />,
          isNumber: true,
        },
        {
          head: 'Delivered',
          cell: ({ delivered, attempts }) => <Part part={delivered} whole={attempts} />,
          isNumber: true,
        },
        { head: 'Failed', cell: ({ failed, attempts }) => <Part part={failed} whole={attempts} />, isNumber: true },
        { head: 'Median', cell: ({ medianMs }) => (medianMs === null ? '–' : duration(medianMs)), isNumber: true },
        { head: '95 % within', cell: ({ p95Ms }) => (p95Ms === null ? '–' : duration(p95Ms)), isNumber: true },
      ]}
    />
  );
}

function Part({ part, whole }: { readonly part: number; readonly whole: number }): ReactNode {
  return (
    <span>
      {shownNumber(part)} <span className="quiet">{((100 * part) / whole).toFixed(0)} %</span>
    </span>
  );
}

/** The attempts over a connection within a day, by country. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ConnectionFragment } from '../../api/operations.generated.ts';
import { attemptsLink } from '../../ui/log-link.ts';
import { Table } from '../../ui/table.tsx';
import { duration } from '../../ui/times.tsx';
import { percent, shownNumber } from '../../ui/words.ts';

/** The table. */
export function FiguresTable({ connection }: { readonly connection: ConnectionFragment }): ReactNode {
  const { connectionId, name, health } = connection;
  const { figures } = health;
  const log = <Link to={attemptsLink({ connection: connectionId, span: '24h' })}>Open the log</Link>;
  if (figures.length === 0) return <p className="quiet">Nothing was sent through it in the last 24 hours. {log}</p>;
  // Of more the gateway counts the newest only, and the log would have others as well.
  const isWhole = figures.reduce((sum, { attempts }) => sum + attempts, 0) < COUNTED_MAX;
  const cell = (row: Figures, count: number, status?: string): ReactNode => {
    const by = { connection: connectionId, country: row.country ?? 'none' };
    // Answers of people are in the log of the connection as well, and are no attempts.
    const filter = { ...by, type: 'ATTEMPT', span: '24h', ...(status && { status }) };
    const shown = status ? <Part part={count} whole={row.attempts} /> : shownNumber(count);
    return isWhole && count > 0 ? <Link to={attemptsLink(filter)}>{shown}</Link> : shown;
  };
  return (
    <>
      <p className="quiet">{log}</p>
      <FiguresOf {...{ figures, name, cell }} />
    </>
  );
}

/** How many attempts the gateway counts at most. */
const COUNTED_MAX = 20_000;

type Figures = ConnectionFragment['health']['figures'][number];

function FiguresOf({
  figures,
  name,
  cell,
}: {
  readonly figures: readonly Figures[];
  readonly name: string;
  readonly cell: (row: Figures, count: number, status?: string) => ReactNode;
}): ReactNode {
  return (
    <Table
      label={`The last 24 hours of ${name} by country`}
      rows={figures}
      keyOf={({ country }) => country ?? ''}
      columns={[
        { head: 'Country', cell: ({ country }) => country ?? 'unknown', isMain: true },
        { head: 'Attempts', cell: row => cell(row, row.attempts), isNumber: true },
        { head: 'Accepted', cell: row => cell(row, row.accepted, 'SENT,DELIVERED,READ'), isNumber: true },
        { head: 'Delivered', cell: row => cell(row, row.delivered, 'DELIVERED,READ'), isNumber: true },
        { head: 'Failed', cell: row => cell(row, row.failed, 'FAILED,EXPIRED'), isNumber: true },
        { head: 'Median', cell: ({ medianMs }) => (medianMs === null ? '–' : duration(medianMs)), isNumber: true },
        { head: '95 % within', cell: ({ p95Ms }) => (p95Ms === null ? '–' : duration(p95Ms)), isNumber: true },
      ]}
    />
  );
}

function Part({ part, whole }: { readonly part: number; readonly whole: number }): ReactNode {
  return (
    <span>
      {shownNumber(part)} <span className="quiet">{percent(part, whole)}</span>
    </span>
  );
}

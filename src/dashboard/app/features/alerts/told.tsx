/** The alerts that were sent, and how each went out. */
import type { ReactNode } from 'react';
import { AlertsDocument, type AlertsQuery } from '../../api/operations.generated.ts';
import { usePages } from '../../api/pages.ts';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { More } from '../../ui/lists/more.tsx';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';

type Alert = AlertsQuery['alerts']['nodes'][number];

/** A rule is looked at a moment after it was made, and what it tells is sent a moment later. */
export const LOOK_MS = 5_000;

/** The list, newest first. */
export function Told(): ReactNode {
  const list = usePages(AlertsDocument, { first: 50 }, ({ alerts }) => alerts, LOOK_MS);
  return (
    <Section title="What was told">
      {list.failure && <FailureNote failure={list.failure} retry={list.retry} />}
      {!list.rows && !list.failure && <Loading />}
      {list.rows?.length === 0 && (
        <Empty title="Nothing was told yet">
          <p>Rules are looked at each minute. What they tell shows here for 90 days.</p>
        </Empty>
      )}
      {list.rows && list.rows.length > 0 && (
        <Table label="What was told" rows={list.rows} keyOf={({ id }) => id} columns={COLUMNS} />
      )}
      <More of={list} />
    </Section>
  );
}

const COLUMNS: readonly Column<Alert>[] = [
  { head: 'What', cell: ({ text }) => text, isMain: true },
  {
    head: 'State',
    cell: ({ raised }) => <Status status={raised ? 'FAILED' : 'UP'} word={raised ? 'alert' : 'well again'} />,
  },
  { head: 'Told', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { head: 'Since', cell: ({ since }) => <Time at={since} /> },
  { head: 'Went out', cell: ({ sends }) => <Sends sends={sends} /> },
];

function Sends({ sends }: { readonly sends: Alert['sends'] }): ReactNode {
  if (sends.length === 0) return <span className="quiet">webhook events only</span>;
  return (
    <>
      {sends.map(({ target, status, error }) => (
        <div key={target}>
          <span style={{ overflowWrap: 'anywhere' }}>{target}</span> <Status status={status} />
          {error && <div className="quiet">{error}</div>}
        </div>
      ))}
    </>
  );
}

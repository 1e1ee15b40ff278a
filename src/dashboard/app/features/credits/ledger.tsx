/** Every change of the balance, newest first. */
import { Select } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { LedgerDocument, type LedgerKind, type LedgerQuery } from '../../api/operations.generated.ts';
import { usePages } from '../../api/pages.ts';
import { ShownId } from '../../ui/copy/copy.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import filters from '../../ui/lists/filters.module.css';
import { More } from '../../ui/lists/more.tsx';
import { SpanSelect, useSpanStart } from '../../ui/lists/spans.tsx';
import { WordFilter } from '../../ui/lists/word-filter.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Signed } from './signed.tsx';

type Entry = LedgerQuery['ledger']['nodes'][number];

const KINDS: Readonly<Record<LedgerKind, string>> = {
  ADJUSTMENT: 'Adjustment',
  CAPTURE: 'Paid',
  CHARGE: 'Paid after a receipt',
  HOLD: 'Held',
  RELEASE: 'Given back',
};

/** The list with its filters, which stand in the URL. */
export function Ledger(): ReactNode {
  const [params, change] = useUrlState();
  const given = params.get('kind');
  const kind = given !== null && given in KINDS ? (given as LedgerKind) : null;
  const [span, attemptId] = [params.get('span'), params.get('attempt')];
  const from = useSpanStart(span);
  const filter = useMemo(
    () => ({ ...(kind && { kind }), ...(attemptId && { attemptId }), ...(from && { from }) }),
    [kind, attemptId, from],
  );
  const list = usePages(LedgerDocument, { first: 50, filter }, ({ ledger }) => ledger);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <div className={filters.bar}>
        <Select
          aria-label="Kind"
          placeholder="Any kind"
          w={180}
          clearable
          clearButtonProps={{ 'aria-label': 'Any kind' }}
          data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          value={kind}
          onChange={value => change({ kind: value })}
        />
        <SpanSelect span={span} onChange={value => change({ span: value })} />
        <WordFilter
          label="Attempt"
          placeholder="Attempt, att_…"
          value={attemptId}
          isId
          change={attempt => change({ attempt })}
        />
      </div>
      {list.failure && <FailureNote failure={list.failure} retry={list.retry} />}
      {!list.rows && !list.failure && <Loading />}
      {list.rows?.length === 0 && !list.hasMore && (
        <Empty title={isFiltered ? 'Nothing passes the filter' : 'Nothing was booked yet'}>
          <p>{isFiltered ? 'Take a filter away to see more.' : 'The first SMS that is accepted shows here.'}</p>
        </Empty>
      )}
      {list.rows && list.rows.length > 0 && (
        <Table label="Ledger" rows={list.rows} keyOf={({ id }) => id} columns={COLUMNS} />
      )}
      <More of={list} />
    </>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { head: 'What', cell: ({ kind }) => KINDS[kind], isMain: true },
  { head: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    head: 'For',
    cell: ({ attemptId, send, reason, reference }) =>
      attemptId ? <Paid attemptId={attemptId} send={send} /> : [reason, reference].filter(Boolean).join(' · '),
  },
  { head: 'Held', cell: ({ held }) => held !== 0 && <Signed value={held} />, isNumber: true },
  { head: 'Credits', cell: ({ credits }) => <Signed value={credits} />, isNumber: true },
  {
    head: 'Balance after it',
    cell: ({ balance }) => (balance === null ? '–' : <Signed value={balance} isPlain />),
    isNumber: true,
  },
];

/** The attempt that was paid for, and the way to the story of its send. */
function Paid({ attemptId, send }: { readonly attemptId: string; readonly send: Entry['send'] }): ReactNode {
  const id = send?.messageId ?? send?.pinId;
  return (
    <span>
      {id && <Link to={`/logs?${new URLSearchParams({ open: id })}`}>{send?.messageId ? 'Message' : 'Passcode'}</Link>}{' '}
      <ShownId id={attemptId} label="Copy the attempt" />
    </span>
  );
}

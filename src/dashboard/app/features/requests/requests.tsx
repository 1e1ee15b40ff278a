/** The request log: what was refused, and why. */
import { Button } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import {
  RequestLogDocument,
  RequestLogKeepsDocument,
  type RequestRowFragment,
} from '../../api/operations.generated.ts';
import { usePages } from '../../api/pages.ts';
import { useAskedAccount } from '../../frame/session/whose.ts';
import { ShownId } from '../../ui/copy/copy.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { More } from '../../ui/lists/more.tsx';
import { useSpanStart } from '../../ui/lists/spans.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { duration, Time } from '../../ui/times.tsx';
import { counted, plainWord } from '../../ui/words.ts';
import { FilterBar } from './filter-bar.tsx';
import { requestFilterOf, useRequestFilter } from './filter-state.ts';
import { KeepsAccepted } from './keeps-accepted.tsx';
import { Outcome } from './outcome.tsx';

const RequestDrawer = lazy(async () => ({ default: (await import('./request-drawer.tsx')).RequestDrawer }));

/** How often the newest requests are asked for, in milliseconds: the gateway stores them within a second. */
const LOOK_MS = 5_000;

/** The page. Its filter stands in the URL. */
export function Requests(): ReactNode {
  const [state, change] = useRequestFilter();
  const from = useSpanStart(state.span);
  const words = JSON.stringify({ ...state, open: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is open narrows nothing
  const filter = useMemo(() => requestFilterOf(state, from), [words, from]);
  const account = useAskedAccount();
  // Those of strangers belong to no account.
  const asked = { ...(!state.strangers && account), first: 50, filter };
  const list = usePages(RequestLogDocument, asked, answer => answer.requests, LOOK_MS);
  const keptDays = useAnswer(RequestLogKeepsDocument, {}).data?.account.requestLogDays;
  const isFiltered = Object.keys(filter).length > 0;
  const opened = useOpened(list.rows, state.open);
  return (
    <Page
      title="Requests"
      about={
        <>
          What the API refused, and why: each answer names its <code>X-Request-Id</code>. What was sent is in the{' '}
          <Link to="/logs">log</Link>.
        </>
      }
      actions={<KeepsAccepted />}
    >
      <FilterBar state={state} keptDays={keptDays} change={change} />
      {list.failure && <FailureNote failure={list.failure} retry={list.retry} />}
      {!list.rows && !list.failure && <Loading />}
      {state.open !== null && list.rows && !opened && (
        <p className="quiet" role="status">
          The request of this link is not among those below. Show older ones, or look for it by its{' '}
          <code>X-Request-Id</code>.
        </p>
      )}
      {list.rows?.length === 0 && isFiltered && (
        <Empty title="No request passes the filter">
          <p>
            Requests are kept for {keptDays === undefined ? 'some days' : counted(keptDays, 'day')}. An accepted one is
            here only where the account has them kept.
          </p>
          <Button component={Link} to="/requests" variant="default">
            Remove the filter
          </Button>
        </Empty>
      )}
      {list.rows?.length === 0 && !isFiltered && (
        <Empty title="Nothing was refused">
          <p>A request that is refused shows here within seconds, with its code and the field at fault.</p>
        </Empty>
      )}
      {list.rows && list.rows.length > 0 && (
        <Table
          label="Requests"
          rows={list.rows}
          keyOf={({ id }) => id}
          columns={COLUMNS}
          open={({ id }) => change({ open: id })}
        />
      )}
      <More of={list} />
      {opened && (
        <Suspense>
          <RequestDrawer request={opened} close={() => change({ open: null })} />
        </Suspense>
      )}
    </Page>
  );
}

/** The request that is open. The row stays while somebody reads it, also when newer ones push it off the list. */
function useOpened(
  rows: readonly RequestRowFragment[] | undefined,
  open: string | null,
): RequestRowFragment | undefined {
  const listed = rows?.find(({ id }) => id === open);
  const [kept, keep] = useState(listed);
  if (listed && listed !== kept) keep(listed);
  return kept?.id === open ? kept : undefined;
}

const COLUMNS: readonly Column<RequestRowFragment>[] = [
  {
    head: 'Asked for',
    isMain: true,
    cell: ({ method, path, operation }) => <code>{operation ?? `${method} ${path}`}</code>,
  },
  { head: 'Answer', cell: request => <Outcome request={request} /> },
  {
    head: 'Why',
    cell: ({ code, meaning, field }) =>
      code && (
        <>
          {meaning && <div>{meaning}</div>}
          <span className="quiet">
            <code>{code}</code>
            {field && (
              <>
                {' '}
                on <code>{field}</code>
              </>
            )}
          </span>
        </>
      ),
  },
  { head: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    head: 'Asked by',
    cell: ({ tokenId, actor }) => (tokenId ? <ShownId id={tokenId} label="Copy the token id" /> : plainWord(actor)),
  },
  { head: 'From', cell: ({ clientAddress }) => clientAddress && <span className="numbers">{clientAddress}</span> },
  { head: 'Took', isNumber: true, cell: ({ durationMs }) => duration(durationMs) },
  {
    head: 'Left out',
    isNumber: true,
    cell: ({ leftOut }) => leftOut > 0 && <span title="Too many to be kept, in the minute after it">+{leftOut}</span>,
  },
  { head: 'Request id', cell: ({ requestId }) => <ShownId id={requestId} label="Copy the request id" /> },
];

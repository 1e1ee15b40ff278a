/** The audit trail: who changed what, and when. */
import { Select } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { AuditActionsDocument, AuditTrailDocument, type AuditTrailQuery } from '../../api/operations.generated.ts';
import { usePages } from '../../api/pages.ts';
import { useAskedAccount } from '../../frame/session/whose.ts';
import { ShownId } from '../../ui/copy/copy.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import filters from '../../ui/lists/filters.module.css';
import { More } from '../../ui/lists/more.tsx';
import { SpanSelect, useSpanStart } from '../../ui/lists/spans.tsx';
import { WordFilter } from '../../ui/lists/word-filter.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { plainWord } from '../../ui/words.ts';
import { actionWord, detailsWord } from './details.ts';

type Entry = AuditTrailQuery['auditEntries']['nodes'][number];

/** The page. Its filter stands in the URL. */
export function Audit(): ReactNode {
  const [params, change] = useUrlState();
  const [action, subject, span] = [params.get('action'), params.get('subject'), params.get('span')];
  const from = useSpanStart(span);
  const actions = useAnswer(AuditActionsDocument, {}).data?.auditActions ?? [];
  const filter = useMemo(
    () => ({ ...(action && { action }), ...(subject && { subject }), ...(from && { from }) }),
    [action, subject, from],
  );
  const list = usePages(AuditTrailDocument, { ...useAskedAccount(), first: 50, filter }, answer => answer.auditEntries);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page title="Audit trail" about="Who changed what of this account. Entries are never changed.">
      <div className={filters.bar}>
        <Select
          aria-label="Action"
          placeholder="Any action"
          w={220}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Any action' }}
          data={actions.map(value => ({ value, label: actionWord(value) }))}
          value={action}
          onChange={value => change({ action: value })}
        />
        <SpanSelect span={span} onChange={value => change({ span: value })} />
        <WordFilter
          label="Subject"
          placeholder="Id of what was changed, tok_…"
          value={subject}
          isId
          change={word => change({ subject: word })}
        />
      </div>
      {list.failure && <FailureNote failure={list.failure} retry={list.retry} />}
      {!list.rows && !list.failure && <Loading />}
      {list.rows?.length === 0 && (
        <Empty title={isFiltered ? 'Nothing passes the filter' : 'Nothing was changed yet'}>
          <p>{isFiltered ? 'Take a filter away to see more.' : 'The first token that is created shows here.'}</p>
        </Empty>
      )}
      {list.rows && list.rows.length > 0 && (
        <Table label="Audit trail" rows={list.rows} keyOf={({ id }) => id} columns={COLUMNS} />
      )}
      <More of={list} />
    </Page>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  {
    head: 'What',
    cell: ({ action }) => <span style={{ whiteSpace: 'nowrap' }}>{actionWord(action)}</span>,
    isMain: true,
  },
  { head: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    head: 'Who',
    cell: ({ actor, userEmail, tokenId, clientAddress }) => (
      <span {...(clientAddress && { title: `From ${clientAddress}` })}>
        {userEmail ? (
          <span style={{ overflowWrap: 'anywhere' }}>{userEmail}</span>
        ) : tokenId ? (
          <ShownId id={tokenId} label="Copy the token id" />
        ) : (
          plainWord(actor)
        )}
      </span>
    ),
  },
  { head: 'Subject', cell: ({ subject }) => subject && <ShownId id={subject} /> },
  { head: 'Details', cell: ({ details }) => detailsWord(details) },
];

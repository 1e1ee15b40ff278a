/** The templates of cloud chats, as their providers told them last. */
import { Button, Select } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import {
  TemplateConnectionsDocument,
  type TemplateFragment,
  TemplatesDocument,
} from '../../api/operations.generated.ts';
import { usePages } from '../../api/pages.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { TemplateStatus } from '../../frame/template/template-status.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import filters from '../../ui/lists/filters.module.css';
import { More } from '../../ui/lists/more.tsx';
import { WordFilter } from '../../ui/lists/word-filter.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';
import { type ChangeUrl, useUrlState } from '../../ui/url-state.ts';
import { plainWord } from '../../ui/words.ts';
import { OtpTemplateForm } from './otp-template-form.tsx';
import { SyncButton } from './sync-button.tsx';

/** The words of providers that a filter offers. */
const STATUSES = ['APPROVED', 'PENDING', 'PAUSED', 'REJECTED', 'DISABLED'];

/** The page. Its filter stands in the URL. */
export function Templates(): ReactNode {
  const [params, change] = useUrlState();
  const { isOperator } = useRights();
  const [status, name] = [params.get('status'), params.get('name')];
  const filter = useMemo(() => ({ ...(status && { status }), ...(name && { name }) }), [status, name]);
  const list = usePages(TemplatesDocument, { first: 50, filter }, answer => answer.cloudTemplates);
  const connections = useAnswer(TemplateConnectionsDocument, {}).data?.templateConnections;
  const isFiltered = status !== null || name !== null;
  const isOffered = isOperator && connections !== undefined && connections.length > 0;
  return (
    <Page
      title="Templates"
      about="What your cloud chat may send to people who have not written within a day. Their provider is asked each hour."
      actions={
        isOffered && (
          <>
            <SyncButton connections={connections} />
            <Button leftSection={<Icon name="plus" size={14} />} onClick={() => change({ new: '1' })}>
              Create passcode template
            </Button>
          </>
        )
      }
    >
      {!isOperator && params.has('new') && <NotAllowed what="create templates" needs="operator" />}
      <Filters status={status} name={name} change={change} />
      {list.failure && <FailureNote failure={list.failure} retry={list.retry} />}
      {!list.rows && !list.failure && <Loading />}
      {list.rows?.length === 0 && isFiltered && (
        <Empty title="No template passes the filter">
          <Button component={Link} to="/templates" variant="default">
            Remove the filter
          </Button>
        </Empty>
      )}
      {list.rows?.length === 0 && !isFiltered && connections && <Nothing isRead={connections.length > 0} />}
      {list.rows && list.rows.length > 0 && (
        <Table
          label="Templates"
          rows={list.rows}
          keyOf={({ id }) => id}
          columns={(connections?.length ?? 0) > 1 ? [...COLUMNS, CONNECTION] : COLUMNS}
        />
      )}
      <More of={list} />
      {isOffered && params.get('new') === '1' && (
        <OtpTemplateForm connections={connections} close={() => change({ new: null })} />
      )}
    </Page>
  );
}

function Nothing({ isRead }: { readonly isRead: boolean }): ReactNode {
  return isRead ? (
    <Empty title="No template yet">
      <p>Templates are written and approved in the WhatsApp Manager of Meta. They show here within an hour.</p>
    </Empty>
  ) : (
    <Empty title="No connection has templates">
      <p>
        A connection of WhatsApp Cloud has them, where its config says the <em>business account ID</em>.
      </p>
      <Link to="/connections">Connections</Link>
    </Empty>
  );
}

function Filters({
  status,
  name,
  change,
}: {
  readonly status: string | null;
  readonly name: string | null;
  readonly change: ChangeUrl;
}): ReactNode {
  return (
    <search className={filters.bar}>
      <Select
        aria-label="Status"
        placeholder="Any status"
        w={150}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={STATUSES.map(value => ({ value, label: plainWord(value) }))}
        value={status}
        onChange={value => change({ status: value })}
      />
      <WordFilter label="Name" value={name} change={word => change({ name: word })} />
    </search>
  );
}

const COLUMNS: readonly Column<TemplateFragment>[] = [
  {
    head: 'Name',
    isMain: true,
    cell: ({ name, language }) => (
      <span style={{ overflowWrap: 'anywhere' }}>
        {name} <span className="quiet">{language}</span>
      </span>
    ),
  },
  {
    head: 'Status',
    cell: ({ status, reason }) => (
      <>
        <TemplateStatus status={status} />
        {reason && <div className="quiet">{plainWord(reason)}</div>}
      </>
    ),
  },
  { head: 'Category', cell: ({ category }) => plainWord(category) },
  {
    head: 'Text',
    cell: ({ preview }) => (
      <span style={{ overflowWrap: 'anywhere' }}>{preview ?? <span className="quiet">not told yet</span>}</span>
    ),
  },
  { head: 'As of', cell: ({ syncedAt }) => <Time at={syncedAt} /> },
];

const CONNECTION: Column<TemplateFragment> = { head: 'Connection', cell: ({ connection }) => connection?.name };

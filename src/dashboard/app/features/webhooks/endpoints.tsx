/** Webhooks: the endpoints of the account. */
import { Button, Pagination } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { WebhookEndpointsDocument } from '../../api/operations.generated.ts';
import { useRights } from '../../frame/session/session.tsx';
import { Empty, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { duration } from '../../ui/times.tsx';
import { Code } from './code.tsx';
import { LOOK_MS } from './deliveries/use-deliveries.ts';
import { EndpointState } from './endpoint-state.tsx';
import { EventsWord } from './events-word.tsx';
import { LastDeliveries } from './last-deliveries.tsx';
import { Refusal } from './refusal.tsx';
import { listenCommand } from './urls.ts';
import styles from './webhooks.module.css';

/** The page. The page number of its list stands in the URL. */
export function Webhooks(): ReactNode {
  const [params, setParams] = useSearchParams();
  const page = Math.max(1, Number.parseInt(params.get('page') ?? '1', 10) || 1);
  const { data, error, refetch } = useAnswer(WebhookEndpointsDocument, { page }, { refetchInterval: LOOK_MS });
  const { mayChange } = useRights();
  const navigate = useNavigate();
  const list = data?.webhookEndpoints;
  const pages = list ? Math.ceil(list.total / list.pageSize) : 1;
  return (
    <Page
      title="Webhooks"
      about="Signed events about your messages and passcodes, posted to your URLs."
      actions={
        mayChange &&
        !error &&
        list &&
        list.total > 0 && (
          <Button component={Link} to="/webhooks/new">
            Create endpoint
          </Button>
        )
      }
    >
      {error && <Refusal failure={error} retry={refetch} />}
      {!error && !list && <Loading />}
      {!error && list?.total === 0 && <NoEndpoints mayChange={mayChange} />}
      {!error && list && list.total > 0 && (
        <>
          <Table
            label="Endpoints"
            rows={list.rows}
            keyOf={({ endpointId }) => endpointId}
            open={({ endpointId }) => void navigate(`/webhooks/${endpointId}`)}
            columns={[
              {
                head: 'URL',
                isMain: true,
                cell: ({ endpointId, url, description }) => (
                  <div className={styles.url}>
                    <Link to={`/webhooks/${endpointId}`}>{url}</Link>
                    {description && <span className="quiet">{description}</span>}
                  </div>
                ),
              },
              { head: 'State', cell: endpoint => <EndpointState endpoint={endpoint} /> },
              { head: 'Events', cell: ({ events }) => <EventsWord events={events} /> },
              { head: 'Last 24 deliveries', cell: ({ endpointId }) => <LastDeliveries endpointId={endpointId} /> },
              { head: 'p95', cell: ({ p95Ms }) => p95Ms !== null && <Slowest ms={p95Ms} />, isNumber: true },
            ]}
          />
          {list.rows.length === 0 && (
            <Empty title="There is no such page">
              <Link to="/webhooks">Show the first page</Link>
            </Empty>
          )}
          {pages > 1 && (
            <Pagination
              className={styles.pages ?? ''}
              total={pages}
              value={Math.min(page, pages)}
              size="sm"
              onChange={next => setParams(next === 1 ? {} : { page: String(next) })}
              getControlProps={control => ({ 'aria-label': `${control === 'next' ? 'Next' : 'Previous'} page` })}
              getItemProps={item => ({ 'aria-label': `Page ${item}` })}
            />
          )}
        </>
      )}
    </Page>
  );
}

function Slowest({ ms }: { readonly ms: number }): ReactNode {
  return <span title="95 % of the tries of the last 100 deliveries were at most as slow">{duration(ms)}</span>;
}

function NoEndpoints({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  return (
    <Empty title="No endpoints yet">
      <p>
        An endpoint is a URL that the gateway posts events to: a message sent, a passcode verified, credits running low.
        Each delivery is signed, and tried for 75 hours until it arrives.
      </p>
      {mayChange && (
        <Button component={Link} to="/webhooks/new">
          Create endpoint
        </Button>
      )}
      <p className={styles.or}>To see events on your own machine first, with no endpoint and no tunnel:</p>
      <Code text={listenCommand('http://127.0.0.1:3000/hook')} label="Copy the command" />
    </Empty>
  );
}

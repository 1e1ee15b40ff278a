/** The deliveries of an endpoint. */
import { Button, Switch } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useChange } from '../../../api/hooks.ts';
import {
  RedeliverWebhookDocument,
  type WebhookDeliveryRowFragment,
  type WebhookEndpointRowFragment,
} from '../../../api/operations.generated.ts';
import { useRights } from '../../../frame/session/session.tsx';
import { Empty, FailureNote, Loading } from '../../../ui/feedback.tsx';
import { More } from '../../../ui/lists/more.tsx';
import { Section } from '../../../ui/page.tsx';
import { Status } from '../../../ui/status.tsx';
import { Table } from '../../../ui/table.tsx';
import { NextTry, Time } from '../../../ui/times.tsx';
import { shownNumber } from '../../../ui/words.ts';
import styles from '../webhooks.module.css';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { faultWord } from './fault-words.ts';
import { FilterBar } from './filter-bar.tsx';
import { deliveryFilterOf, narrows, useDeliveryFilter } from './filter-state.ts';
import { type DeliveryList, useDeliveries } from './use-deliveries.ts';

/** The table with its filters, and the drawer of the one that is open. */
export function Deliveries({
  endpoint,
  mayChange,
  openTest,
}: {
  readonly endpoint: WebhookEndpointRowFragment;
  readonly mayChange: boolean;
  readonly openTest: () => void;
}): ReactNode {
  const { may } = useRights();
  const [state, change] = useDeliveryFilter();
  const { status, event, http, span } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is open and whether it is live narrow nothing
  const filter = useMemo(() => deliveryFilterOf(state, Date.now()), [status, event, http, span]);
  const list = useDeliveries(endpoint.endpointId, filter, state.isLive);
  // A page may be empty though older ones are not.
  const isEmpty = !list.isLoading && !list.failure && list.rows.length === 0 && !list.hasMore;
  return (
    <Section
      title="Deliveries"
      actions={
        <Switch
          label="Live"
          checked={state.isLive}
          onChange={toggled => change({ live: toggled.currentTarget.checked ? null : '0' })}
        />
      }
    >
      <FilterBar state={state} change={change} events={endpoint.events} />
      {list.failure && <FailureNote failure={list.failure} retry={list.retry} />}
      {list.isLoading && !list.failure && <Loading lines={10} />}
      {(list.rows.length > 0 || list.hasMore) && (
        <Rows
          list={list}
          mayRedeliver={may('RESEND') && endpoint.status !== 'DISABLED'}
          open={id => change({ delivery: id })}
        />
      )}
      {isEmpty && narrows(state) && (
        <Empty title="No delivery passes the filter">
          <Button variant="default" onClick={() => change({ status: null, event: null, http: null, span: null })}>
            Remove the filter
          </Button>
        </Empty>
      )}
      {isEmpty && !narrows(state) && (
        <Empty title="Nothing was delivered yet">
          <p>A delivery shows here as soon as one of its events happens. A test shows that the endpoint answers.</p>
          {mayChange && <Button onClick={openTest}>Send test</Button>}
        </Empty>
      )}
      {state.open && (
        <DeliveryDrawer
          deliveryId={state.open}
          endpoint={endpoint}
          mayRedeliver={may('RESEND')}
          close={() => change({ delivery: null })}
        />
      )}
    </Section>
  );
}

function Rows({
  list,
  mayRedeliver,
  open,
}: {
  readonly list: DeliveryList;
  readonly mayRedeliver: boolean;
  readonly open: (deliveryId: string) => void;
}): ReactNode {
  const redeliver = useChange(RedeliverWebhookDocument);
  return (
    <>
      {redeliver.error && <FailureNote failure={redeliver.error} />}
      {list.rows.length > 0 && (
        <Table
          label="Deliveries"
          rows={list.rows}
          keyOf={({ deliveryId }) => deliveryId}
          open={({ deliveryId }) => open(deliveryId)}
          columns={[
            {
              head: 'Status',
              isMain: true,
              cell: row => (
                <span className={styles.last}>
                  <Status status={row.status === 'PENDING' && row.error !== null ? 'RETRYING' : row.status} />
                  {row.isTest && <span className="quiet">test</span>}
                </span>
              ),
            },
            { head: 'Event', cell: ({ event }) => <span className="mono">{event}</span> },
            { head: 'Answer', cell: row => <Last row={row} /> },
            { head: 'Tries', cell: ({ tryCount }) => shownNumber(tryCount), isNumber: true },
            { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              head: 'Actions',
              isNumber: true,
              cell: row =>
                mayRedeliver &&
                !row.isTest && (
                  <Button
                    variant="default"
                    size="compact-xs"
                    aria-label={`Redeliver ${row.deliveryId}`}
                    loading={redeliver.isPending && redeliver.variables.deliveryId === row.deliveryId}
                    onClick={event => {
                      event.stopPropagation();
                      redeliver.mutate({ deliveryId: row.deliveryId });
                    }}
                  >
                    Redeliver
                  </Button>
                ),
            },
          ]}
        />
      )}
      <More of={list} />
      {!list.hasMore && <div className={styles.end}>Nothing older.</div>}
    </>
  );
}

/** How the last try went, and when the next one is. */
function Last({
  row: { httpStatus, error, nextTryAt, tryCount },
}: {
  readonly row: WebhookDeliveryRowFragment;
}): ReactNode {
  return (
    <span className={styles.last}>
      {error ? (
        <span className={styles.errorWord}>{faultWord(error, httpStatus)}</span>
      ) : (
        httpStatus !== null && <span className="mono">{httpStatus}</span>
      )}
      {nextTryAt && tryCount > 0 && (
        <span className="quiet">
          <NextTry at={nextTryAt} />
        </span>
      )}
    </span>
  );
}

/** A connection: how it is, and behind its row what went by it and what can be done with it. */
import { Button } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type ConnectionFragment, UpdateConnectionDocument } from '../../api/operations.generated.ts';
import { useRights } from '../../frame/session/session.tsx';
import { Snippet } from '../../ui/dialogs/once.tsx';
import { FailureNote } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Status } from '../../ui/status.tsx';
import { NextTry, Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { counted, shownNumber } from '../../ui/words.ts';
import styles from './connections.module.css';
import { DeleteConnection } from './delete-connection.tsx';
import { FiguresTable } from './figures-table.tsx';
import { ConnectionForm } from './form/connection-form.tsx';
import { LinkButtons } from './link/link-buttons.tsx';
import { SessionLine } from './link/session-line.tsx';
import { purposeOf } from './purposes.ts';
import { ReadingsTable, sicknessOf } from './readings-table.tsx';
import { RenewReceipts } from './renew-receipts.tsx';
import { TestConnection } from './test-connection.tsx';

/** The row; `children` stand at its end. */
export function ConnectionRow({
  connection,
  providerName,
  children,
}: {
  readonly connection: ConnectionFragment;
  /** The name of its provider for people. */
  readonly providerName: string;
  readonly children: ReactNode;
}): ReactNode {
  const { connectionId, name, provider, health, countries, purposes, paused } = connection;
  const [params, change] = useUrlState();
  const sickness = sicknessOf(connection);
  const isOpen = params.get('open') === connectionId;
  const id = useId();
  return (
    <div>
      <div className={styles.head}>
        <button
          type="button"
          className={styles.opener}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => change({ open: isOpen ? null : connectionId, act: null })}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
          <strong>{name}</strong>
          <span className="quiet">
            {providerName} <code>{provider}</code>
          </span>
          <span className="quiet">{countries ? countries.join(', ') : 'all countries'}</span>
          {purposes && <span className="quiet">{purposeOf(purposes).label.toLowerCase()}</span>}
        </button>
        <span className={styles.health}>
          {paused ? (
            <Status status="PAUSED" />
          ) : (
            <Status
              {...(health.status === 'UNKNOWN'
                ? { status: 'UNTRIED', word: 'not used yet' }
                : { status: health.status === 'UP' && sickness.length > 0 ? 'SICK' : health.status })}
            />
          )}
          {health.since && !paused && (
            <span className="quiet">
              since <Time at={health.since} isMoment />
            </span>
          )}
        </span>
        {children}
      </div>
      {health.lastError && (
        <p className={styles.error}>
          {health.lastError}
          {health.nextTryAt && !paused && (
            <span className="quiet">
              {' '}
              <NextTry at={health.nextTryAt} />
            </span>
          )}
        </p>
      )}
      {sickness.map(reason => (
        <p key={reason} className={styles.error}>
          {reason}
        </p>
      ))}
      {isOpen && (
        <div id={id} className={styles.body}>
          <SessionLine connection={connection} />
          <QuotaLine quota={connection.quota} />
          <ReadingsTable connection={connection} />
          <FiguresTable connection={connection} />
          <OperatorPart connection={connection} />
        </div>
      )}
    </div>
  );
}

/** The limits of the number, where its provider sets some. */
function QuotaLine({ quota }: Pick<ConnectionFragment, 'quota'>): ReactNode {
  if (!quota) return null;
  const { quality, reach, used, readAt } = quota;
  return (
    <p>
      {quality && (
        <>
          Quality of the number <Status status={QUALITY_STATUS[quality] ?? 'UNKNOWN'} word={quality} />
          {' · '}
        </>
      )}
      {reach === null
        ? counted(used, 'person', 'people')
        : `${shownNumber(used)} of ${counted(reach, 'person', 'people')}`}{' '}
      written to within 24 hours
      <span className="quiet">
        {' · asked '}
        <Time at={readAt} />
      </span>
    </p>
  );
}

const QUALITY_STATUS: Readonly<Record<string, string>> = { green: 'UP', yellow: 'FLAGGED', red: 'DOWN' };

/** The part for the operator alone: the address for receipts, and the actions. */
function OperatorPart({ connection }: { readonly connection: ConnectionFragment }): ReactNode {
  const { connectionId, paused, receiptsUrl } = connection;
  const [params, change] = useUrlState();
  const update = useChange(UpdateConnectionDocument);
  if (!useRights().isOperator) return null;
  const act = params.get('act');
  const close = () => change({ act: null });
  return (
    <>
      {receiptsUrl && (
        <div>
          <p className="quiet">The provider reports to this address. Keep it secret: whoever has it can report, too.</p>
          <Snippet text={receiptsUrl} label="Copy the address for receipts" />
        </div>
      )}
      <div className={styles.actions}>
        <LinkButtons connection={connection} />
        <Button variant="default" onClick={() => change({ act: 'test' })}>
          Send me one
        </Button>
        <Button variant="default" onClick={() => change({ act: 'edit' })}>
          Edit
        </Button>
        <Button
          variant="default"
          loading={update.isPending}
          onClick={() => update.mutate({ input: { connectionId, paused: !paused } })}
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
        {receiptsUrl && (
          <Button variant="default" onClick={() => change({ act: 'renew' })}>
            Renew address
          </Button>
        )}
        <Button variant="default" onClick={() => change({ act: 'delete' })}>
          Delete
        </Button>
      </div>
      {update.error && <FailureNote failure={update.error} />}
      {act === 'test' && <TestConnection connection={connection} close={close} />}
      {act === 'edit' && <ConnectionForm connection={connection} close={close} />}
      {act === 'renew' && <RenewReceipts connection={connection} close={close} />}
      {act === 'delete' && <DeleteConnection connection={connection} close={() => change({ act: null, open: null })} />}
    </>
  );
}

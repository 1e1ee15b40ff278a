/** One endpoint: how it stands, what can be done with it, and its deliveries. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useParams } from 'react-router';
import { useAnswer } from '../../../api/hooks.ts';
import { WebhookEndpointDocument, type WebhookEndpointRowFragment } from '../../../api/operations.generated.ts';
import { useRights } from '../../../frame/session/session.tsx';
import { ShownId } from '../../../ui/copy/copy.tsx';
import { Empty, Loading } from '../../../ui/feedback.tsx';
import { Page } from '../../../ui/page.tsx';
import { Time } from '../../../ui/times.tsx';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { LOOK_MS } from '../deliveries/use-deliveries.ts';
import { EndpointState } from '../endpoint-state.tsx';
import { EventsWord } from '../events-word.tsx';
import { Refusal } from '../refusal.tsx';
import { nameOf } from '../urls.ts';
import styles from '../webhooks.module.css';
import { Actions, type Dialog } from './actions.tsx';
import { Dialogs } from './dialogs.tsx';
import { Notices } from './notices.tsx';

/** The page. */
export function WebhookEndpoint(): ReactNode {
  const { endpointId = '' } = useParams();
  const { data, error, refetch } = useAnswer(WebhookEndpointDocument, { endpointId }, { refetchInterval: LOOK_MS });
  if (error && !data)
    return (
      <Page title="Endpoint">
        {error.code === 'NOT_FOUND' ? (
          <Empty title="There is no such endpoint">
            <p>It was deleted, or it is of another account.</p>
            <Link to="/webhooks">The endpoints</Link>
          </Empty>
        ) : (
          <Refusal failure={error} retry={refetch} />
        )}
      </Page>
    );
  const endpoint = data?.webhookEndpoint;
  // While another one loads, the one before is still there.
  if (endpoint?.endpointId !== endpointId)
    return (
      <Page title="Endpoint">
        <Loading lines={10} />
      </Page>
    );
  return <Shown endpoint={endpoint} />;
}

function Shown({ endpoint }: { readonly endpoint: WebhookEndpointRowFragment }): ReactNode {
  const { mayChange, may } = useRights();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [missedSince, setMissedSince] = useState<string | null>(null);
  const close = (): void => {
    setDialog(null);
    setMissedSince(null);
  };
  return (
    <Page
      title={nameOf(endpoint.url)}
      about={
        <span className={styles.wrap}>
          {endpoint.description && <>{endpoint.description} · </>}
          {endpoint.url}
        </span>
      }
      actions={
        mayChange ? (
          <Actions endpoint={endpoint} open={setDialog} />
        ) : (
          may('RESEND') &&
          endpoint.status !== 'DISABLED' && (
            <Button variant="default" onClick={() => setDialog('recover')}>
              Recover since …
            </Button>
          )
        )
      }
    >
      <p className={styles.facts}>
        <EndpointState endpoint={endpoint} />
        <EventsWord events={endpoint.events} />
        <ShownId id={endpoint.endpointId} />
        <span className="quiet">
          created <Time at={endpoint.createdAt} />
        </span>
      </p>
      <Notices
        endpoint={endpoint}
        mayChange={mayChange}
        recover={since => {
          setMissedSince(since);
          setDialog('recover');
        }}
      />
      <Deliveries endpoint={endpoint} mayChange={mayChange} openTest={() => setDialog('test')} />
      {dialog && <Dialogs dialog={dialog} endpoint={endpoint} missedSince={missedSince} close={close} />}
    </Page>
  );
}

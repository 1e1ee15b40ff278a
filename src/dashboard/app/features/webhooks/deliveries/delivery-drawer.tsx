/** One delivery: its request and the answers to its tries, side by side. */
import { Button, Drawer } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAnswer, useChange } from '../../../api/hooks.ts';
import {
  RedeliverWebhookDocument,
  WebhookDeliveryDocument,
  type WebhookDeliveryQuery,
  type WebhookEndpointRowFragment,
  type WebhookTryRowFragment,
} from '../../../api/operations.generated.ts';
import { useRights } from '../../../frame/session/session.tsx';
import { ShownId } from '../../../ui/copy/copy.tsx';
import { useOpenDialog } from '../../../ui/dialogs/open-dialog.ts';
import { FailureNote, Loading } from '../../../ui/feedback.tsx';
import { Section } from '../../../ui/page.tsx';
import { Status } from '../../../ui/status.tsx';
import { duration, NextTry, Time } from '../../../ui/times.tsx';
import { Answer, outcomeOf } from '../answer.tsx';
import { Body } from '../code.tsx';
import styles from '../webhooks.module.css';
import { faultWord } from './fault-words.ts';

type Delivery = NonNullable<WebhookDeliveryQuery['webhookDelivery']>;

/** The drawer beside the list. */
export function DeliveryDrawer({
  deliveryId,
  endpoint,
  mayRedeliver,
  close,
}: {
  readonly deliveryId: string;
  readonly endpoint: WebhookEndpointRowFragment;
  readonly mayRedeliver: boolean;
  readonly close: () => void;
}): ReactNode {
  const isInFront = useOpenDialog();
  const { data, error, refetch } = useAnswer(WebhookDeliveryDocument, { deliveryId });
  const shown = data?.webhookDelivery;
  return (
    <Drawer opened onClose={() => isInFront() && close()} position="right" size={960} title="Delivery">
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={12} />}
      {shown === null && <p>There is no such delivery, or it is no longer kept.</p>}
      {shown?.deliveryId === deliveryId && <Shown delivery={shown} endpoint={endpoint} mayRedeliver={mayRedeliver} />}
    </Drawer>
  );
}

function Shown({
  delivery,
  endpoint,
  mayRedeliver,
}: {
  readonly delivery: Delivery;
  readonly endpoint: WebhookEndpointRowFragment;
  readonly mayRedeliver: boolean;
}): ReactNode {
  const redeliver = useChange(RedeliverWebhookDocument);
  const { deliveryId, isTest, status, nextTryAt } = delivery;
  return (
    <>
      <div className={styles.line}>
        <p className={styles.facts}>
          <Status status={status} />
          <span className="mono">{delivery.event}</span>
          {isTest && <span className="quiet">test</span>}
          <ShownId id={deliveryId} />
          <Time at={delivery.createdAt} />
        </p>
        {mayRedeliver && !isTest && (
          <Button
            disabled={endpoint.status === 'DISABLED'}
            loading={redeliver.isPending}
            onClick={() => redeliver.mutate({ deliveryId })}
          >
            Redeliver
          </Button>
        )}
      </div>
      {redeliver.error && <FailureNote failure={redeliver.error} />}
      <p className="quiet">
        <Course delivery={delivery} />
        {nextTryAt && (
          <>
            {' '}
            <NextTry at={nextTryAt} />
          </>
        )}
      </p>
      <div className={styles.columns}>
        <Request delivery={delivery} url={endpoint.url} />
        <Tries tries={delivery.tries} />
      </div>
    </>
  );
}

/** The state of a delivery in a sentence. */
function Course({ delivery: { status, error, tries, isTest } }: { readonly delivery: Delivery }): ReactNode {
  if (status === 'DELIVERED') return 'The endpoint acknowledged it.';
  if (status === 'PENDING') return tries.length === 0 ? 'Not tried yet.' : 'Not acknowledged yet.';
  if (isTest) return 'A test is tried once.';
  const why = error === null ? '' : `: ${faultWord(error, tries.at(-1)?.httpStatus ?? null)}`;
  return `It was given up${why}. You can redeliver it.`;
}

function Request({ delivery, url }: { readonly delivery: Delivery; readonly url: string }): ReactNode {
  const { deliveryId, event, body } = delivery;
  const headers: readonly (readonly [name: string, value: ReactNode])[] = [
    ['Content-Type', 'application/json'],
    ['X-Service-Event', event],
    ['X-Service-Delivery', deliveryId],
    ['webhook-id', deliveryId],
    ['X-Service-Timestamp', <em key="t">when it was tried</em>],
    ['webhook-timestamp', <em key="t">the same</em>],
    ['X-Service-Signature', <em key="s">made for each try, and not kept</em>],
    ['webhook-signature', <em key="s">made for each try, and not kept</em>],
  ];
  return (
    <Section title="Request">
      <p className={styles.wrap}>
        <span className="mono">POST {url}</span>
        {delivery.tries.length > 0 && (
          <>
            <br />
            <span className="quiet">The URL is that of the endpoint now.</span>
          </>
        )}
      </p>
      <dl className={styles.headers}>
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {body === null ? <NoBody /> : <Body text={body} />}
    </Section>
  );
}

/** Why there is none: to a viewer it is not shown. */
function NoBody(): ReactNode {
  const { may } = useRights();
  return <p className="quiet">{may('TEXTS') ? 'The event is no longer kept.' : 'A viewer sees no bodies.'}</p>;
}

function Tries({ tries }: { readonly tries: readonly WebhookTryRowFragment[] }): ReactNode {
  const [chosen, choose] = useState<string | null>(null);
  const newest = tries.toReversed();
  const shown = newest.find(({ id }) => id === chosen) ?? newest[0];
  return (
    <Section title={tries.length > 1 ? `Answers to ${tries.length} tries` : 'Answer'}>
      {!shown && <p className="quiet">Not tried yet.</p>}
      {newest.length > 1 && (
        <ul className={styles.tries} aria-label="Tries, the newest first">
          {newest.map(made => (
            <li key={made.id}>
              <button type="button" aria-pressed={made === shown} onClick={() => choose(made.id)}>
                <span className="numbers">{made.number}</span>
                <Status status={made.error === null ? 'DELIVERED' : 'FAILED'} word={outcomeOf(made)} />
                <span className="numbers">{duration(made.durationMs)}</span>
                <Time at={made.createdAt} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {shown && <Answer made={shown} />}
    </Section>
  );
}

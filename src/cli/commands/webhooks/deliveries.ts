/** `webhooks deliveries`, `delivery`, `redeliver`, `recover` and `test`: what became of events on their way to an endpoint. */
import type { Command } from 'commander';
import { readConfig } from '../../../config.ts';
import type { DeliveryStatus } from '../../../modules/webhooks/deliveries/webhook-delivery.entity.ts';
import { WEBHOOK_EVENTS } from '../../../modules/webhooks/events/webhook-events.ts';
import { type AccountSession, addAccountCommand, type Session } from '../../command.ts';
import { readRows } from '../../gateway/operator.ts';
import { reachWriter } from '../../gateway/stay.ts';
import { endOfFollowing } from '../../interrupt.ts';
import {
  OPERATIONS,
  type WebhookDeliveryData,
  type WebhookDeliveryDetailData,
  type WebhookRedeliveryData,
  type WebhookTryData,
} from '../../operations/operations.generated.ts';
import { fieldOf, flag, option, required } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { Refusal } from '../../refusal.ts';
import { lineOf, type Screen } from '../../table.ts';
import { enumName, MOMENT, readMoment, readWhole } from '../../values.ts';

const DELIVERIES = columnsOf<WebhookDeliveryData>({
  TIME: 'createdAt',
  STATUS: 'status',
  EVENT: row => (row.isTest ? `${row.event} (test)` : row.event),
  TRIES: 'tryCount',
  HTTP: 'httpStatus',
  'NEXT TRY': 'nextTryAt',
  ERROR: 'error',
  DELIVERY: 'deliveryId',
});

/** The tries of one delivery. */
const TRIES = columnsOf<WebhookTryData>({
  TIME: 'createdAt',
  TRY: 'number',
  HTTP: 'httpStatus',
  MS: 'durationMs',
  ERROR: whyOf,
  ANSWER: answerOf,
});

/** A try by itself, with what tells the numbers apart where there are no headings. */
const FOLLOWED = columnsOf<WebhookTryData>({
  TIME: 'createdAt',
  DELIVERY: 'deliveryId',
  TRY: row => `try ${row.number}`,
  HTTP: 'httpStatus',
  MS: row => `${row.durationMs} ms`,
  ERROR: whyOf,
  ANSWER: answerOf,
});

const TESTED = columnsOf<WebhookTryData>({
  HTTP: 'httpStatus',
  MS: 'durationMs',
  ERROR: 'error',
  DELIVERY: 'deliveryId',
  ANSWER: answerOf,
});

/** Written out, so that the entities are not loaded for it. */
const STATUSES: readonly DeliveryStatus[] = ['pending', 'delivered', 'dead'];

/** Those that a redelivery by filter can mean: what is pending is tried anyway. */
const OVER: readonly Exclude<DeliveryStatus, 'pending'>[] = ['dead', 'delivered'];

const LIST = {
  follow: flag(
    'print each try as soon as its outcome is stored instead, until interrupted',
    'limit',
    'status',
    'event',
  ),
  limit: option('<n>', 'how many deliveries, 1 to 200; 50 where it is not given', readWhole(1, 200)),
  status: option('<status>', 'deliveries that stand there', STATUSES),
  event: option('<name>', 'deliveries of this event', WEBHOOK_EVENTS),
};

const REDELIVER = {
  endpoint: option('<endpointId>', 'instead of one delivery, those to this endpoint that are over'),
  status: option('<status>', 'of those, the ones that stand there; dead if absent', OVER),
  event: option('<name>', 'of those, the ones of this event', WEBHOOK_EVENTS),
  since: fieldOf('from', option('<when>', `of those, the ones made then or later: ${MOMENT}`, readMoment)),
  until: fieldOf('to', option('<when>', 'of those, the ones made before', readMoment)),
};

const RECOVER = {
  since: required('<when>', `deliveries made then or later: ${MOMENT}`, readMoment),
};

const TEST = {
  event: option('<name>', 'which event; the first that the endpoint gets where it is not given', WEBHOOK_EVENTS),
};

/** Adds the commands on deliveries. */
export function addDeliveryCommands(group: Command): void {
  addDeliveries(group);
  addDelivery(group);
  addRedeliver(group);
  addRecover(group);
  addTest(group);
}

function addDeliveries(group: Command): void {
  const list = 'list the deliveries to an endpoint, newest first';
  addAccountCommand(group, 'deliveries <endpointId>', list, LIST, async (session, endpointId: string) => {
    const { limit, status, event, follow: isFollowed } = session.options;
    if (isFollowed) return follow(session, endpointId);
    const filter = { status: enumName(status), event };
    const found = await readRows(limit, page =>
      session.operator.run(OPERATIONS.webhookDeliveries, { ...page, endpointId, filter }, session.accountId),
    );
    session.out.list(found, DELIVERIES, 'There is no such delivery to the endpoint.');
  });
}

async function follow(session: AccountSession, endpointId: string): Promise<void> {
  const { out, accountId } = session;
  const signal = endOfFollowing();
  const operator = await reachWriter(session, readConfig(), signal);
  if (!operator) return;
  // Over HTTP a subscription that is refused says so in its stream only: this refuses before anything is followed.
  await operator.run(OPERATIONS.webhookDeliveries, { endpointId, first: 1 }, accountId);
  const leftOut = (count: number): void =>
    out.say(
      `${count === 1 ? '1 try is' : `${count} tries are`} left out: they came too fast. The list without --follow has the deliveries.`,
    );
  const added = await operator.follow(OPERATIONS.webhookTryAdded, { endpointId }, accountId, { signal, leftOut });
  out.say(`Following the tries to ${endpointId}; Ctrl+C ends it.`);
  if (operator.place === 'process')
    out.say('No gateway runs: only what others write to the same database will be seen.');
  for await (const made of added) out.show(made, FOLLOWED.line);
}

function addDelivery(group: Command): void {
  const show = 'show a delivery with every try of it, and its body';
  addAccountCommand(group, 'delivery <deliveryId>', show, {}, async (session, deliveryId: string) => {
    const { operator, out, accountId } = session;
    const found = await operator.run(OPERATIONS.webhookDelivery, { deliveryId }, accountId);
    if (!found) throw new Refusal('not_found', 'There is no such webhook delivery.');
    out.show(found, detail);
    if (found.body === null) out.say('Its event is not kept any longer, and so it has no body.');
  });
}

function addRedeliver(group: Command): void {
  addAccountCommand(
    group,
    'redeliver [deliveryId]',
    'make a delivery again, with the same id and body (one that is pending is tried at once), or those to an endpoint that pass a filter',
    REDELIVER,
    async (session, deliveryId?: string) => {
      const { endpoint, status, event, since, until } = session.options;
      if (deliveryId !== undefined) return redeliverOne(session, deliveryId);
      if (endpoint === undefined) return;
      const variables = { endpointId: endpoint, filter: { status: enumName(status), event, from: since, to: until } };
      tellBegun(session, await session.operator.run(OPERATIONS.redeliverWebhooks, variables, session.accountId));
    },
  ).hook('preAction', command => {
    const { endpoint, status, event, since, until } = command.opts();
    if ((command.args.length === 0) === (endpoint === undefined))
      command.error('error: give either a deliveryId or --endpoint, and not both');
    if (endpoint === undefined && [status, event, since, until].some(value => value !== undefined))
      command.error('error: --status, --event, --since and --until choose among the deliveries of --endpoint');
  });
}

async function redeliverOne(session: AccountSession, deliveryId: string): Promise<void> {
  const begun = await session.operator.run(OPERATIONS.redeliverWebhook, { deliveryId }, session.accountId);
  session.out.show(begun, DELIVERIES.one);
  tellWhoDelivers(session);
}

function addRecover(group: Command): void {
  const recover =
    'make again what an endpoint missed: every delivery since a time that was given up, or failed and waits';
  addAccountCommand(group, 'recover <endpointId>', recover, RECOVER, async (session, endpointId: string) => {
    const variables = { endpointId, since: session.options.since };
    tellBegun(session, await session.operator.run(OPERATIONS.recoverWebhooks, variables, session.accountId));
  });
}

function tellBegun(session: Session, begun: WebhookRedeliveryData): void {
  session.out.show(begun, ({ count }) =>
    count === 1 ? '1 delivery begins again.' : `${count} deliveries begin again.`,
  );
  if (begun.count > 0) tellWhoDelivers(session);
}

/** Says that deliveries wait for a gateway: its workers make the tries, and a command makes none. */
function tellWhoDelivers({ operator, out }: Session): void {
  if (operator.place === 'process') out.say('No gateway runs: it is delivered as soon as one does.');
}

function addTest(group: Command): void {
  const test = 'deliver a sample of an event to an endpoint, and show what it answers';
  addAccountCommand(group, 'test <endpointId>', test, TEST, async (session, endpointId: string) => {
    const { operator, out, accountId, options } = session;
    const made = await operator.run(OPERATIONS.testWebhookEndpoint, { endpointId, event: options.event }, accountId);
    out.show(made, TESTED.one);
    if (made.error !== null) throw new Refusal(made.error, made.errorMessage ?? 'The endpoint did not take it.');
  });
}

/** The delivery, its tries and its body, with an empty line between; a part that there is nothing of is left out. */
function detail({ tries, body, ...delivery }: WebhookDeliveryDetailData, screen: Screen): string {
  const parts = [DELIVERIES.one(delivery, screen), TRIES.table(tries, screen), body === null ? '' : lineOf([body])];
  return parts.filter(part => part !== '').join('\n\n');
}

/** Why it failed, in a word and a sentence; null: it did not. */
function whyOf({ error, errorMessage }: WebhookTryData): string | null {
  return error === null || errorMessage === null ? error : `${error}: ${errorMessage}`;
}

/** The body of an endpoint's answer in one line; null: it is empty, or no answer came. */
function answerOf({ response }: WebhookTryData): string | null {
  return response?.replace(/\s+/g, ' ').trim() || null;
}

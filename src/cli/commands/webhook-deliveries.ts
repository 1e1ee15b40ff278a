/** `webhooks deliveries`, `delivery`, `redeliver`, `recover` and `test`: what became of events on their way to an endpoint. */
import { type Command, Option } from 'commander';
import type { DeliveryStatus } from '../../modules/webhooks/deliveries/webhook-delivery.entity.ts';
import { WEBHOOK_EVENTS } from '../../modules/webhooks/events/webhook-events.ts';
import { type AccountOption, addAccountCommand, inAccount } from '../account-command.ts';
import type { Session } from '../gateway/session.ts';
import { endOfFollowing } from '../interrupt.ts';
import type {
  WebhookDeliveryData,
  WebhookDeliveryDetailData,
  WebhookRedeliveryData,
  WebhookTryData,
} from '../operations/operations.generated.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { orDash, row, table } from '../output.ts';
import { Refusal } from '../refusal.ts';
import { enumName, readTime, readWhole } from '../values.ts';

interface DeliveriesOptions extends AccountOption {
  readonly follow?: true;
  readonly limit?: number;
  readonly status?: DeliveryStatus;
  readonly event?: string;
}

interface RedeliverOptions extends AccountOption {
  readonly endpoint?: string;
  readonly status?: DeliveryStatus;
  readonly event?: string;
  readonly from?: string;
  readonly to?: string;
}

interface RecoverOptions extends AccountOption {
  readonly since: string;
}

interface TestOptions extends AccountOption {
  readonly event?: string;
}

/** Written out, so that the entities are not loaded for it. */
const STATUSES: readonly DeliveryStatus[] = ['pending', 'delivered', 'dead'];

/** Those that a redelivery by filter can mean: what is pending is tried anyway. */
const OVER: readonly Exclude<DeliveryStatus, 'pending'>[] = ['dead', 'delivered'];

/** Adds the commands on deliveries. */
export function addDeliveryCommands(group: Command): void {
  addDeliveries(group);
  addDelivery(group);
  addRedeliver(group);
  addRecover(group);
  addTest(group);
}

function addDeliveries(group: Command): void {
  addAccountCommand(group, 'deliveries <endpointId>', 'list the deliveries to an endpoint, newest first')
    .addOption(
      new Option('--follow', 'print each try as soon as its outcome is stored instead, until interrupted').conflicts([
        'limit',
        'status',
        'event',
      ]),
    )
    .option('--limit <n>', 'how many deliveries, 1 to 200', readWhole(1, 200))
    .addOption(new Option('--status <status>', 'deliveries that stand there').choices(STATUSES))
    .addOption(new Option('--event <name>', 'deliveries of this event').choices(WEBHOOK_EVENTS))
    .action((endpointId: string, options: DeliveriesOptions, command: Command) =>
      inAccount(command, options, (session, accountId) =>
        options.follow ? follow(session, endpointId, accountId) : list(session, endpointId, options, accountId),
      ),
    );
}

async function list(
  { operator, out }: Session,
  endpointId: string,
  { limit, status, event }: DeliveriesOptions,
  accountId: string,
): Promise<void> {
  const variables = { endpointId, first: limit, filter: { status: enumName(status), event } };
  const { edges } = await operator.run(OPERATIONS.webhookDeliveries, variables, accountId);
  out.show(
    edges.map(({ node }) => node),
    deliveries,
  );
  if (edges.length === 0) out.say('There is no such delivery to the endpoint.');
}

async function follow({ operator, out }: Session, endpointId: string, accountId: string): Promise<void> {
  const signal = endOfFollowing();
  // Over HTTP a subscription that is refused says so in its stream only: this refuses before anything is followed.
  await operator.run(OPERATIONS.webhookDeliveries, { endpointId, first: 1 }, accountId);
  const added = await operator.follow(OPERATIONS.webhookTryAdded, { endpointId }, accountId, signal);
  out.say(`Following the tries to ${endpointId}; Ctrl+C ends it.`);
  if (operator.place === 'process')
    out.say('No gateway runs: only what others write to the same database will be seen.');
  for await (const made of added) out.show(made, line);
}

function addDelivery(group: Command): void {
  addAccountCommand(group, 'delivery <deliveryId>', 'show a delivery with every try of it, and its body').action(
    (deliveryId: string, options: AccountOption, command: Command) =>
      inAccount(command, options, async ({ operator, out }, accountId) => {
        const found = await operator.run(OPERATIONS.webhookDelivery, { deliveryId }, accountId);
        if (!found) throw new Refusal('not_found', 'There is no such webhook delivery.');
        out.show(found, detail);
        if (found.body === null) out.say('Its event is not kept any longer, and so it has no body.');
      }),
  );
}

function addRedeliver(group: Command): void {
  const description =
    'make a delivery again, with the same id and body (one that is pending is tried at once), or those to an endpoint that pass a filter';
  addAccountCommand(group, 'redeliver [deliveryId]', description)
    .option('--endpoint <endpointId>', 'instead of one delivery, those to this endpoint that are over')
    .addOption(new Option('--status <status>', 'of those, the ones that stand there; dead if absent').choices(OVER))
    .addOption(new Option('--event <name>', 'of those, the ones of this event').choices(WEBHOOK_EVENTS))
    .option('--from <time>', 'of those, the ones made then or later, like 2026-11-21T18:00:00Z or 2026-11-21', readTime)
    .option('--to <time>', 'of those, the ones made before', readTime)
    .action(async (deliveryId: string | undefined, options: RedeliverOptions, command: Command) => {
      const { endpoint, status, event, from, to } = options;
      if ((deliveryId === undefined) === (endpoint === undefined))
        command.error('error: give either a deliveryId or --endpoint, and not both');
      if (endpoint === undefined && [status, event, from, to].some(value => value !== undefined))
        command.error('error: --status, --event, --from and --to choose among the deliveries of --endpoint');
      await inAccount(command, options, async (session, accountId) => {
        if (deliveryId !== undefined) return redeliverOne(session, deliveryId, accountId);
        if (endpoint === undefined) return;
        const variables = { endpointId: endpoint, filter: { status: enumName(status), event, from, to } };
        tellBegun(session, await session.operator.run(OPERATIONS.redeliverWebhooks, variables, accountId));
      });
    });
}

async function redeliverOne(session: Session, deliveryId: string, accountId: string): Promise<void> {
  const begun = await session.operator.run(OPERATIONS.redeliverWebhook, { deliveryId }, accountId);
  session.out.show(begun, delivery => deliveries([delivery]));
  tellWhoDelivers(session);
}

function addRecover(group: Command): void {
  addAccountCommand(
    group,
    'recover <endpointId>',
    'make again what an endpoint missed: every delivery since a time that was given up, or failed and waits',
  )
    .requiredOption(
      '--since <time>',
      'deliveries made then or later, like 2026-11-21T18:00:00Z or 2026-11-21',
      readTime,
    )
    .action((endpointId: string, { since, ...options }: RecoverOptions, command: Command) =>
      inAccount(command, options, async (session, accountId) => {
        const variables = { endpointId, since };
        tellBegun(session, await session.operator.run(OPERATIONS.recoverWebhooks, variables, accountId));
      }),
    );
}

function tellBegun(session: Session, begun: WebhookRedeliveryData): void {
  session.out.show(begun, ({ count }) =>
    count === 1 ? '1 delivery begins again.' : `${count} deliveries begin again.`,
  );
  if (begun.count > 0) tellWhoDelivers(session);
}

/** What begins again is delivered by the workers of a gateway: a command makes no tries. */
function tellWhoDelivers({ operator, out }: Session): void {
  if (operator.place === 'process') out.say('No gateway runs: it is delivered as soon as one does.');
}

function addTest(group: Command): void {
  addAccountCommand(group, 'test <endpointId>', 'deliver a sample of an event to an endpoint, and show what it answers')
    .addOption(
      new Option('--event <name>', 'which event; the first that the endpoint gets where it is not given').choices(
        WEBHOOK_EVENTS,
      ),
    )
    .action((endpointId: string, { event, ...options }: TestOptions, command: Command) =>
      inAccount(command, options, async ({ operator, out }, accountId) => {
        const made = await operator.run(OPERATIONS.testWebhookEndpoint, { endpointId, event }, accountId);
        out.show(made, tried);
        if (made.error !== null) throw new Refusal(made.error, made.errorMessage ?? 'The endpoint did not take it.');
      }),
    );
}

function deliveries(rows: readonly WebhookDeliveryData[]): string {
  return table(
    ['TIME', 'STATUS', 'EVENT', 'TRIES', 'HTTP', 'NEXT TRY', 'ERROR', 'DELIVERY'],
    rows.map(row => [
      row.createdAt,
      row.status,
      row.isTest ? `${row.event} (test)` : row.event,
      String(row.tryCount),
      orDash(row.httpStatus),
      orDash(row.nextTryAt),
      orDash(row.error),
      row.deliveryId,
    ]),
  );
}

/** The delivery, its tries and its body, with an empty line between; a part that there is nothing of is left out. */
function detail({ tries, body, ...delivery }: WebhookDeliveryDetailData): string {
  const made = table(
    ['TIME', 'TRY', 'HTTP', 'MS', 'ERROR', 'ANSWER'],
    tries.map(each => [
      each.createdAt,
      String(each.number),
      orDash(each.httpStatus),
      String(each.durationMs),
      orDash(whyOf(each)),
      orDash(answerOf(each)),
    ]),
  );
  return [deliveries([delivery]), made, body === null ? '' : row([body])].filter(part => part !== '').join('\n\n');
}

/** A try by itself, with what tells the numbers apart where there are no headings. */
function line(made: WebhookTryData): string {
  const { createdAt, deliveryId, number, httpStatus, durationMs } = made;
  const cells = [createdAt, deliveryId, `try ${number}`, orDash(httpStatus), `${durationMs} ms`, orDash(whyOf(made))];
  return row([...cells, orDash(answerOf(made))]);
}

function tried(made: WebhookTryData): string {
  const { httpStatus, durationMs, error, deliveryId } = made;
  return table(
    ['HTTP', 'MS', 'ERROR', 'DELIVERY', 'ANSWER'],
    [[orDash(httpStatus), String(durationMs), orDash(error), deliveryId, orDash(answerOf(made))]],
  );
}

/** Why it failed, in a word and a sentence; null: it did not. */
function whyOf({ error, errorMessage }: WebhookTryData): string | null {
  return error === null || errorMessage === null ? error : `${error}: ${errorMessage}`;
}

/** What the endpoint answered, in one line; null: nothing. */
function answerOf({ response }: WebhookTryData): string | null {
  return response?.replace(/\s+/g, ' ').trim() || null;
}

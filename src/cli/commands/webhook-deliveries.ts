/** `webhooks deliveries`, `redeliver`, `recover` and `test`: what became of events on their way to an endpoint. */
import { type Command, Option } from 'commander';
import type { DeliveryStatus } from '../../modules/webhooks/webhook-delivery.entity.ts';
import { WEBHOOK_EVENTS } from '../../modules/webhooks/webhook-events.ts';
import { type AccountOption, addAccountCommand, inAccount } from '../account-command.ts';
import { OPERATIONS } from '../operations.ts';
import { orDash, table } from '../output.ts';
import { Refusal } from '../refusal.ts';
import type { Session } from '../session.ts';
import { enumName, readTime, readWhole } from '../values.ts';
import type { WebhookDeliveryData, WebhookTryData } from '../webhook-operations.ts';

interface DeliveriesOptions extends AccountOption {
  readonly limit?: number;
  readonly status?: string;
  readonly event?: string;
}

interface RecoverOptions extends AccountOption {
  readonly since: string;
}

interface TestOptions extends AccountOption {
  readonly event?: string;
}

/** Written out, so that the entities are not loaded for it. */
const STATUSES: readonly DeliveryStatus[] = ['pending', 'delivered', 'dead'];

/** Adds the commands on deliveries. */
export function addDeliveryCommands(group: Command): void {
  addDeliveries(group);
  addRedeliver(group);
  addRecover(group);
  addTest(group);
}

function addDeliveries(group: Command): void {
  addAccountCommand(group, 'deliveries <endpointId>', 'list the deliveries to an endpoint, newest first')
    .option('--limit <n>', 'how many deliveries, 1 to 200', readWhole(1, 200))
    .addOption(new Option('--status <status>', 'deliveries that stand there').choices(STATUSES))
    .addOption(new Option('--event <name>', 'deliveries of this event').choices(WEBHOOK_EVENTS))
    .action((endpointId: string, { limit, status, event, ...options }: DeliveriesOptions, command: Command) =>
      inAccount(command, options, async ({ operator, out }, accountId) => {
        const variables = { endpointId, first: limit, filter: { status: enumName(status), event } };
        const { edges } = await operator.run(OPERATIONS.webhookDeliveries, variables, accountId);
        out.show(
          edges.map(({ node }) => node),
          deliveries,
        );
        if (edges.length === 0) out.say('There is no such delivery to the endpoint.');
      }),
    );
}

function addRedeliver(group: Command): void {
  const description = 'make a delivery again, with the same id and body; one that is pending is tried at once';
  addAccountCommand(group, 'redeliver <deliveryId>', description).action(
    (deliveryId: string, options: AccountOption, command: Command) =>
      inAccount(command, options, async (session, accountId) => {
        const begun = await session.operator.run(OPERATIONS.redeliverWebhook, { deliveryId }, accountId);
        session.out.show(begun, delivery => deliveries([delivery]));
        tellWhoDelivers(session);
      }),
  );
}

function addRecover(group: Command): void {
  addAccountCommand(
    group,
    'recover <endpointId>',
    'make again what an endpoint missed: every dead delivery since a time',
  )
    .requiredOption(
      '--since <time>',
      'deliveries made then or later, like 2026-11-21T18:00:00Z or 2026-11-21',
      readTime,
    )
    .action((endpointId: string, { since, ...options }: RecoverOptions, command: Command) =>
      inAccount(command, options, async (session, accountId) => {
        const recovered = await session.operator.run(OPERATIONS.recoverWebhooks, { endpointId, since }, accountId);
        session.out.show(recovered, ({ count }) =>
          count === 1 ? '1 delivery begins again.' : `${count} deliveries begin again.`,
        );
        if (recovered.count > 0) tellWhoDelivers(session);
      }),
    );
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

function tried({ httpStatus, durationMs, error, deliveryId, response }: WebhookTryData): string {
  const answer = response?.replace(/\s+/g, ' ').trim() || null;
  return table(
    ['HTTP', 'MS', 'ERROR', 'DELIVERY', 'ANSWER'],
    [[orDash(httpStatus), String(durationMs), orDash(error), deliveryId, orDash(answer)]],
  );
}

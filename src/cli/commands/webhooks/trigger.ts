/** `trigger`: a sample of an event, delivered to those who would get a real one. */
import { Argument, type Command } from 'commander';
import { WEBHOOK_EVENTS, type WebhookEventName } from '../../../modules/webhooks/events/webhook-events.ts';
import { type AccountSession, addAccountCommand } from '../../command.ts';
import { OPERATIONS, type WebhookTryData } from '../../operations/operations.generated.ts';
import { option } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { Refusal } from '../../refusal.ts';

const TRIES = columnsOf<WebhookTryData>({
  ENDPOINT: 'endpointId',
  HTTP: 'httpStatus',
  MS: 'durationMs',
  ERROR: 'error',
  DELIVERY: 'deliveryId',
});

const TRIGGER = {
  endpoint: option(
    '<endpointId>',
    'to this endpoint, whatever it subscribes to; every one that gets the event if absent',
  ),
};

/** Adds the command that sends samples of events. */
export function addTriggerCommand(program: Command): void {
  const description = 'deliver a sample of an event to the endpoints that get it; status 1 where one does not take it';
  addAccountCommand(program, 'trigger', description, TRIGGER, async (session, { endpoint }, name: WebhookEventName) => {
    const endpoints = endpoint === undefined ? await subscribersOf(session, name) : [endpoint];
    if (endpoints.length === 0) throw new Refusal('not_found', `No endpoint of the account gets ${name}.`);
    const { operator, out, accountId } = session;
    const tries: WebhookTryData[] = [];
    for (const endpointId of endpoints)
      tries.push(await operator.run(OPERATIONS.testWebhookEndpoint, { endpointId, event: name }, accountId));
    out.show(tries, TRIES.table);
    const failed = tries.filter(({ error }) => error !== null);
    if (failed.length > 0)
      throw new Refusal(null, `${failed.length} of ${tries.length} endpoints did not take the sample.`);
  }).addArgument(new Argument('<event>', 'the event').choices(WEBHOOK_EVENTS));
}

/** Every endpoint that would be delivered a real event of this name. */
async function subscribersOf({ operator, accountId }: AccountSession, event: WebhookEventName): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const { rows, pageSize, total } = await operator.run(OPERATIONS.webhookEndpoints, { page }, accountId);
    for (const { endpointId, status, events } of rows)
      if (status === 'enabled' && events.includes(event)) found.push(endpointId);
    if (page * pageSize >= total) return found;
  }
}

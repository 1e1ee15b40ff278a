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
  const description =
    'deliver a sample of an event to the endpoints that get it, and to webhooks listen; status 1 where one does not take it';
  addAccountCommand(program, 'trigger', description, TRIGGER, async (session, event: WebhookEventName) => {
    const { operator, out, accountId, options } = session;
    const { tries, listenerCount } = await (options.endpoint === undefined
      ? operator.run(OPERATIONS.triggerWebhookEvent, { event }, accountId)
      : testOne(session, options.endpoint, event));
    out.show(tries, TRIES.table);
    if (listenerCount > 0)
      out.say(`Told ${listenerCount === 1 ? 'one listener' : `${listenerCount} listeners`} of it.`);
    const failed = tries.filter(({ error }) => error !== null);
    if (failed.length > 0)
      throw new Refusal(null, `Not taken by ${failed.length} of ${tries.length}: ${reasons(failed)}`);
  }).addArgument(new Argument('<event>', 'the event').choices(WEBHOOK_EVENTS));
}

async function testOne({ operator, accountId }: AccountSession, endpointId: string, event: WebhookEventName) {
  const made = await operator.run(OPERATIONS.testWebhookEndpoint, { endpointId, event }, accountId);
  return { tries: [made], listenerCount: 0 };
}

/** Why they failed, each reason once. */
function reasons(failed: readonly WebhookTryData[]): string {
  return [...new Set(failed.map(({ errorMessage }) => errorMessage))].join(' ');
}

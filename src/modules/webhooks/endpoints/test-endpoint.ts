/** The verb *test a webhook endpoint*: one try of a sample event, made at once, so that somebody who sets an endpoint up sees what it answers. */
import type { Ctx } from '../../../context.ts';
import { clockFrom } from '../../../db/clock.ts';
import { AppError } from '../../../kernel/errors.ts';
import { newId, toUuid } from '../../../kernel/ids.ts';
import { limitPerMinute } from '../../limits/limit-requests.ts';
import { makeTry } from '../deliveries/make-try.ts';
import { settleTry } from '../deliveries/settle-tries.ts';
import { toTakenEndpoint } from '../deliveries/take-endpoints.ts';
import { WebhookTry } from '../deliveries/webhook-try.entity.ts';
import { EVENTS, sampleData, type WebhookEventName } from '../events/webhook-events.ts';
import { findEndpoint } from './manage-endpoints.ts';
import { BEGIN_TEST } from './test-endpoint.sql.ts';
import { requireWebhookCaller } from './webhook-caller.ts';

/** How many tests a token may ask for in a minute: the gateway is no tool to knock at others' doors with. */
const TESTS_PER_MINUTE = 10;

/** How long no worker takes the test for a delivery that was left over. */
const OWN_SECONDS = 60;

/**
 * Delivers a sample of an event (absent: the first that the endpoint gets) like any delivery, whatever the endpoint's status, and answers its
 * only try. @throws AppError `not_found`, `rate_limited`, and what `requireWebhookCaller` throws.
 */
export async function testWebhookEndpoint(
  ctx: Ctx,
  input: { readonly endpointId: string; readonly event?: WebhookEventName | null | undefined },
): Promise<WebhookTry> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const { id, events } = await findEndpoint(ctx.em, accountId, input.endpointId);
  await limitPerMinute(ctx, 'webhook-test', TESTS_PER_MINUTE);
  const event = input.event ?? events[0] ?? EVENTS[0].name;
  const [deliveryId, eventId] = [newId('dlv'), newId('evt')];
  const data = sampleData(event, ctx.clock.now());
  const sql = ctx.services.database.sql();
  const row = await BEGIN_TEST.first(sql, {
    eventId: toUuid(eventId),
    account: toUuid(accountId),
    event,
    data: JSON.stringify(data),
    delivery: toUuid(deliveryId),
    endpoint: toUuid(id),
    ownSeconds: OWN_SECONDS,
  });
  if (!row) throw new AppError('not_found', 'There is no such webhook endpoint.');
  const told = { eventId, event, createdAt: row.told_at, data };
  const due = { id: deliveryId, ...told, isTest: true, tellsAgain: true, tries: 0, step: 0, deaths: 0 };
  const made = await makeTry(ctx, toTakenEndpoint(ctx.services.keys, row), due, clockFrom(row.clock));
  if (made === null)
    throw new AppError('overloaded', 'The gateway is stopping. Try again in a moment.', { retryAfter: 1 });
  await settleTry(ctx.services.database, { ...made, opensCircuit: false }, true);
  return ctx.em.findOneOrFail(WebhookTry, { id: made.id });
}

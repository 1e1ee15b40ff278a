/**
 * The verbs *test a webhook endpoint* and *trigger a webhook event*: one try of a sample, made at once. Whoever
 * sets a receiver up sees its answer.
 */
import type { Ctx } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { newId, toUuid } from '../../../kernel/ids.ts';
import { limitPerMinute } from '../../limits/limit-requests.ts';
import { makeTry } from '../deliveries/make-try.ts';
import { settleTry } from '../deliveries/settle-tries.ts';
import { toTakenEndpoint } from '../deliveries/take-endpoints.ts';
import { WebhookTry } from '../deliveries/webhook-try.entity.ts';
import { EVENTS, sampleData, type WebhookEventName } from '../events/webhook-events.ts';
import { findEndpoint } from './manage-endpoints.ts';
import { AUDIENCE, BEGIN_TEST } from './test-endpoint.sql.ts';
import { requireWebhookCaller } from './webhook-caller.ts';

/** The gateway is no tool to knock at others' doors with. */
const TESTS_PER_MINUTE = 10;

/** Counts a test, of which a token may ask for 10 a minute. @throws AppError `rate_limited` */
export async function limitTests(ctx: Ctx): Promise<void> {
  await limitPerMinute(ctx, 'webhook-test', TESTS_PER_MINUTE);
}

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
  await limitTests(ctx);
  const [made] = (await deliverSample(ctx, accountId, input.event ?? events[0] ?? EVENTS[0].name, id)).tries;
  if (!made) throw new AppError('not_found', 'There is no such webhook endpoint.');
  return made;
}

/** The result of a sample of an event. */
export interface WebhookTrigger {
  readonly eventId: string;
  /** How many followers of such events are told of it. */
  readonly listenerCount: number;
  /** The only try to each endpoint that gets the event. */
  readonly tries: readonly WebhookTry[];
}

/**
 * Tells of a sample of an event as if it happened: every enabled endpoint that gets it is tried once, and followers are told once.
 * @throws AppError `not_found` where nobody is told of such events, `rate_limited`, and what `requireWebhookCaller` throws.
 */
export async function triggerWebhookEvent(
  ctx: Ctx,
  { event }: { readonly event: WebhookEventName },
): Promise<WebhookTrigger> {
  const { id: accountId } = requireWebhookCaller(ctx);
  await limitTests(ctx);
  const audience = await AUDIENCE.first(ctx.services.database.sql(), { account: toUuid(accountId), event });
  if (!audience?.endpoints && !audience?.listeners) {
    const nobody = `Nobody is told of ${event}: no enabled endpoint of the account gets it, and nobody listens. Create an endpoint that does, or run webhooks listen, first.`;
    throw new AppError('not_found', nobody);
  }
  const sample = await deliverSample(ctx, accountId, event, null);
  return { ...sample, listenerCount: audience.listeners };
}

/** Makes the tries of a sample all at once; the caller is let in, and its test counted. @param endpointId the only one that gets it; null: all that get such events, and who follows them */
export async function deliverSample(
  ctx: Ctx,
  accountId: string,
  event: WebhookEventName,
  endpointId: string | null,
): Promise<Omit<WebhookTrigger, 'listenerCount'>> {
  const { database, keys } = ctx.services;
  const eventId = newId('evt');
  const data = sampleData(event, ctx.clock.now());
  const rows = await BEGIN_TEST.run(database.sql(), {
    eventId: toUuid(eventId),
    account: toUuid(accountId),
    event,
    data: JSON.stringify(data),
    endpoint: endpointId === null ? null : toUuid(endpointId),
    ownSeconds: OWN_SECONDS,
  });
  const ids = rows.map(async row => {
    const told = { eventId, event, createdAt: row.told_at, data };
    const tellsAgain = endpointId !== null;
    const due = { id: row.delivery_id, ...told, isTest: true, tellsAgain, tries: 0, step: 0, deaths: 0 };
    const made = await makeTry(ctx, toTakenEndpoint(keys, row), due);
    if (made === null)
      throw new AppError('overloaded', 'The gateway is stopping. Try again in a moment.', { retryAfter: 1 });
    await settleTry(database)({ ...made, opensCircuit: false });
    return made.id;
  });
  const tries = await ctx.em.find(
    WebhookTry,
    { id: { $in: await Promise.all(ids) } },
    { orderBy: { deliveryId: 'asc' } },
  );
  return { eventId, tries };
}

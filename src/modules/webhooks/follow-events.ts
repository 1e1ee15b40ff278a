/** The live feed of events: what an endpoint would be told, without one. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { defineFeed } from '../../db/feed.ts';
import { readListInput } from '../../db/page.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { whileAllowed } from '../accounts/still-allowed.ts';
import { EVENT_CHANNEL } from './announce-webhooks.ts';
import { makeListener } from './listener.ts';
import { loadEventsSince, loadToldEvents } from './load-events.ts';
import { requireWebhookCaller } from './webhook-caller.ts';
import { type ToldEvent, WEBHOOK_EVENTS } from './webhook-events.ts';

/** How much earlier than it is dated an event may have got its id. */
const DATING_MS = 1_000;

/** Which events to follow; absent: all. */
export const followEventsInput = z.strictObject({
  events: z
    .array(z.enum(WEBHOOK_EVENTS, `must be one of ${WEBHOOK_EVENTS.join(', ')}`))
    .min(1, 'must name at least one event, or be absent for all')
    .nullish(),
});

/** The feed of the events of an open database. */
export const eventFeedOf = defineFeed<ToldEvent>({
  channel: EVENT_CHANNEL,
  prefix: 'evt',
  overflow: 'Events come faster than they are read here. Follow them again.',
  load: async (database, ids) => [...(await loadToldEvents(database.sql(), ids)).values()],
  loadSince: (database, accountId, since, limit) =>
    loadEventsSince(
      database.sql(),
      accountId,
      { since, from: uuidFloor(new Date(since.getTime() - DATING_MS)) },
      limit,
    ),
  happenedAt: event => new Date(event.createdAt),
});

/**
 * The verb *follow webhook events*: the events of the account from now on, each when its change is committed. Once the promise
 * resolves nothing is missed, and events are written though no endpoint subscribes to them. Ends without an error when `ctx.signal`
 * aborts or the caller returns.
 * @throws AppError `invalid_input`, `database_unavailable`, and as `requireWebhookCaller`, all before the first event; from the iterator
 * `overloaded` when the caller is too slow, and as `whileAllowed`.
 */
export async function followWebhookEvents(
  ctx: Ctx,
  input: z.infer<typeof followEventsInput> = {},
): Promise<AsyncIterableIterator<ToldEvent, undefined>> {
  const { database } = ctx.services;
  const { id: accountId } = requireWebhookCaller(ctx);
  const { events } = readListInput(followEventsInput, input);
  const wanted = new Set(events ?? WEBHOOK_EVENTS);
  const listener = makeListener(database, accountId, [...wanted], error =>
    ctx.log.warn({ err: error }, 'a follower of webhook events could not be kept registered'),
  );
  const interest = { accountId, matches: ({ event }: ToldEvent) => wanted.has(event), onEnd: listener.end };
  const followed = await eventFeedOf(database).subscribe(interest, ctx.signal);
  try {
    await listener.begin();
  } catch (error) {
    followed.end();
    throw error;
  }
  return whileAllowed(ctx, followed, requireWebhookCaller);
}

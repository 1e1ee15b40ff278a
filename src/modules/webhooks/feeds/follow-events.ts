/** The live feed of events. A follower has a row, for which events are written; it is renewed, and is believed for half a minute. */
import { z } from 'zod';
import type { Ctx } from '../../../context.ts';
import { unavailable } from '../../../db/batch.ts';
import { defineFeed } from '../../../db/feeds/feed.ts';
import { isUnavailable } from '../../../db/statements/sql.ts';
import { statement } from '../../../db/statements/statement.ts';
import { newId, toUuid, uuidFloor } from '../../../kernel/ids.ts';
import { oneOf } from '../../../kernel/input.ts';
import { followWhileAllowed } from '../../accounts/still-allowed.ts';
import { requireWebhookCaller } from '../endpoints/webhook-caller.ts';
import { EVENT_CHANNEL } from '../events/announce-webhooks.ts';
import { loadEventsSince, loadToldEvents } from '../events/load-events.ts';
import { type ToldEvent, WEBHOOK_EVENTS, type WebhookEventName } from '../events/webhook-events.ts';

/** How much earlier than it is dated an event may have got its id. */
const DATING_MS = 1_000;

/** How long a follower is believed there. */
const LISTENER_SECONDS = 30;

/** How often its row is renewed: two renewals may fail. */
const RENEWAL_MS = 10_000;

// Also writes a row again that had run out while the database was away.
const KEEP_LISTENER = statement('keep listener', {
  takes: { id: 'uuid', account: 'uuid', events: 'text[]' },
  sql: p => `insert into webhook_listeners (id, account_id, events, expires_at)
    values (${p.id}, ${p.account}, ${p.events}, clock_timestamp() + interval '${LISTENER_SECONDS} seconds')
    on conflict (id) do update set expires_at = excluded.expires_at`,
});

const END_LISTENER = statement('end listener', {
  takes: { id: 'uuid' },
  sql: p => `delete from webhook_listeners where id = ${p.id}`,
});

// Rows that dead processes left.
const REMOVE_EXPIRED = statement('remove expired listeners', {
  sql: () => `delete from webhook_listeners
    where id in (select id from webhook_listeners where expires_at <= clock_timestamp() for update skip locked)`,
});

/** The input of `followWebhookEvents`. */
export const followEventsInput = z.strictObject({
  events: z
    .array(oneOf(WEBHOOK_EVENTS))
    .min(1, 'must name at least one event, or be absent for all')
    .nullish()
    .meta({ description: 'Only these; all where absent' }),
});

/** The feed of the events of an open database. */
const eventFeedOf = defineFeed<ToldEvent>({
  channel: EVENT_CHANNEL,
  prefix: 'evt',
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
 * Follows the events of the account: once the promise resolves none is missed. Ends when `ctx.signal` aborts or the caller returns. @throws AppError
 * as `requireWebhookCaller` and `followWhileAllowed`.
 */
export async function followWebhookEvents(
  ctx: Ctx,
  input: z.infer<typeof followEventsInput> = {},
): Promise<AsyncIterableIterator<ToldEvent, undefined>> {
  const { database } = ctx.services;
  const { id: accountId } = requireWebhookCaller(ctx);
  const { events } = input;
  const wanted = new Set(events ?? WEBHOOK_EVENTS);
  const listener = makeListener(ctx, accountId, [...wanted]);
  const interest = { accountId, matches: ({ event }: ToldEvent) => wanted.has(event), onEnd: listener.end };
  const followed = await followWhileAllowed(ctx, eventFeedOf(database), interest, requireWebhookCaller);
  try {
    await listener.begin();
  } catch (error) {
    await followed.return?.();
    throw error;
  }
  return followed;
}

/** One who follows the events of an account. */
interface Listener {
  /** Registers it: once this resolves, every change that begins later writes its events. @throws AppError `database_unavailable`. */
  begin(): Promise<void>;
  /** Takes the registration back; safe to repeat. Never rejects: what cannot be removed runs out by itself. */
  end(): Promise<void>;
}

/** Makes a listener, which is not registered yet. Why it could not be renewed is logged, but for a database that is away. */
function makeListener(
  { services: { database }, log }: Ctx,
  accountId: string,
  events: readonly WebhookEventName[],
): Listener {
  const id = toUuid(newId('wls'));
  // Async, so that a database which is closed rejects rather than throws.
  const keep = async () => KEEP_LISTENER.run(database.sql(), { id, account: toUuid(accountId), events });
  const tell = (error: unknown): void => {
    if (!isUnavailable(error)) log.warn({ err: error }, 'a follower of webhook events could not be kept registered');
  };
  // One statement after the other: a renewal that came behind the removal would write the row again.
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  let ending: Promise<void> | null = null;
  const remove = async (): Promise<void> => {
    if (timer) clearInterval(timer);
    await last.catch(() => undefined);
    const end = async () => END_LISTENER.run(database.sql(), { id });
    await end().catch(tell);
  };
  return {
    async begin() {
      if (ending) return;
      const removeExpired = async () => REMOVE_EXPIRED.run(database.sql());
      last = removeExpired().then(keep);
      try {
        await last;
      } catch (error) {
        throw isUnavailable(error) ? unavailable(error) : error;
      }
      if (ending) return;
      timer = setInterval(() => {
        last = last.then(keep).catch(tell);
      }, RENEWAL_MS).unref();
    },
    end() {
      ending ??= remove();
      return ending;
    },
  };
}

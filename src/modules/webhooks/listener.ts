/**
 * The row of one who follows events, by which they are written though no endpoint subscribes. It is renewed while the follower is
 * there; one that a dead process left is believed for half a minute.
 */
import { unavailable } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import { isUnavailable, runSql } from '../../db/sql.ts';
import { newId, toUuid } from '../../kernel/ids.ts';
import type { WebhookEventName } from './webhook-events.ts';

/** How long a follower is believed there. */
const LISTENER_SECONDS = 30;

/** How often its row is renewed: two renewals may fail. */
const RENEWAL_MS = 10_000;

/** Also writes a row again that had run out while the database was away. Parameters: id, account, events. */
const KEEP = `
  insert into webhook_listeners (id, account_id, events, expires_at)
  values ($1, $2, $3::text[], clock_timestamp() + interval '${LISTENER_SECONDS} seconds')
  on conflict (id) do update set expires_at = excluded.expires_at`;

/** What dead processes left. */
const REMOVE_EXPIRED = `
  delete from webhook_listeners
  where id in (select id from webhook_listeners where expires_at <= clock_timestamp() for update skip locked)`;

/** One who follows the events of an account. */
export interface Listener {
  /** Registers it: once this resolves, every change that begins later writes its events. @throws AppError `database_unavailable`. */
  begin(): Promise<void>;
  /** Takes the registration back; safe to repeat. Never rejects: what cannot be removed runs out by itself. */
  end(): Promise<void>;
}

/** Makes a listener, which is not registered yet. `onError` is told why a registration could not be renewed, but for a database that is away. */
export function makeListener(
  database: Database,
  accountId: string,
  events: readonly WebhookEventName[],
  onError: (error: unknown) => void,
): Listener {
  const id = toUuid(newId('wls'));
  const run = async (text: string, parameters: readonly unknown[]): Promise<unknown> =>
    runSql(database.sql(), text, parameters);
  const keep = (): Promise<unknown> => run(KEEP, [id, toUuid(accountId), [...events]]);
  const tell = (error: unknown): void => {
    if (!isUnavailable(error)) onError(error);
  };
  // One statement after the other: a renewal that came behind the removal would write the row again.
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  let ending: Promise<void> | null = null;
  const remove = async (): Promise<void> => {
    if (timer) clearInterval(timer);
    await last.catch(() => undefined);
    await run('delete from webhook_listeners where id = $1', [id]).catch(tell);
  };
  return {
    async begin() {
      if (ending) return;
      last = run(REMOVE_EXPIRED, []).then(keep);
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

/** LISTEN on either engine: every process receives what any process notifies. */
import type { PGlite } from '@electric-sql/pglite';
import type { Client } from 'pg';
import { BoundedClient } from '../postgres/bounded-client.ts';
import { type PostgresTarget, postgresConnections } from '../postgres/postgres.ts';

/** The wait before a lost listener reconnects. */
const RECONNECT_DELAY_MS = 500;

/** How often a listener checks its connection, since a lost server may send nothing. */
const LOOK_INTERVAL_MS = 10_000;

/** Calls back on every notification until the returned function is called, and `onGap` after each reconnection. */
export type Listen = (
  channel: string,
  onNotification: (payload: string) => void,
  onGap: () => void,
) => Promise<() => Promise<void>>;

/** Listens on PGlite, which has no connection to lose. */
export function pgliteListen(pglite: PGlite): Listen {
  return async (channel, onNotification) => pglite.listen(channel, onNotification);
}

/** Listens on its own connection, outside the pool. It reconnects for ever, to survive a restart of the database. */
export function postgresListen(target: PostgresTarget): Listen {
  const { config } = postgresConnections(target, 'heliograph-listen');
  return async (channel, onNotification, onGap) => {
    let closed = false;
    let client: Client | null = null;
    let timer: NodeJS.Timeout | null = null;
    const open = async (): Promise<void> => {
      const next = new BoundedClient(config);
      next.on('notification', message => onNotification(message.payload ?? ''));
      // A lost connection also emits `end`, which is handled below.
      next.on('error', () => undefined);
      client = next;
      try {
        await next.connect();
        await next.query(`listen ${next.escapeIdentifier(channel)}`);
      } catch (error) {
        await next.end().catch(() => undefined);
        throw error;
      }
      const look = setInterval(() => next.query('select 1').catch(() => undefined), LOOK_INTERVAL_MS).unref();
      next.once('end', () => clearInterval(look));
      // Only now: if the first connection fails, the caller gets the error instead of a reconnect.
      next.once('end', reopen);
    };
    const reopen = (): void => {
      if (closed || timer) return;
      timer = setTimeout(() => {
        timer = null;
        open().then(onGap, reopen);
      }, RECONNECT_DELAY_MS);
      timer.unref();
    };
    await open();
    return async () => {
      closed = true;
      if (timer) clearTimeout(timer);
      await client?.end().catch(() => undefined);
    };
  };
}

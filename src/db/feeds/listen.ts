/** LISTEN on either engine: what one process notifies, every process hears. */
import type { PGlite } from '@electric-sql/pglite';
import type { Client } from 'pg';
import { BoundedClient } from '../postgres/bounded-client.ts';
import { type PostgresTarget, postgresConnections } from '../postgres/postgres.ts';

/** How long a lost listener waits before it connects again. */
const RECONNECT_DELAY_MS = 500;

/** How often a listener makes sure that its server is still there: one that is gone without a word would be listened to for ever. */
const LOOK_INTERVAL_MS = 10_000;

/**
 * Calls back for every notification on the channel until the returned function is called; `onGap` after a reconnection,
 * when notifications may have been missed.
 */
export type Listen = (
  channel: string,
  onNotification: (payload: string) => void,
  onGap: () => void,
) => Promise<() => Promise<void>>;

/** Listens on a PGlite, where there is no connection to lose. */
export function pgliteListen(pglite: PGlite): Listen {
  return async (channel, onNotification) => pglite.listen(channel, onNotification);
}

/**
 * Listens on a connection of its own (a pooled one may not be kept). It is opened again for as long as it takes, since a
 * gateway outlives a restart of its database.
 */
export function postgresListen(target: PostgresTarget): Listen {
  const { config } = postgresConnections(target, 'heliograph-listen');
  return async (channel, onNotification, onGap) => {
    let closed = false;
    let client: Client | null = null;
    let timer: NodeJS.Timeout | null = null;
    const open = async (): Promise<void> => {
      const next = new BoundedClient(config);
      next.on('notification', message => onNotification(message.payload ?? ''));
      // What is lost ends too, and that is what is acted on.
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
      // Only now: a connection that never listened is its caller's failure, not a loss to make good.
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

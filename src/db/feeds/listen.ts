/** LISTEN on either engine: every process receives what any process notifies. */
import type { PGlite } from '@electric-sql/pglite';
import type { Client } from 'pg';
import { BoundedClient } from '../postgres/bounded-client.ts';
import { type PostgresConnections, type PostgresTarget, postgresConnections } from '../postgres/postgres.ts';

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

/** Listens on one connection for all channels, outside the pool. It reconnects for ever, to survive a restart of the database. */
export function postgresListen(target: PostgresTarget): Listen {
  const { config } = postgresConnections(target, 'heliograph-listen');
  const listeners = new Listeners(config);
  return (channel, onNotification, onGap) => listeners.listen(channel, { onNotification, onGap });
}

interface Listener {
  onNotification(payload: string): void;
  onGap(): void;
}

/** Those who listen in a process. The connection is open while there are any. */
class Listeners {
  readonly #config: PostgresConnections['config'];
  readonly #channels = new Map<string, Set<Listener>>();
  #client: Client | null = null;
  #opening: Promise<Client> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether a connection was lost, and none has taken its place yet. */
  #hasGap = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(config: PostgresConnections['config']) {
    this.#config = config;
  }

  async listen(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const alike = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, alike.add(listener));
    const stop = (): Promise<void> => this.#remove(channel, listener);
    try {
      const client = this.#client ?? (await this.#open());
      // A connection that was opened before does not listen to it yet; twice is the same as once.
      await this.#run(client, `listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }

  async #remove(channel: string, listener: Listener): Promise<void> {
    const alike = this.#channels.get(channel);
    if (!alike?.delete(listener) || alike.size > 0) return;
    this.#channels.delete(channel);
    if (this.#channels.size > 0) {
      const client = this.#client;
      if (client) await this.#run(client, `unlisten ${client.escapeIdentifier(channel)}`).catch(() => undefined);
      return;
    }
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#opening?.catch(() => undefined);
    // Somebody may listen again by now.
    if (this.#channels.size > 0) return;
    const client = this.#client;
    this.#client = null;
    this.#hasGap = false;
    await client?.end().catch(() => undefined);
  }

  /** Opens the connection; callers that come together share one try. */
  #open(): Promise<Client> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connect(): Promise<Client> {
    const client = new BoundedClient(this.#config);
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { onNotification } of this.#channels.get(channel) ?? []) onNotification(payload);
    });
    // A lost connection also emits `end`, which is handled below.
    client.on('error', () => undefined);
    try {
      await client.connect();
      for (const channel of this.#channels.keys())
        await this.#run(client, `listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    const look = setInterval(() => this.#run(client, 'select 1').catch(() => undefined), LOOK_INTERVAL_MS).unref();
    // Only now: if the first connection fails, the caller gets the error instead of a reconnect.
    client.once('end', () => {
      clearInterval(look);
      if (this.#client === client) this.#lost();
    });
    this.#client = client;
    if (this.#hasGap) for (const { onGap } of [...this.#channels.values()].flatMap(alike => [...alike])) onGap();
    this.#hasGap = false;
    return client;
  }

  /** Runs one statement after another, in the order in which they are asked for: whoever listens again at once does. */
  #run(client: Client, text: string): Promise<unknown> {
    const result = this.#last.then(() => client.query(text));
    this.#last = result.catch(() => undefined);
    return result;
  }

  #lost(): void {
    this.#client = null;
    this.#hasGap = true;
    this.#reopenLater();
  }

  #reopenLater(): void {
    if (this.#channels.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (!this.#client) this.#open().catch(() => this.#reopenLater());
    }, RECONNECT_DELAY_MS).unref();
  }
}

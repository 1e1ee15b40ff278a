/** LISTEN on either engine: every process receives what any process notifies, and knows whether it does. */
import type { PGlite } from '@electric-sql/pglite';
import { shared } from '../../kernel/process/shared.ts';
import { BoundedClient } from '../postgres/bounded-client.ts';
import { type PostgresConnections, type PostgresTarget, postgresConnections } from '../postgres/postgres.ts';
import { ConnectError } from '../postgres/postgres-dial.ts';
import { OverdueError } from '../statements/sql.ts';
import { type Notify, Pulses } from './pulses.ts';

/** The wait before a lost listener reconnects. */
const RECONNECT_DELAY_MS = 500;

/** How often a listener looks after itself. */
const TICK_MS = 1_000;

/** How many ticks after the last round trip the next one begins, and how often those who hear nothing are told to read again. */
const PULSE_TICKS = 2;

/** How many round trips are tried at the start. Each waits for two ticks at least: a slow machine is not deaf. */
const START_TRIES = 3;

/** Calls back on every notification until the returned function is called, and `onGap` whenever some may have been missed. */
export type Listen = (
  channel: string,
  onNotification: (payload: string) => void,
  onGap: () => void,
) => Promise<() => Promise<void>>;

/** Whether a process hears what the others notify. */
export interface Hearing {
  /** Whether no notification of its own has come back for six seconds in which the database took them. False while nobody listens. */
  isDeaf(): boolean;
  /** Notifies through the pool, and hears it on the listening connection. Answers the milliseconds. @throws DeafError, or what the database throws */
  roundTrip(): Promise<number>;
  /** Listens from now on until the returned function is called. `onChange` is told when the process goes deaf, and when it hears again. @throws as `roundTrip` */
  keep(onChange: (isDeaf: boolean) => void): Promise<() => Promise<void>>;
}

/** The listening of a process. */
export interface Listening extends Hearing {
  readonly listen: Listen;
}

/** Notifications through the pool do not arrive. `message` says what to mend. */
export class DeafError extends ConnectError {
  constructor(hasDirectUrl: boolean) {
    super(
      hasDirectUrl
        ? "LISTEN on DATABASE_DIRECT_URL does not hear what DATABASE_URL notifies, as on another database or behind another pooler. Set DATABASE_DIRECT_URL to the same database's own address."
        : "LISTEN does not work through DATABASE_URL, as behind PgBouncer in transaction mode. Set DATABASE_DIRECT_URL to the database's own address.",
    );
    this.name = 'DeafError';
  }
}

/** Listens on PGlite, which notifies its one process and has no connection to lose. */
export function pgliteListening(pglite: PGlite): Listening {
  return {
    listen: async (channel, onNotification) => pglite.listen(channel, onNotification),
    isDeaf: () => false,
    roundTrip: async () => 0,
    keep: async () => async () => undefined,
  };
}

/** Listens on one connection for all channels, outside the pool, and reconnects for ever, to survive a restart of the database. */
export function postgresListening(target: PostgresTarget, notify: Notify): Listening {
  const { url, directUrl = null } = target;
  const { config } = postgresConnections({ ...target, url: directUrl ?? url }, 'heliograph-listen');
  const listeners = new Listeners(config, notify, () => new DeafError(directUrl !== null));
  return {
    listen: (channel, onNotification, onGap) => listeners.listen(channel, { onNotification, onGap }),
    isDeaf: () => listeners.isDeaf,
    roundTrip: listeners.roundTrip,
    keep: onChange => listeners.keep(onChange),
  };
}

/** Whether a machine that is slow may have failed so. */
function isOfSlowness(error: unknown): boolean {
  return error instanceof DeafError || error instanceof OverdueError;
}

interface Listener {
  onNotification(payload: string): void;
  onGap(): void;
}

/** Those who listen in a process. The connection is open while there are any. */
class Listeners {
  readonly #config: PostgresConnections['config'];
  readonly #deafError: () => DeafError;
  readonly #pulses: Pulses;
  readonly #channels = new Map<string, Set<Listener>>();
  #client: BoundedClient | null = null;
  #opening: Promise<BoundedClient> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether a connection was lost, and none has taken its place yet. */
  #hasGap = false;
  #timer: NodeJS.Timeout | null = null;
  #clock: NodeJS.Timeout | null = null;
  #onChange: (isDeaf: boolean) => void = () => undefined;
  #isToldDeaf = false;

  constructor(config: PostgresConnections['config'], notify: Notify, deafError: () => DeafError) {
    this.#config = config;
    this.#deafError = deafError;
    this.#pulses = new Pulses(notify, deafError);
  }

  get isDeaf(): boolean {
    return this.#channels.size > 0 && this.#pulses.isDeaf;
  }

  readonly roundTrip = shared(async () => {
    if (!this.#client) throw this.#deafError();
    return this.#makePulse(this.#client);
  });

  async keep(onChange: (isDeaf: boolean) => void): Promise<() => Promise<void>> {
    this.#onChange = onChange;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.listen(this.#pulses.channel, { onNotification: () => undefined, onGap: () => undefined });
      } catch (error) {
        if (!isOfSlowness(error) || tries === START_TRIES) throw error;
      }
    }
  }

  async listen(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const alike = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, alike.add(listener));
    this.#startClock();
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
      if (client && channel !== this.#pulses.channel)
        await this.#run(client, `unlisten ${client.escapeIdentifier(channel)}`).catch(() => undefined);
      return;
    }
    if (this.#clock) clearInterval(this.#clock);
    this.#clock = null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    // Nobody waits for it any more.
    this.#pulses.fail();
    await this.#opening?.catch(() => undefined);
    // Somebody may listen again by now.
    if (this.#channels.size > 0) return;
    const client = this.#client;
    this.#client = null;
    this.#hasGap = false;
    await client?.end().catch(() => undefined);
  }

  /** Opens the connection; callers that come together share one try. */
  #open(): Promise<BoundedClient> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connect(): Promise<BoundedClient> {
    const client = new BoundedClient(this.#config);
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.#pulses.channel) this.#pulses.hear(payload);
      for (const { onNotification } of this.#channels.get(channel) ?? []) onNotification(payload);
    });
    // A lost connection also emits `end`, which is handled below.
    client.on('error', () => undefined);
    try {
      await client.connect();
      for (const channel of new Set([this.#pulses.channel, ...this.#channels.keys()]))
        await this.#run(client, `listen ${client.escapeIdentifier(channel)}`);
      await this.#makePulse(client);
    } catch (error) {
      client.drop();
      throw error;
    }
    // Only now: if the first connection fails, the caller gets the error instead of a reconnect.
    client.once('end', () => {
      if (this.#client === client) this.#lost();
    });
    this.#client = client;
    if (this.#hasGap) this.#tellGap();
    this.#hasGap = false;
    return client;
  }

  /** Runs one statement after another, in the order in which they are asked for: whoever listens again at once does. */
  #run(client: BoundedClient, text: string): Promise<unknown> {
    return this.#inTurn(() => client.query(text));
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(run);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /**
   * Notifies through the pool and hears it on the connection, where nothing else runs meanwhile. A pooler in transaction mode hands over
   * notifications only while a statement of the session runs, so a round trip would pass by chance.
   */
  #makePulse(client: BoundedClient): Promise<number> {
    return this.#inTurn(() => this.#pulses.make(client));
  }

  #startClock(): void {
    if (this.#clock) return;
    this.#pulses.reset();
    this.#clock = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    const client = this.#client;
    this.#pulses.tick();
    if (!client && !this.#pulses.isUnderWay) void this.#pulses.probe();
    if (client && !this.#pulses.isUnderWay && this.#pulses.ticks >= PULSE_TICKS)
      this.roundTrip().catch(error => {
        // A notification that was not accepted says nothing of the listener.
        if (error instanceof DeafError) client.drop();
      });
    // Listeners that hear nothing read again by time.
    if (this.#hasGap && this.#pulses.ticks % PULSE_TICKS === 0) this.#tellGap();
    if (this.isDeaf !== this.#isToldDeaf) {
      this.#isToldDeaf = this.isDeaf;
      this.#onChange(this.isDeaf);
    }
  }

  #tellGap(): void {
    for (const { onGap } of [...this.#channels.values()].flatMap(alike => [...alike])) onGap();
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

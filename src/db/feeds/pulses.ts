/** Finds out whether a process hears what is notified: it notifies itself, and counts the ticks until it hears that. */
import { randomBytes, randomUUID } from 'node:crypto';
import { shared } from '../../kernel/process/shared.ts';
import { answeredIn, type BoundedClient } from '../postgres/bounded-client.ts';
import { ConnectError } from '../postgres/postgres-dial.ts';

/** How many ticks a notification may take. Ticks and not time: a process that stood still reads what has come before it judges. */
const HEAR_TICKS = 2;

/** How many ticks without a round trip make a process deaf. */
const DEAF_TICKS = 6;

/** How long the server may take to accept a notification: longer says nothing of the listener. */
const NOTIFY_MS = 3_000;

/** Sends a notification through the pool of a process. */
export type Notify = (channel: string, payload: string) => Promise<unknown>;

/** A notification to itself that is under way. */
interface Pulse {
  readonly payload: string;
  /** How many ticks ago the server accepted it; null: it has not yet. */
  ticks: number | null;
  heard(): void;
  fail(error: Error): void;
}

/** The notifications of a process to itself, one at a time. */
export class Pulses {
  /** The channel of this process alone: its pulse wakes nobody else. */
  readonly channel = `heliograph_pulse_${randomBytes(8).toString('hex')}`;
  readonly #notify: Notify;
  readonly #deafError: () => Error;
  #pulse: Pulse | null = null;
  #ticks = 0;
  /** Ticks since the last round trip while the database accepted what was notified: one that is away makes nobody deaf. */
  #deafTicks = 0;
  #isAccepted = false;

  constructor(notify: Notify, deafError: () => Error) {
    this.#notify = notify;
    this.#deafError = deafError;
  }

  /** Ticks since the last round trip. */
  get ticks(): number {
    return this.#ticks;
  }

  /** Whether one is under way. */
  get isUnderWay(): boolean {
    return this.#pulse !== null;
  }

  /** Whether none has come back for so long that the process takes itself for deaf. */
  get isDeaf(): boolean {
    return this.#deafTicks >= DEAF_TICKS;
  }

  /** Counts from now on. */
  reset(): void {
    this.#ticks = 0;
    this.#deafTicks = 0;
  }

  /** A second has passed. */
  tick(): void {
    this.#ticks += 1;
    if (this.#isAccepted) this.#deafTicks += 1;
    const pulse = this.#pulse;
    if (!pulse || pulse.ticks === null) return;
    pulse.ticks += 1;
    if (pulse.ticks > HEAR_TICKS) this.fail();
  }

  /** Takes what was heard on the channel. */
  hear(payload: string): void {
    if (payload === this.#pulse?.payload) this.#pulse.heard();
  }

  /** Gives up the one that is under way. */
  fail(): void {
    this.#pulse?.fail(this.#deafError());
  }

  /** Notifies through the pool, and hears it on the client. Answers the milliseconds. @throws the error of `deafError`, or of the database */
  async make(client: BoundedClient): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    const pulse: Pulse = { payload: randomUUID(), ticks: null, heard: resolve, fail: reject };
    const end = (): void => reject(new ConnectError('Connection terminated unexpectedly', 'ECONNRESET'));
    client.once('end', end);
    this.#pulse = pulse;
    const beganMs = performance.now();
    try {
      await Promise.race([this.#tell(pulse.payload), promise]);
      pulse.ticks = 0;
      await promise;
      this.reset();
      return performance.now() - beganMs;
    } finally {
      client.off('end', end);
      this.#pulse = null;
    }
  }

  /** Finds out whether the database accepts notifications while nothing is there to hear them on. */
  readonly probe = shared(() => this.#tell('').catch(() => undefined));

  async #tell(payload: string): Promise<void> {
    this.#isAccepted = false;
    await answeredIn(NOTIFY_MS, this.#notify(this.channel, payload));
    this.#isAccepted = true;
  }
}

/** Reads and reports give way to sends: they come in any number, and each holds up the one thread of a process. */
import { AppError } from '../errors.ts';

/** How long after a send others still give way, in milliseconds. */
const PRESENT_MS = 1_000;

/** How long a client of a lane runs beside sends before it rests, in milliseconds: a page asks several queries at once, and then none. */
const BURST_MS = 50;

/** How long a client rests at most, in milliseconds: what it did took longer because something else held the process up. */
const REST_MS_MAX = 100;

/** A clock in milliseconds that never goes back. */
type Now = () => number;

/** When the accounts of a process last sent. */
export class Sends {
  /** The account that sent last, and the last one of another account. */
  #newest = { accountId: '', atMs: Number.NEGATIVE_INFINITY };
  #other = this.#newest;
  readonly #now: Now;

  constructor(now: Now = () => performance.now()) {
    this.#now = now;
  }

  /** An account sends, or checks a code. */
  noteSend(accountId: string): void {
    if (accountId !== this.#newest.accountId) this.#other = this.#newest;
    this.#newest = { accountId, atMs: this.#now() };
  }

  /** Whether an account has sent in the last second. @param except an account that does not count; null: all do */
  isAnySending(except: string | null): boolean {
    const { atMs } = this.#newest.accountId === except ? this.#other : this.#newest;
    return this.#now() - atMs < PRESENT_MS;
  }
}

/** The work of one client in a lane. */
interface Slot {
  running: number;
  /** How many began since none ran. */
  begun: number;
  /** When the first of them did, in milliseconds. */
  startedMs: number;
  /** When all that it did is rested for, in milliseconds. */
  restedMs: number;
  isResting: boolean;
  readonly waiting: (() => void)[];
}

/** How much of one client a lane takes. */
export interface LaneBounds {
  /** How much runs at once while nobody sends. */
  readonly alone: number;
  /** How much runs at once, and then rests, while somebody sends. */
  readonly besideSends: number;
  /** Whether an account gives way to its own sends too. */
  readonly toOwnSends: boolean;
  /** The part of the time that a client gets beside sends. */
  readonly share: number;
  readonly waitingMax: number;
}

interface LaneClient {
  readonly name: string;
  /** The account that it belongs to; null: none. */
  readonly accountId: string | null;
}

/** Work of one kind. Beside sends each client gets a part of the time, and no client waits for another. */
export class Lane {
  readonly #sends: Sends;
  readonly #bounds: LaneBounds;
  readonly #now: Now;
  readonly #slots = new Map<string, Slot>();

  constructor(sends: Sends, bounds: LaneBounds, now: Now = () => performance.now()) {
    this.#sends = sends;
    this.#bounds = bounds;
    this.#now = now;
  }

  /**
   * Runs work of a client, now or in its turn.
   * @param onWait called once if the work has to wait
   * @throws AppError `rate_limited` if too much of the client waits; errors of `work`
   */
  async run<Result>(client: LaneClient, work: () => Promise<Result> | Result, onWait?: () => void): Promise<Result> {
    const slot = this.#slots.get(client.name) ?? this.#add(client.name);
    if (this.#hasRoom(slot, client)) this.#begin(slot);
    else {
      if (slot.waiting.length >= this.#bounds.waitingMax) throw tooMuch();
      onWait?.();
      await new Promise<void>(resolve => slot.waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      slot.running -= 1;
      this.#goOn(slot, client);
    }
  }

  /** Adds a client, and forgets those that have nothing here any more and have rested. */
  #add(name: string): Slot {
    for (const [other, { running, waiting, restedMs }] of this.#slots)
      if (running + waiting.length === 0 && restedMs <= this.#now()) this.#slots.delete(other);
    const slot = { running: 0, begun: 0, startedMs: 0, restedMs: 0, isResting: false, waiting: [] };
    this.#slots.set(name, slot);
    return slot;
  }

  #isBesideSends({ accountId }: LaneClient): boolean {
    return this.#sends.isAnySending(this.#bounds.toOwnSends ? null : accountId);
  }

  /** Counts work that began, and not work that runs: else a new piece would begin before the last one ends, and the client never rest. */
  #hasRoom(slot: Slot, client: LaneClient): boolean {
    const { alone, besideSends } = this.#bounds;
    if (slot.isResting) return false;
    return this.#isBesideSends(client) ? slot.begun < besideSends : slot.running < alone;
  }

  #begin(slot: Slot): void {
    if (slot.running === 0) slot.startedMs = this.#now();
    slot.running += 1;
    slot.begun += 1;
  }

  #goOn(slot: Slot, client: LaneClient): void {
    const hasEnded = slot.running === 0;
    if (hasEnded) slot.begun = 0;
    const restMs = hasEnded && this.#isBesideSends(client) ? this.#restMs(slot) : 0;
    if (restMs <= 0) {
      this.#beginWaiting(slot, client);
      return;
    }
    slot.isResting = true;
    const rested = (): void => {
      slot.isResting = false;
      this.#beginWaiting(slot, client);
    };
    setTimeout(rested, Math.min(REST_MS_MAX, restMs));
  }

  /** How long a client has to rest after what it did. */
  #restMs(slot: Slot): number {
    const { share } = this.#bounds;
    const nowMs = this.#now();
    slot.restedMs = Math.max(slot.restedMs, slot.startedMs) + (nowMs - slot.startedMs) / share;
    return slot.restedMs - BURST_MS / share - nowMs;
  }

  #beginWaiting(slot: Slot, client: LaneClient): void {
    while (slot.waiting.length > 0 && this.#hasRoom(slot, client)) {
      this.#begin(slot);
      slot.waiting.shift()?.();
    }
  }
}

function tooMuch(): AppError {
  return new AppError('rate_limited', 'Too many queries of this account wait for their turn. Ask for less at once.', {
    retryAfter: 1,
  });
}

/** The lanes in which passwords wait for their turn. Each costs 19 MiB and 30 ms of a core: a bound on them leaves the rest to sends. */
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { AppError } from '../../../kernel/errors.ts';
import { Counts } from '../../../kernel/process/counts.ts';

/** The bounds of a lane. */
export interface LaneBounds {
  /** How many may wait behind the one whose turn it is. */
  readonly waitingMax: number;
  /** How many have their turn in a second, once `burst` had theirs without a rest. */
  readonly perSecond: number;
  readonly burst: number;
}

/** How many may be in a lane at once for one person, and for what many share: an address, a network, an account. */
const EACH_MAX = { person: 2, shared: 6 } as const;

/** Whom a place counts for. */
export interface Whom {
  readonly person: string;
  readonly shared: readonly string[];
}

/** Waits until a password may be computed. Work that ends before its turn costs the others none. */
export type Turn = () => Promise<void>;

/** When a place is likely to be free again, in seconds. */
const RETRY_AFTER = 2;

/** Works on one password at a time, and rests between them. A full lane refuses before any work is done. */
export class PasswordLane {
  readonly #bounds: LaneBounds;
  readonly #inTurn = pLimit(1);
  readonly #ofPerson = new Counts(EACH_MAX.person);
  readonly #ofShared = new Counts(EACH_MAX.shared);
  /** When all that had their turn have been rested for, by `performance.now()`. */
  #restedAtMs = 0;

  constructor(bounds: LaneBounds) {
    this.#bounds = bounds;
  }

  /**
   * Runs the work on a password when it is the only one; the work asks for its turn before each that it computes.
   * @throws AppError `rate_limited` where no place is left, and what `work` throws
   */
  async run<Result>(
    { person, shared }: Whom,
    signal: AbortSignal,
    work: (turn: Turn) => Promise<Result>,
  ): Promise<Result> {
    const places = [this.#ofPerson.enter(person), ...shared.map(key => this.#ofShared.enter(key))];
    const leave = (): void => {
      for (const place of places) place?.();
    };
    if (this.#inTurn.pendingCount >= this.#bounds.waitingMax || places.includes(null)) {
      leave();
      throw new AppError('rate_limited', `Too many passwords are being checked. Try again in ${RETRY_AFTER} seconds.`, {
        retryAfter: RETRY_AFTER,
      });
    }
    try {
      return await this.#inTurn(() => {
        // Nobody waits for it any more.
        signal.throwIfAborted();
        return work(() => this.#takeTurn(signal));
      });
    } finally {
      leave();
    }
  }

  async #takeTurn(signal: AbortSignal): Promise<void> {
    const { perSecond, burst } = this.#bounds;
    const eachMs = 1_000 / perSecond;
    const restMs = this.#restedAtMs - (burst - 1) * eachMs - performance.now();
    if (restMs > 0) await wait(restMs);
    signal.throwIfAborted();
    this.#restedAtMs = Math.max(this.#restedAtMs, performance.now()) + eachMs;
  }
}

/** The lane of strangers: all of them together take an eighth of a core. */
export const strangersLane = new PasswordLane({ waitingMax: 16, perSecond: 4, burst: 10 });

/** The lane of people known by a session, a device or a link that they were sent. Strangers cannot fill it. */
export const knownLane = new PasswordLane({ waitingMax: 16, perSecond: 6, burst: 20 });

/** One follower of a feed: a bounded buffer between the feed, which does not wait, and a slow reader. */
import { Turns } from '../../kernel/process/turns.ts';

/** How many rows may wait for a slow follower before the oldest are left out. */
export const BUFFER_SIZE_MAX = 1_000;

/** A row of a feed. */
export interface FeedRow {
  readonly id: string;
  readonly accountId: string;
}

/** The interest of a follower. */
export interface Interest<Row extends FeedRow> {
  readonly accountId: string;
  /** Whether a row of the account passes. */
  matches(row: Row): boolean;
  /** Told before a row is handed over that so many before it were left out. */
  onLeftOut?(count: number): void;
  /** Called once when the follower ends, for any reason; `return` and the closing feed await it. Never rejects. */
  onEnd?(): Promise<void>;
}

type Result<Row> = IteratorResult<Row, undefined>;

const DONE = { done: true, value: undefined } as const;

/** The part of the time of a process that followers get while they ask for more: each row costs a run of GraphQL. */
const SHARE = 1 / 5;

/** All followers of a process have one event loop. */
const TURNS = new Turns(SHARE);

/** The iterator of a follower, with the methods for its feed. */
export class Subscription<Row extends FeedRow> implements AsyncIterableIterator<Row, undefined> {
  readonly interest: Interest<Row>;
  /** When it began; earlier rows are not handed over. */
  readonly since: Date;
  readonly #onEnd: (subscription: Subscription<Row>) => void;
  readonly #signal: AbortSignal;
  #buffer: Row[] = [];
  #leftOut = 0;
  #waiting: PromiseWithResolvers<Result<Row>>[] = [];
  #hasTurn = false;
  #isEnded = false;
  #ending: Promise<void> = Promise.resolve();
  #failure: Error | null = null;

  /** @param feed when it begins, and who is told of the end */
  constructor(
    interest: Interest<Row>,
    signal: AbortSignal,
    { since, onEnd }: { readonly since: Date; readonly onEnd: (subscription: Subscription<Row>) => void },
  ) {
    this.interest = interest;
    this.since = since;
    this.#onEnd = onEnd;
    this.#signal = signal;
    if (signal.aborted) this.end();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Whether it has ended; rows in the buffer may still come. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Resolves when the cleanup (`onEnd`) of an ended follower is done. */
  get ending(): Promise<void> {
    return this.#ending;
  }

  /** Hands a row over if it matches, in a turn of its account. If too many wait, the oldest is left out. */
  push(row: Row): void {
    if (this.#isEnded || row.accountId !== this.interest.accountId || !this.interest.matches(row)) return;
    if (this.#buffer.length >= BUFFER_SIZE_MAX) {
      this.#buffer.shift();
      this.leaveOut();
    }
    this.#buffer.push(row);
    this.#takeTurn();
  }

  /** A row before the next one is left out, or it is not known how many. */
  leaveOut(): void {
    this.#leftOut += 1;
  }

  /** Ends it with an error, after the waiting rows, so that the reader knows where the gap begins. */
  fail(error: Error): void {
    if (this.#isEnded) return;
    this.#failure = error;
    this.#finish();
  }

  /** Ends it without the waiting rows; `error` is told to the reader, if there is one. */
  end(error: Error | null = null): void {
    this.#buffer = [];
    if (!this.#isEnded || !error) this.#failure = error;
    this.#finish();
  }

  next(): Promise<Result<Row>> {
    const waiting = Promise.withResolvers<Result<Row>>();
    this.#waiting.push(waiting);
    this.#settle();
    this.#takeTurn();
    return waiting.promise;
  }

  async return(): Promise<Result<Row>> {
    this.end();
    await this.#ending;
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onAbort = (): void => this.end();

  #takeTurn(): void {
    if (this.#hasTurn || this.#buffer.length === 0 || this.#waiting.length === 0) return;
    this.#hasTurn = true;
    TURNS.enter(this.interest.accountId, () => {
      this.#hasTurn = false;
      this.#hand();
      this.#settle();
      this.#takeTurn();
    });
  }

  #hand(): void {
    const row = this.#buffer.shift();
    const waiting = row && this.#waiting.shift();
    if (!waiting) return;
    if (this.#leftOut > 0) this.interest.onLeftOut?.(this.#leftOut);
    this.#leftOut = 0;
    waiting.resolve({ done: false, value: row });
  }

  #finish(): void {
    if (!this.#isEnded) {
      this.#isEnded = true;
      this.#signal.removeEventListener('abort', this.#onAbort);
      this.#ending = this.interest.onEnd?.() ?? this.#ending;
      this.#onEnd(this);
    }
    this.#settle();
  }

  /** Tells those who wait that there is nothing more, the first of them why. */
  #settle(): void {
    if (!this.#isEnded || this.#buffer.length > 0) return;
    for (const waiting of this.#waiting.splice(0)) {
      const failure = this.#failure;
      this.#failure = null;
      if (failure) waiting.reject(failure);
      else waiting.resolve(DONE);
    }
  }
}

/** One follower of a feed: a bounded buffer between the feed, which does not wait, and a slow reader. */
import { AppError } from '../../kernel/errors.ts';

/** How many rows may wait for a slow follower before it is ended. */
export const BUFFER_SIZE_MAX = 1_000;

/** A row of a feed. */
export interface FeedRow {
  readonly id: string;
  readonly accountId: string;
}

/** What a follower wants. */
export interface Interest<Row extends FeedRow> {
  readonly accountId: string;
  /** Whether a row of the account passes. */
  matches(row: Row): boolean;
  /** Called once when the follower ends, for any reason; `return` and the closing feed await it. Never rejects. */
  onEnd?(): Promise<void>;
}

type Result<Row> = IteratorResult<Row, undefined>;

const DONE = { done: true, value: undefined } as const;

/** The iterator of a follower, with the methods for its feed. */
export class Subscription<Row extends FeedRow> implements AsyncIterableIterator<Row, undefined> {
  readonly interest: Interest<Row>;
  /** When it began; earlier rows are not handed over. */
  readonly since = new Date();
  readonly #overflow: string;
  readonly #onEnd: (subscription: Subscription<Row>) => void;
  readonly #signal: AbortSignal;
  #buffer: Row[] = [];
  #waiting: PromiseWithResolvers<Result<Row>>[] = [];
  #isEnded = false;
  #ending: Promise<void> = Promise.resolve();
  #failure: Error | null = null;

  /** @param overflow the error message when too many rows wait */
  constructor(
    interest: Interest<Row>,
    signal: AbortSignal,
    overflow: string,
    onEnd: (subscription: Subscription<Row>) => void,
  ) {
    this.interest = interest;
    this.#overflow = overflow;
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

  /** Hands a row over if it matches. Ends the follower with `overloaded` if too many rows wait. */
  push(row: Row): void {
    if (this.#isEnded || row.accountId !== this.interest.accountId || !this.interest.matches(row)) return;
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ done: false, value: row });
    else if (this.#buffer.length < BUFFER_SIZE_MAX) this.#buffer.push(row);
    else this.overflow();
  }

  /** Ends it with `overloaded`, because some rows were lost. */
  overflow(): void {
    this.fail(new AppError('overloaded', this.#overflow, { retryAfter: 1 }));
  }

  /** Ends it with an error, after the waiting rows, so that the reader knows where the gap begins. */
  fail(error: Error): void {
    if (this.#isEnded) return;
    this.#failure = error;
    this.#finish();
  }

  /** Ends it without an error. */
  end(): void {
    this.#buffer = [];
    this.#failure = null;
    this.#finish();
  }

  next(): Promise<Result<Row>> {
    const row = this.#buffer.shift();
    if (row) return Promise.resolve({ done: false, value: row });
    const failure = this.#failure;
    this.#failure = null;
    if (failure) return Promise.reject(failure);
    if (this.#isEnded) return Promise.resolve(DONE);
    const waiting = Promise.withResolvers<Result<Row>>();
    this.#waiting.push(waiting);
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

  #finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    const [first, ...others] = this.#waiting;
    this.#waiting = [];
    const failure = this.#failure;
    if (first && failure) {
      this.#failure = null;
      first.reject(failure);
    } else first?.resolve(DONE);
    for (const waiting of others) waiting.resolve(DONE);
    this.#ending = this.interest.onEnd?.() ?? this.#ending;
    this.#onEnd(this);
  }
}

/** One follower of the log: a bounded buffer between the feed, which does not wait, and a caller who may be slow. */
import { AppError } from '../../kernel/errors.ts';
import type { Attempt } from '../routing/attempt.entity.ts';

/** How many entries wait for a slow follower before it is ended. */
export const BUFFER_SIZE_MAX = 1_000;

/** What a follower wants. */
export interface LogInterest {
  readonly accountId: string;
  /** Whether an entry of the account passes. */
  matches(attempt: Attempt): boolean;
}

type Result = IteratorResult<Attempt, undefined>;

const DONE: Result = { done: true, value: undefined };

/** The iterator that a follower is given, with the side that the feed pushes to. */
export class LogSubscription implements AsyncIterableIterator<Attempt, undefined> {
  readonly interest: LogInterest;
  /** When it began: what was finished before is none of its business. */
  readonly since = new Date();
  readonly #onEnd: (subscription: LogSubscription) => void;
  readonly #signal: AbortSignal;
  #buffer: Attempt[] = [];
  #waiting: PromiseWithResolvers<Result>[] = [];
  #ended = false;
  #failure: Error | null = null;

  constructor(interest: LogInterest, signal: AbortSignal, onEnd: (subscription: LogSubscription) => void) {
    this.interest = interest;
    this.#onEnd = onEnd;
    this.#signal = signal;
    if (signal.aborted) this.end();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Whether nothing more will come, but for what waits in the buffer. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** Hands an entry over if it is wanted. A follower who lets too many wait is ended with `overloaded`. */
  push(attempt: Attempt): void {
    if (this.#ended || attempt.accountId !== this.interest.accountId || !this.interest.matches(attempt)) return;
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ done: false, value: attempt });
    else if (this.#buffer.length < BUFFER_SIZE_MAX) this.#buffer.push(attempt);
    else this.fail(tooSlow());
  }

  /** Ends it with an error, which comes after what waits: the follower knows from where on it missed something. */
  fail(error: Error): void {
    if (this.#ended) return;
    this.#failure = error;
    this.#finish();
  }

  /** Ends it without an error. */
  end(): void {
    this.#buffer = [];
    this.#failure = null;
    this.#finish();
  }

  next(): Promise<Result> {
    const attempt = this.#buffer.shift();
    if (attempt) return Promise.resolve({ done: false, value: attempt });
    const failure = this.#failure;
    this.#failure = null;
    if (failure) return Promise.reject(failure);
    if (this.#ended) return Promise.resolve(DONE);
    const waiting = Promise.withResolvers<Result>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  return(): Promise<Result> {
    this.end();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onAbort = (): void => this.end();

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    const [first, ...others] = this.#waiting;
    this.#waiting = [];
    const failure = this.#failure;
    if (first && failure) {
      this.#failure = null;
      first.reject(failure);
    } else first?.resolve(DONE);
    for (const waiting of others) waiting.resolve(DONE);
    this.#onEnd(this);
  }
}

/** The end of a follower to whom not everything can be handed over. */
export function tooSlow(): AppError {
  return new AppError('overloaded', 'The log grows faster than it is read here. Follow it again, or list it.', {
    retryAfter: 1,
  });
}

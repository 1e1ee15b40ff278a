/** The event streams of a process: their bounds for an account and in all, and the messages in them beside rows. */
import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { toPublicError } from '../errors.ts';
import { type Begun, refused } from './limit-operations.ts';
import { type Place, StreamPlaces } from './stream-places.ts';

/** The `Retry-After` of a refused stream, in seconds: streams last. */
const RETRY_SECONDS = 5;

/** How many streams a process has open: they are no work, but each costs memory. */
const ALL_MAX = 2_000;

interface OpenStreams {
  /** Refuses a stream too many before it is counted: a client that was refused asks again and again. */
  readonly refusals: Plugin<Ctx>;
  /** Begins streams, or refuses them. */
  readonly plugin: Plugin<Ctx>;
  /** Ends the stream of a request, if it has begun, without a message. */
  end(ctx: Ctx): Promise<void>;
}

/**
 * Opens at most `max` streams for an account, over all of its tokens and people; an operator's are not counted.
 * Above `allMax` streams of the process, the account with the most makes room for one that has fewer.
 */
export function createOpenStreams(max: number, allMax = ALL_MAX): OpenStreams {
  const open = new WeakMap<Ctx, AsyncIterator<ExecutionResult>>();
  const places = new StreamPlaces(max, allMax);
  const oneTooMany = refused(tooMany(max));
  const refusals: Plugin<Ctx> = {
    onSubscribe({ args, setResultAndStopExecution }: Begun) {
      if (places.hasAll(countedAccount(args.contextValue))) setResultAndStopExecution(oneTooMany);
    },
  };
  const plugin: Plugin<Ctx> = {
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const ctx = args.contextValue;
      setSubscribeFn(async given => {
        const place = places.take(countedAccount(ctx));
        if (!place) return oneTooMany;
        const results = await begin(ctx, async () => subscribeFn(given), place);
        if (Symbol.asyncIterator in results) open.set(ctx, results);
        return results;
      });
    },
  };
  return {
    refusals,
    plugin,
    async end(ctx) {
      await open.get(ctx)?.return?.();
    },
  };
}

function countedAccount({ actor }: Ctx): string | null {
  return actor.kind === 'token' || actor.kind === 'user' ? actor.account.id : null;
}

function tooMany(max: number): AppError {
  return new AppError(
    'rate_limited',
    `The account follows ${max} streams of events here, as many as it may (STREAMS_PER_ACCOUNT). End one of them first.`,
    { retryAfter: RETRY_SECONDS },
  );
}

const FULL = new AppError(
  'overloaded',
  'This process follows as many streams of events as it may. Try again in a moment.',
  {
    retryAfter: RETRY_SECONDS,
  },
);

const MAKES_ROOM = new AppError(
  'overloaded',
  'The stream makes room for another account: the process follows as many as it may, and most of them for this one. Follow again in a moment.',
  { retryAfter: RETRY_SECONDS },
);

/** Begins a stream, and leaves its place when it is over, however it ends. */
async function begin(
  ctx: Ctx,
  subscribe: () => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>,
  place: Place,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  try {
    const results = await subscribe();
    if (!isAsyncIterable(results)) {
      place.leave();
      return results;
    }
    const stream = told(results[Symbol.asyncIterator](), ctx, place);
    if (ctx.signal.aborted) place.leave();
    // Nobody may read it to its end.
    ctx.signal.addEventListener('abort', place.leave, { once: true });
    if (place.keep(stream.makeRoom)) return stream;
    await stream.return();
    return refused(FULL);
  } catch (error) {
    place.leave();
    throw error;
  }
}

/** The results, each with the number of rows that were dropped before it. An error is the last result: a broken stream would say nothing. */
function told(results: AsyncIterator<ExecutionResult>, ctx: Ctx, { leave }: Place) {
  let isOver = false;
  let isUnwanted = false;
  const over = (): void => {
    isOver = true;
    leave();
  };
  return {
    /** Ends the stream with an error that says why. */
    makeRoom(): void {
      isUnwanted = true;
      leave();
      // A `next` that waits for a row ends by this.
      results.return?.().catch(() => undefined);
    },
    async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
      if (isOver) return DONE;
      try {
        const result = isUnwanted ? DONE : await results.next();
        if (isUnwanted) throw MAKES_ROOM;
        if (result.done) over();
        return result.done ? DONE : { done: false, value: withGap(result.value, ctx) };
      } catch (error) {
        over();
        return { done: false, value: { errors: [toPublicError(error, ctx)] } };
      }
    },
    async return() {
      over();
      await results.return?.();
      return DONE;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const DONE = { done: true, value: undefined } as const;

function withGap(result: ExecutionResult, { request: { gap } }: Ctx): ExecutionResult {
  const { rows: dropped } = gap;
  if (dropped === 0) return result;
  gap.rows = 0;
  return { ...result, extensions: { ...result.extensions, dropped } };
}

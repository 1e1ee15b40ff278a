/** The streams of events of a process: how many an account may have open, and what is told in them beside rows. */
import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { toPublicError } from '../errors.ts';
import { refused } from './limit-operations.ts';

/** When it is worth another try, in seconds: streams last. */
const RETRY_SECONDS = 5;

/** The open streams of a process. */
export interface OpenStreams {
  /** Begins those that may begin. */
  readonly plugin: Plugin<Ctx>;
  /** Ends that of a request, if it has begun: nobody is told of it. */
  end(ctx: Ctx): Promise<void>;
}

/** Opens as many streams for an account as `max`, over all of its tokens and people, and refuses one more; an operator's are not counted. */
export function createOpenStreams(max: number): OpenStreams {
  const open = new WeakMap<Ctx, AsyncIterator<ExecutionResult>>();
  const counts = new Map<string, number>();
  const enter = (accountId: string): (() => void) | null => {
    const count = counts.get(accountId) ?? 0;
    if (count >= max) return null;
    counts.set(accountId, count + 1);
    return once(() => {
      const left = (counts.get(accountId) ?? 1) - 1;
      if (left > 0) counts.set(accountId, left);
      else counts.delete(accountId);
    });
  };
  const plugin: Plugin<Ctx> = {
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const ctx = args.contextValue;
      setSubscribeFn(async given => {
        const accountId = countedAccount(ctx);
        const leave = accountId === null ? () => undefined : enter(accountId);
        if (!leave) return refused(tooMany(max));
        const results = await begin(ctx, async () => subscribeFn(given), leave);
        if (Symbol.asyncIterator in results) open.set(ctx, results);
        return results;
      });
    },
  };
  return {
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

/** Begins a stream, and calls `leave` when it is over, however it ends. */
async function begin(
  ctx: Ctx,
  subscribe: () => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>,
  leave: () => void,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  try {
    const results = await subscribe();
    if (!isAsyncIterable(results)) {
      leave();
      return results;
    }
    if (ctx.signal.aborted) leave();
    // Nobody may read it to its end.
    ctx.signal.addEventListener('abort', leave, { once: true });
    return told(results[Symbol.asyncIterator](), ctx, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

/** The results with what was left out before each, and with the error that ends them as the last one: a stream that only breaks says nothing. */
function told(
  results: AsyncIterator<ExecutionResult>,
  ctx: Ctx,
  leave: () => void,
): AsyncIterableIterator<ExecutionResult> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
    leave();
  };
  return {
    async next() {
      if (isOver) return DONE;
      try {
        const result = await results.next();
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

function once(call: () => void): () => void {
  let isCalled = false;
  return () => {
    if (!isCalled) call();
    isCalled = true;
  };
}

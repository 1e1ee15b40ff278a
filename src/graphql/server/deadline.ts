/** The time that an operation may take. A subscription is bounded until it has begun. */
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Actor, type Ctx, withinDeadline } from '../../context.ts';
import { AppError, ERRORS } from '../../kernel/errors.ts';
import { fieldsWith } from './document-limits.ts';

/** Ends operations that take longer than `deadlineMs`, or whose caller is gone, with what they do in the database. A send goes on. */
export function boundedTime(deadlineMs?: number): Plugin<Ctx> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const run = (contextValue: Ctx) => executeFn({ ...args, contextValue });
      if (isUnbounded(args, args.contextValue.actor)) setExecuteFn(() => run(args.contextValue));
      else setExecuteFn(() => inTime(args.contextValue, run, deadlineMs));
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      setSubscribeFn(given =>
        inTime(args.contextValue, ctx => subscribeFn({ ...given, contextValue: ctx }), deadlineMs),
      );
    },
  };
}

function isUnbounded(args: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>, actor: Actor): boolean {
  const operation = getOperationAST(args.document, args.operationName);
  if (!operation) return false;
  const unbounded = fieldsWith(
    args.schema,
    operation,
    ({ deadlineFor }) => deadlineFor === 'nobody' || (deadlineFor === 'tokens' && actor.kind === 'operator'),
  );
  return unbounded.length > 0;
}

async function inTime<Result>(
  given: Ctx,
  run: (ctx: Ctx) => Result | PromiseLike<Result>,
  deadlineMs: number | undefined,
): Promise<Result | ExecutionResult> {
  try {
    return await withinDeadline(given, run, deadlineMs);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return late(error);
  }
}

function late({ code, message, details }: AppError): ExecutionResult {
  const http = { status: ERRORS[code].status, headers: { 'retry-after': String(details.retryAfter ?? 1) } };
  return { errors: [new GraphQLError(message, { extensions: { code: code.toUpperCase(), ...details, http } })] };
}

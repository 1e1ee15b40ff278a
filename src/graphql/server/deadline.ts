/** When an operation runs, and the time that it may take. A subscription is bounded until it has begun. */
import { type ExecutionArgs, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Actor, Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { queryInTurn } from '../../modules/limits/query-in-turn.ts';
import { withinDeadline } from '../../modules/limits/within-deadline.ts';
import { fieldsWith, rootFieldsOf } from './document-limits.ts';
import { refused } from './limit-operations.ts';

/** Ends operations that take longer than `deadlineMs`, or whose caller is gone, with what they do in the database. A send goes on. */
export function boundedTime(deadlineMs?: number): Plugin<Ctx> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { contextValue: ctx } = args;
      const run = (contextValue: Ctx) => executeFn({ ...args, contextValue });
      const bounded = () => inTime(ctx, run, deadlineMs);
      if (isUnbounded(args, ctx.actor)) setExecuteFn(() => run(ctx));
      else if (isQuery(args)) setExecuteFn(() => refusable(() => queryInTurn(ctx, bounded)));
      else setExecuteFn(bounded);
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
  if (unbounded.length === 0) return false;
  // A send goes on, whatever stands beside it. A wait lends its time to no dear question.
  return !isQuery(args) || unbounded.length === rootFieldsOf(operation).length;
}

function isQuery({ document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY;
}

function inTime<Result>(
  given: Ctx,
  run: (ctx: Ctx) => Result | PromiseLike<Result>,
  deadlineMs: number | undefined,
): Promise<Result | ExecutionResult> {
  return refusable(() => withinDeadline(given, run, deadlineMs));
}

async function refusable<Result>(run: () => Promise<Result>): Promise<Result | ExecutionResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refused(error);
  }
}

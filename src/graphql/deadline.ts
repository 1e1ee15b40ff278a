/** The time that an operation may take. A subscription is bounded until it has begun. */
import { type ExecutionResult, GraphQLError, getOperationAST, type OperationDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Actor, type Ctx, withinDeadline } from '../context.ts';
import { AppError, ERRORS } from '../kernel/errors.ts';
import { asksFor } from './document-limits.ts';

/** The mutations that wait for somebody else, within bounds of their own, or that an operator waits for. */
const UNBOUNDED: ReadonlySet<string> = new Set([
  'sendMessage',
  'sendOtp',
  'resendOtp',
  'testWebhookEndpoint',
  'migrate',
]);

/** The queries that an operator waits for: they read whole tables. Another caller's are bounded, whatever stands beside them. */
const UNBOUNDED_FOR_OPERATORS: ReadonlySet<string> = new Set(['ledgerFaults']);

/** Ends operations that take longer than `deadlineMs`, or whose caller is gone, with what they do in the database. A send goes on. */
export function boundedTime(deadlineMs?: number): Plugin<Ctx> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      if (isUnbounded(getOperationAST(args.document, args.operationName), args.contextValue.actor)) return;
      setExecuteFn(given => inTime(args.contextValue, ctx => executeFn({ ...given, contextValue: ctx }), deadlineMs));
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      setSubscribeFn(given =>
        inTime(args.contextValue, ctx => subscribeFn({ ...given, contextValue: ctx }), deadlineMs),
      );
    },
  };
}

function isUnbounded(operation: OperationDefinitionNode | null | undefined, actor: Actor): boolean {
  if (!operation) return false;
  if (operation.operation === 'mutation') return asksFor(operation, UNBOUNDED);
  return actor.kind === 'operator' && asksFor(operation, UNBOUNDED_FOR_OPERATORS);
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

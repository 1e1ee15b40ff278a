/** The time that an operation may take. A subscription is bounded until it has begun. */
import { type ExecutionResult, GraphQLError, getOperationAST, type OperationDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Actor, type Ctx, withinDeadline } from '../../context.ts';
import { AppError, ERRORS } from '../../kernel/errors.ts';
import { asksFor } from './document-limits.ts';

/** The mutations that wait for somebody else, within bounds of their own. */
const SENDS: ReadonlySet<string> = new Set(['sendMessage', 'sendOtp', 'resendOtp', 'testWebhookEndpoint']);

/** What an operator waits for. */
const PATIENT_MUTATIONS: ReadonlySet<string> = new Set(['migrate']);

/** The queries that an operator waits for: they read whole tables. Another caller's are bounded, whatever stands beside them. */
const PATIENT_QUERIES: ReadonlySet<string> = new Set(['ledgerFaults']);

/** Ends operations that take longer than `deadlineMs`, or whose caller is gone, with what they do in the database. A send goes on. */
export function boundedTime(deadlineMs?: number): Plugin<Ctx> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (isSend(operation) || isPatient(operation, args.contextValue.actor)) return;
      setExecuteFn(given => inTime(args.contextValue, ctx => executeFn({ ...given, contextValue: ctx }), deadlineMs));
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      setSubscribeFn(given =>
        inTime(args.contextValue, ctx => subscribeFn({ ...given, contextValue: ctx }), deadlineMs),
      );
    },
  };
}

type Operation = OperationDefinitionNode | null | undefined;

function isSend(operation: Operation): boolean {
  return operation?.operation === 'mutation' && asksFor(operation, SENDS);
}

function isPatient(operation: Operation, actor: Actor): boolean {
  if (!operation) return false;
  if (operation.operation === 'mutation') return asksFor(operation, PATIENT_MUTATIONS);
  return actor.kind === 'operator' && asksFor(operation, PATIENT_QUERIES);
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

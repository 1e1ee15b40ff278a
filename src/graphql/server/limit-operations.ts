/** The limit of requests per token in GraphQL: each root field of an operation counts, and an operation that does not fit runs nothing. */
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, GraphQLError, Kind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Ctx } from '../../context.ts';
import { toAppError } from '../../db/failures.ts';
import { type AppError, ERRORS } from '../../kernel/errors.ts';
import { limitRequests } from '../../modules/limits/limit-requests.ts';
import { rootFieldsOf } from './document-limits.ts';

/** An operation, or a subscription, that is about to run. */
export interface Begun {
  readonly args: Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'> & { readonly contextValue: Ctx };
  setResultAndStopExecution(result: ExecutionResult): void;
}

/** Counts a valid operation before it runs, a subscription when it begins; one too many is answered 429 `RATE_LIMITED`. */
export const limitedOperations: Plugin<Ctx> = { onExecute: limit, onSubscribe: limit };

async function limit({
  args: { document, operationName, contextValue },
  setResultAndStopExecution,
}: Begun): Promise<void> {
  try {
    await limitRequests(contextValue, countOperation(document, operationName));
  } catch (error) {
    const known = toAppError(error);
    if (!known) throw error;
    setResultAndStopExecution(refused(known));
  }
}

/** The result of an operation that is not begun, with its status and `Retry-After`. */
export function refused({ code, message, details }: AppError): ExecutionResult {
  const headers = details.retryAfter === undefined ? {} : { 'retry-after': String(details.retryAfter) };
  return {
    errors: [new GraphQLError(message, { extensions: { code: code.toUpperCase(), ...details } })],
    extensions: { http: { status: ERRORS[code].status, headers } },
  };
}

/**
 * The requests that an operation of a valid document counts as: one for each name at the root of its answer, skipped ones too.
 * `__typename` is none; an operation of nothing else counts 1.
 */
export function countOperation(document: DocumentNode, operationName?: string | null): number {
  const operation = document.definitions.find(
    node => node.kind === Kind.OPERATION_DEFINITION && (operationName == null || node.name?.value === operationName),
  );
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return 1;
  const keys = new Set(rootFieldsOf(operation).flatMap(({ name, key }) => (name === '__typename' ? [] : [key])));
  return Math.max(1, keys.size);
}

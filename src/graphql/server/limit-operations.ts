/** The limit of requests per token in GraphQL: each root field of an operation counts, and an operation that does not fit runs nothing. */
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Ctx } from '../../context.ts';
import { toAppError } from '../../db/failures.ts';
import { type AppError, ERRORS } from '../../kernel/errors.ts';
import { limitRequests } from '../../modules/limits/limit-requests.ts';
import { rootPolicies } from './document-limits.ts';

/**
 * Counts an operation once it is valid and before any of it runs; a subscription when it begins. What does not fit is answered 429
 * `RATE_LIMITED` with `Retry-After`.
 */
export const limitedOperations: Plugin<Ctx> = {
  onExecute: async ({ args, setResultAndStopExecution }) => {
    const refusal = await refusalOf(args, args.contextValue);
    if (refusal) setResultAndStopExecution(refusal);
  },
  onSubscribe: async ({ args, setResultAndStopExecution }) => {
    const refusal = await refusalOf(args, args.contextValue);
    if (refusal) setResultAndStopExecution(refusal);
  },
};

async function refusalOf(args: Omit<ExecutionArgs, 'contextValue'>, ctx: Ctx): Promise<ExecutionResult | null> {
  try {
    await limitRequests(ctx, 1, 'requests', countOperation(args.schema, args.document, args.operationName));
    return null;
  } catch (error) {
    const known = toAppError(error);
    if (!known) throw error;
    return refused(known);
  }
}

function refused({ code, message, details }: AppError): ExecutionResult {
  const headers = details.retryAfter === undefined ? {} : { 'retry-after': String(details.retryAfter) };
  return {
    errors: [new GraphQLError(message, { extensions: { code: code.toUpperCase(), ...details } })],
    extensions: { http: { status: ERRORS[code].status, headers } },
  };
}

/**
 * How many requests an operation of a valid document is: one for each field at its root under a name of its own, as it is written
 * (skipped ones too), whatever fragments they stand in. Those that the verbs of OTPs count are not among them, and `__typename` is
 * none; an operation of nothing else counts 1.
 */
export function countOperation(schema: GraphQLSchema, document: DocumentNode, operationName?: string | null): number {
  const fragments = new Map<string, SelectionSetNode>();
  let operation: OperationDefinitionNode | null = null;
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node.selectionSet);
    else if (node.kind === Kind.OPERATION_DEFINITION && (operationName == null || node.name?.value === operationName))
      operation ??= node;
  }
  if (!operation) return 1;
  const fields = new Map<string, string>();
  collectFields(operation.selectionSet, fragments, fields);
  const policies = rootPolicies(schema, operation);
  const names = [...fields.values()].filter(name => name !== '__typename');
  const others = names.filter(name => policies(name)?.countsFor !== 'otp');
  return names.length === 0 ? 1 : others.length;
}

/** Adds the fields of a selection by their names in the answer. A fragment is taken out of the map once it was looked at. */
function collectFields(
  selection: SelectionSetNode,
  fragments: Map<string, SelectionSetNode>,
  fields: Map<string, string>,
): void {
  for (const node of selection.selections) {
    if (node.kind === Kind.FIELD) {
      fields.set(node.alias?.value ?? node.name.value, node.name.value);
    } else if (node.kind === Kind.INLINE_FRAGMENT) {
      collectFields(node.selectionSet, fragments, fields);
    } else {
      const fragment = fragments.get(node.name.value);
      fragments.delete(node.name.value);
      if (fragment) collectFields(fragment, fragments, fields);
    }
  }
}

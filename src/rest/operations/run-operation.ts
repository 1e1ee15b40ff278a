/** Runs the operations of this folder in process, as `graphql` would: their fields keep policies, limits and deadlines. */
import { readFileSync } from 'node:fs';
import {
  type DocumentNode,
  executeRootSelectionSet,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  type ValidatedExecutionArgs,
  validate,
  validateExecutionArgs,
  visit,
} from 'graphql';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { type FieldPolicy, policyOf } from '../../kernel/field-policy.ts';
import { queryInTurn } from '../../modules/limits/query-in-turn.ts';
import { withinDeadline } from '../../modules/limits/within-deadline.ts';
import type { Operations } from './operations.generated.ts';

/** The name of an operation: of its file in this folder. */
export type OperationName = keyof Operations;

/** Runs one operation, and answers its field `result`. @throws GraphQLError around the error of a verb */
export type RunOperation = (ctx: Ctx, variables: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** An operation whose variables are values already: nothing is made of their types. @throws at start, where it does not fit the schema */
export function prepareRun(schema: GraphQLSchema, name: OperationName): RunOperation {
  const untyped = visit(readOperation(schema, name), { VariableDefinition: () => null });
  const prepared = validated(schema, untyped);
  const run = runner(prepared);
  return (ctx, coerced) => run(ctx, { ...prepared, variableValues: { sources: {}, coerced } });
}

/** An operation whose variables are written as clients of GraphQL write them. @throws as `prepareRun`; once it runs, `invalid_input` for variables of other types */
export function prepareAsk(schema: GraphQLSchema, name: OperationName): RunOperation {
  const document = readOperation(schema, name);
  let run: ReturnType<typeof runner> | undefined;
  return (ctx, variableValues) => {
    const prepared = validated(schema, document, variableValues);
    run ??= runner(prepared);
    return run(ctx, prepared);
  };
}

function readOperation(schema: GraphQLSchema, name: OperationName): DocumentNode {
  const document = parse(readFileSync(new URL(`./${name}.graphql`, import.meta.url), 'utf8'), { noLocation: true });
  const errors = validate(schema, document);
  if (errors.length > 0) throw new AggregateError(errors, `operations/${name}.graphql does not fit the schema`);
  return document;
}

function validated(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues?: Readonly<Record<string, unknown>>,
): ValidatedExecutionArgs {
  const prepared = validateExecutionArgs({ schema, document, ...(variableValues && { variableValues }) });
  if ('schema' in prepared) return prepared;
  if (variableValues && prepared[0]) throw new AppError('invalid_input', prepared[0].message);
  throw new AggregateError(prepared, 'an operation cannot run with these variables');
}

/** Runs operations like this one within the bounds of its field. */
function runner(like: ValidatedExecutionArgs) {
  const { deadlineFor } = policyOfOperation(like);
  const isQuery = like.operation.operation === OperationTypeNode.QUERY;
  return async (ctx: Ctx, prepared: ValidatedExecutionArgs): Promise<unknown> => {
    const run = (contextValue: Ctx) => executeRootSelectionSet({ ...prepared, contextValue });
    const bounded = () => (deadlineFor === 'nobody' ? run(ctx) : withinDeadline(ctx, run));
    const { errors, data } = await (isQuery ? queryInTurn(ctx, bounded) : bounded());
    if (errors?.[0]) throw errors[0];
    return data?.result;
  };
}

/** The policy of the field of an operation, which stands alone in it. */
function policyOfOperation({ schema, operation }: ValidatedExecutionArgs): FieldPolicy {
  const [field] = operation.selectionSet.selections;
  const fields = schema.getRootType(operation.operation)?.getFields();
  const policy = policyOf(field?.kind === Kind.FIELD ? fields?.[field.name.value] : undefined);
  if (!policy) throw new Error('an operation of a route begins with a field of the schema');
  return policy;
}

/**
 * The cost of an operation, known before it runs: about the rows that it may read. A member of a row costs nothing, a row 1, and a list as
 * many rows as are asked for. Weights that a field needs of its own stand beside the field, as `complexity`.
 */
import { complexityFromQuery, type FieldComplexityValue } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import type { Ctx } from '../../context.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../db/page.ts';

/** The most that an operation may cost: two of the largest pages and a half. */
export const COST_MAX = 500;

/** How many rows a list without `first` is taken for, where something dear stands in it. */
const ROWS_OF_LIST = 10;

/** The fields between a page and its rows, which are counted where the page is asked for. */
const WRAPPING: ReadonlySet<string> = new Set(['edges', 'node', 'nodes']);

/** The weight of a field that has none of its own. */
export function fieldCost(
  args: Record<string, unknown>,
  _ctx: Ctx,
  field: GraphQLField<unknown, Ctx, Record<string, unknown>>,
): FieldComplexityValue {
  const type = getNamedType(field.type);
  if (isLeafType(type) || type.name === 'PageInfo' || WRAPPING.has(field.name)) return { field: 0, multiplier: 1 };
  if (field.args.some(argument => argument.name === 'first')) {
    // A larger page is refused as input, but for the 1,000 short rows of the sandbox, which count as the largest page.
    const rows = typeof args.first === 'number' ? Math.max(0, Math.min(args.first, PAGE_SIZE_MAX)) : PAGE_SIZE_DEFAULT;
    return { field: rows, multiplier: rows };
  }
  return { field: 1, multiplier: isList(field.type) ? ROWS_OF_LIST : 1 };
}

function isList(type: GraphQLOutputType): boolean {
  return isNonNullType(type) ? isList(type.ofType) : isListType(type);
}

interface Weighed {
  /** The operation alone, with the fragments, and without `__typename`, which clients add everywhere. */
  readonly asked: DocumentNode;
  /** The cost; null where a variable says how many rows are asked for. */
  readonly cost: number | null;
}

const weighed = new WeakMap<OperationDefinitionNode, Weighed>();

/** The cost of an operation of a valid document, with variables that fit. */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> | null | undefined,
  ctx: Ctx,
): number {
  const costWith = (asked: DocumentNode): number =>
    complexityFromQuery(asked, { schema, ctx, variables: { ...variables } }).complexity;
  const known = weighed.get(operation);
  if (known) return known.cost ?? costWith(known.asked);
  const asked = withoutTypename(document, operation);
  const cost = costWith(asked);
  weighed.set(operation, { asked, cost: hasRowsFromVariable(asked) ? null : cost });
  return cost;
}

/** Whether a variable stands where `fieldCost` reads a number of rows. */
function hasRowsFromVariable(document: DocumentNode): boolean {
  let isFound = false;
  visit(document, {
    Argument({ name, value }) {
      if (name.value === 'first' && value.kind === Kind.VARIABLE) isFound = true;
    },
  });
  return isFound;
}

function withoutTypename({ definitions }: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  const fragments = definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION);
  return visit(
    { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
    { Field: node => (node.name.value === '__typename' ? null : undefined) },
  );
}

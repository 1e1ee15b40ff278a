/**
 * An operation holds at most one field that sends or verifies: without it one request could try ten thousand codes through aliases
 * (the "GraphQL batching attack" of OWASP's GraphQL cheat sheet).
 */
import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql';
import { policyOf } from '../../kernel/field-policy.ts';

/** Refuses a document in which an operation holds two fields that stand alone, however it is written: aliases, fragments and directives count. */
export function oneSensitiveField(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      const fields = context.getSchema().getRootType(operation.operation)?.getFields() ?? {};
      const alone = Object.keys(fields).filter(name => policyOf(fields[name])?.isAlone);
      if (alone.length === 0) return;
      if (countFields(operation.selectionSet, new Set(alone), context, new Map()) < 2) return;
      const names = alone.join(', ');
      context.reportError(new GraphQLError(`An operation holds at most one of ${names}.`, { nodes: [operation] }));
    },
  };
}

/** How often they stand at the root, each fragment weighed once and counted for every spread; more than two is no news. */
function countFields(
  selection: SelectionSetNode,
  names: ReadonlySet<string>,
  context: ValidationContext,
  weighed: Map<string, number>,
): number {
  let count = 0;
  for (const node of selection.selections) {
    if (node.kind === Kind.FIELD) count += names.has(node.name.value) ? 1 : 0;
    else if (node.kind === Kind.INLINE_FRAGMENT) count += countFields(node.selectionSet, names, context, weighed);
    else count += countFragment(node.name.value, names, context, weighed);
    if (count >= 2) return count;
  }
  return count;
}

function countFragment(
  name: string,
  names: ReadonlySet<string>,
  context: ValidationContext,
  weighed: Map<string, number>,
): number {
  const fragment = context.getFragment(name);
  if (!fragment) return 0;
  const known = weighed.get(name);
  if (known !== undefined) return known;
  // A cycle, which another rule refuses, weighs nothing here.
  weighed.set(name, 0);
  const count = countFields(fragment.selectionSet, names, context, weighed);
  weighed.set(name, count);
  return count;
}

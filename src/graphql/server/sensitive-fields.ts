/**
 * The rule that an operation holds at most one field that sends or verifies (contract §3): without it one request could try ten
 * thousand codes through aliases (the "GraphQL batching attack" of OWASP's GraphQL cheat sheet).
 */
import {
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/** The root fields of which an operation holds at most one. */
const SENSITIVE_FIELDS: ReadonlySet<string> = new Set(['sendMessage', 'sendOtp', 'resendOtp', 'verifyOtp']);

/** Refuses a document in which an operation holds two of them, however it is written: aliases, fragments and directives count. */
export function oneSensitiveField(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      if (countSensitive(operation.selectionSet, context, new Map()) < 2) return;
      const names = [...SENSITIVE_FIELDS].join(', ');
      context.reportError(new GraphQLError(`An operation holds at most one of ${names}.`, { nodes: [operation] }));
    },
  };
}

/** How often they stand at the root, each fragment weighed once and counted for every spread; more than two is no news. */
function countSensitive(selection: SelectionSetNode, context: ValidationContext, weighed: Map<string, number>): number {
  let count = 0;
  for (const node of selection.selections) {
    if (node.kind === Kind.FIELD) count += SENSITIVE_FIELDS.has(node.name.value) ? 1 : 0;
    else if (node.kind === Kind.INLINE_FRAGMENT) count += countSensitive(node.selectionSet, context, weighed);
    else count += countFragment(context.getFragment(node.name.value), context, weighed);
    if (count >= 2) return count;
  }
  return count;
}

function countFragment(
  fragment: FragmentDefinitionNode | null | undefined,
  context: ValidationContext,
  weighed: Map<string, number>,
): number {
  if (!fragment) return 0;
  const name = fragment.name.value;
  const known = weighed.get(name);
  if (known !== undefined) return known;
  // A cycle, which another rule refuses, weighs nothing here.
  weighed.set(name, 0);
  const count = countSensitive(fragment.selectionSet, context, weighed);
  weighed.set(name, count);
  return count;
}

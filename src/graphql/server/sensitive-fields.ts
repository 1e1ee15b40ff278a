/** An operation sends or verifies once: else one request could try ten thousand codes through aliases (OWASP's "GraphQL batching attack"). */
import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql';
import { fieldsWith } from './document-limits.ts';

/** Refuses a weighed document of which an operation holds two fields that stand alone: aliases, fragments and directives count. */
export function oneSensitiveField(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      const fields = fieldsWith(context.getSchema(), operation, policy => policy.isAlone);
      if (fields.length < 2) return;
      const names = [...new Set(fields.map(({ name }) => name))].join(', ');
      const message = `An operation holds at most one of ${names}. Ask for each in a request of its own.`;
      context.reportError(new GraphQLError(message, { nodes: [operation] }));
    },
  };
}

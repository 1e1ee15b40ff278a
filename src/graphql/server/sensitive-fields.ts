/** An operation sends or verifies once: else one request could try ten thousand codes through aliases (OWASP's "GraphQL batching attack"). */
import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql';
import { policyOf } from '../../kernel/field-policy.ts';
import { fieldsWith } from './document-limits.ts';

/** Refuses a weighed document of which an operation holds two fields that stand alone: aliases, fragments and directives count. */
export function oneSensitiveField(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      const schema = context.getSchema();
      if (fieldsWith(schema, operation, policy => policy.isAlone).length < 2) return;
      const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
      const names = Object.keys(fields).filter(name => policyOf(fields[name])?.isAlone);
      const message = `An operation holds at most one of ${names.join(', ')}.`;
      context.reportError(new GraphQLError(message, { nodes: [operation] }));
    },
  };
}

/** Names the span of a request by what it asks for: the schema's words, since those of the document are its writer's. */
import { type ExecutionArgs, getOperationAST, Kind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Ctx } from '../../context.ts';
import { note, type Traces } from '../../observability/traces/traces.ts';

/** Names spans of GraphQL: `mutation sendMessage`. */
export function tracedOperations(traces: Traces): Plugin<Ctx> {
  const name = ({ document, operationName, contextValue }: ExecutionArgs): void => {
    const span = traces.spanOf((contextValue as Ctx).request);
    const operation = getOperationAST(document, operationName);
    if (!span || !operation) return;
    const fields = operation.selectionSet.selections.flatMap(one => (one.kind === Kind.FIELD ? one.name.value : []));
    span.updateName([operation.operation, ...fields.slice(0, 1)].join(' '));
    span.setAttribute('graphql.operation.type', operation.operation);
    note(span, { fields });
  };
  return { onExecute: ({ args }) => name(args), onSubscribe: ({ args }) => name(args) };
}

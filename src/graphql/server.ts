/** Yoga: GraphQL over HTTP, and subscriptions as server-sent events. Mounted by its `fetch`. */
import type { GraphQLSchema } from 'graphql';
import { createYoga, handleStreamOrSingleExecutionResult, type Plugin } from 'graphql-yoga';
import type { Ctx } from '../context.ts';
import type { Logger } from '../observability/logger.ts';
import { toPublicError } from './errors.ts';
import { oneSensitiveField } from './sensitive-fields.ts';

/** Answers one GraphQL request in its context. */
export type GraphqlHandler = (request: Request, ctx: Ctx) => Promise<Response>;

/** Makes the handler of `POST /graphql`, and of GET for queries and subscriptions. `log` is for what fails outside a request. */
export function createGraphqlHandler(schema: GraphQLSchema, log: Logger): GraphqlHandler {
  const yoga = createYoga<{ ctx: Ctx }, Ctx>({
    schema,
    graphqlEndpoint: '/graphql',
    // The playground is a page of our own; nothing is loaded from elsewhere.
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
    // Failures are logged once, where they are masked.
    logging: false,
    context: ({ ctx }) => ctx,
    maskedErrors: { maskError: error => toPublicError(error, { log, requestId: '' }) },
    plugins: [sensitiveFields, publicErrors],
  });
  return async (request, ctx) => {
    const response = await yoga.fetch(request, { ctx });
    for (const [name, value] of ctx.exchange.headers) response.headers.set(name, value);
    return response;
  };
}

const sensitiveFields: Plugin = {
  onValidate: ({ addValidationRule }) => addValidationRule(oneSensitiveField),
};

/** Errors in their public form, logged with the request that they belong to. */
const publicErrors: Plugin<Ctx> = {
  onExecute: ({ args }) => ({
    onExecuteDone: payload =>
      handleStreamOrSingleExecutionResult(payload, ({ result, setResult }) => {
        if (!result.errors) return;
        const ctx: Ctx = args.contextValue;
        setResult({ ...result, errors: result.errors.map(error => toPublicError(error, ctx)) });
      }),
  }),
};

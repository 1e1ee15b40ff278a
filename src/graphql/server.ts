/** Yoga: GraphQL over HTTP, and subscriptions as server-sent events. Mounted by its `fetch`. */
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga, handleStreamOrSingleExecutionResult, type Plugin } from 'graphql-yoga';
import type { Ctx } from '../context.ts';
import type { Logger } from '../observability/logger.ts';
import { documentFault, toPublicError, toPublicErrors } from './errors.ts';
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
    plugins: [boundedDocuments, sensitiveFields, publicErrors],
  });
  return async (request, ctx) => {
    const response = await yoga.fetch(request, { ctx });
    for (const [name, value] of ctx.exchange.headers) response.headers.set(name, value);
    return response;
  };
}

/** The most tokens of a document: several times the introspection query, and few enough to be refused at once. */
const TOKENS_MAX = 2_000;

const boundedDocuments: Plugin = {
  onParse: ({ params, parseFn, setParseFn }) =>
    setParseFn(source => {
      try {
        return parseFn(source, { ...params.options, maxTokens: TOKENS_MAX });
      } catch (error) {
        // The parser descends into the document; the stack ends before the tokens do.
        if (error instanceof RangeError) throw new GraphQLError('Syntax Error: The document is nested too deeply.');
        throw error;
      }
    }),
};

const sensitiveFields: Plugin = {
  onValidate({ addValidationRule }) {
    addValidationRule(oneSensitiveField);
    return ({ valid, result, setResult }) => {
      if (!valid) setResult(result.map(error => documentFault(error)));
    };
  },
};

/** Errors in their public form, logged with the request that they belong to. */
const publicErrors: Plugin<Ctx> = {
  onExecute: ({ args }) => ({
    onExecuteDone: payload =>
      handleStreamOrSingleExecutionResult(payload, ({ result, setResult }) => {
        if (!result.errors) return;
        setResult({ ...result, errors: toPublicErrors(result.errors, args.contextValue) });
      }),
  }),
};

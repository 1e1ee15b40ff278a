/** Yoga: GraphQL over HTTP, and subscriptions as server-sent events. Mounted by its `fetch`. */
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import {
  type GraphQLParams,
  handleStreamOrSingleExecutionResult,
  isAsyncIterable,
  type Plugin,
  YogaServer,
} from 'graphql-yoga';
import type { Ctx } from '../../context.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Traces } from '../../observability/traces/traces.ts';
import { boundErrors, refusalIn, statusOf, toPublicError, toPublicErrors } from '../errors.ts';
import { allowedOperations, boundedDocuments } from '../guards.ts';
import { boundedTime } from './deadline.ts';
import { limitedOperations } from './limit-operations.ts';
import { createOpenStreams } from './open-streams.ts';
import { sharedEvents } from './shared-events.ts';
import { tracedOperations } from './traced-operations.ts';
import { readTrustedDocuments, trustedDocuments } from './trusted-documents.ts';

/** Answers one GraphQL request in its context. `asked`: what its body says, if that was read, and how a text is answered, with status 200. */
export type GraphqlHandler = (
  request: Request,
  ctx: Ctx,
  asked?: { readonly params: GraphQLParams; readonly answer: (text: string, type: string) => Response },
) => Promise<Response>;

/** The context of a request to Yoga, with its parsed parameters and its result, if either is known. */
interface Brought {
  /** Yoga knows by it who subscribes, and so gets events rather than parts of a result. */
  readonly request: Request;
  readonly ctx: Ctx;
  readonly params?: GraphQLParams | undefined;
  readonly result?: ExecutionResult | AsyncIterable<ExecutionResult> | undefined;
}

interface GraphqlOptions {
  /** Whether there is a playground: then tokens may ask for the schema. The operator always may, a stranger never. */
  readonly playground: boolean;
  /** The path of the list of trusted documents; null: there is none, and every document is answered. */
  readonly trustedDocuments: string | null;
  /** How many subscriptions an account may follow at once. */
  readonly streamsPerAccount: number;
  /** How many subscriptions a process may have; 2,000 where absent. */
  readonly streamsMax?: number;
  /** How long an operation may take that waits for nobody but the database, in milliseconds; 10 s where absent. */
  readonly deadlineMs?: number;
}

/** Makes the handler of `/graphql`; `log` is for failures outside a request. @throws StartError if the trusted documents cannot be used */
export function createGraphqlHandler(
  schema: GraphQLSchema,
  log: Logger,
  options: GraphqlOptions,
  traces: Traces | null = null,
): GraphqlHandler {
  const documents = options.trustedDocuments === null ? null : readTrustedDocuments(options.trustedDocuments, schema);
  const streams = createOpenStreams(options.streamsPerAccount, options.streamsMax);
  const yoga = new YogaServer<Brought & Record<string, unknown>, Ctx>({
    schema,
    // The playground is a page of our own; nothing is loaded from elsewhere.
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
    // Failures are logged once, where they are masked.
    logging: false,
    // Bodies are bounded before they get here.
    maxRequestBodySize: false,
    extraParamNames: ['documentId'],
    parserAndValidationCache: { documentCache: smallDocuments(), errorCache: nothingKept },
    maskedErrors: { maskError: error => toPublicError(error, { log, requestId: '' }) },
    plugins: [
      broughtAlong,
      ...(traces ? [tracedOperations(traces)] : []),
      requestForm,
      trustedDocuments(documents),
      namedDocuments,
      boundedDocuments,
      allowedOperations(schema, options.playground),
      streams.refusals,
      limitedOperations,
      sharedEvents(),
      boundedTime(options.deadlineMs),
      streams.plugin,
      publicErrors,
      fewErrors,
    ],
  });
  const run = async (request: Request, ctx: Ctx, params: GraphQLParams): Promise<Brought['result']> => {
    try {
      return await yoga.getResultForParams({ params, request }, { request, ctx });
    } catch {
      // A refusal before the operation begins is repeated by `handle`, in the form that the request asks for.
      return undefined;
    }
  };
  const types = new KnownTypes();
  return async (request, ctx, asked) => {
    const type = types.of(request);
    const result = asked && type !== undefined ? await run(request, ctx, asked.params) : undefined;
    if (asked && type !== undefined && result && isPlain(result)) return asked.answer(JSON.stringify(result), type);
    const context = { request, ctx, params: asked?.params, result, waitUntil: () => undefined };
    const response = await yoga.handle(request, context);
    types.learn(request, response);
    // A subscriber that accepts no events is refused, and nobody else would end the stream.
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) await streams.end(ctx);
    for (const [name, value] of ctx.request.answerHeaders) response.headers.set(name, value);
    for (const cookie of ctx.request.answerCookies) response.headers.append('set-cookie', cookie);
    return response;
  };
}

/** Whether a result has data alone: errors, extensions and streams may change the status, the headers and the form. */
function isPlain(result: NonNullable<Brought['result']>): result is ExecutionResult {
  return !isAsyncIterable(result) && !result.errors && !result.extensions;
}

/** How many headers `Accept` are remembered, and how long one may be. */
const ACCEPTS = { kept: 64, characters: 256 };

/** Content types of results by the header `Accept`, as Yoga has answered before. */
class KnownTypes {
  readonly #types = new Map<string, string>();

  of({ headers }: Request): string | undefined {
    return this.#types.get(headers.get('accept') ?? '*/*');
  }

  learn({ headers }: Request, response: Response): void {
    const accept = headers.get('accept') ?? '*/*';
    const type = response.headers.get('content-type') ?? '';
    if (!/^application\/(graphql-response\+)?json;/.test(type) || accept.length > ACCEPTS.characters) return;
    if (this.#types.size < ACCEPTS.kept) this.#types.set(accept, type);
  }
}

/** Takes what is known already instead of reading and running it again, and gives what runs the context itself. */
const broughtAlong: Plugin<Brought, Brought> = {
  onRequestParse({ serverContext: { params }, setRequestParser }) {
    if (params) setRequestParser(() => params);
  },
  onParams({ context: { result }, setResult }) {
    if (result) setResult(result);
  },
  onExecute: ({ args }) => void Object.assign(args, { contextValue: args.contextValue.ctx }),
  onSubscribe: ({ args }) => void Object.assign(args, { contextValue: args.contextValue.ctx }),
};

/** GET needs a token: a page can make a browser ask by a link or a form, but not with a header. Fields look at the token itself. */
const requestForm: Plugin = {
  onParams({ request }) {
    if (request.method !== 'GET' || request.headers.has('authorization')) return;
    throw new GraphQLError('Use POST here. GET takes queries and subscriptions with the header Authorization.', {
      extensions: { code: 'METHOD_NOT_ALLOWED', http: { status: 405, headers: { allow: 'POST' } } },
    });
  },
};

/** Behind the trusted documents, which put the query where only a name was. */
const namedDocuments: Plugin = {
  onParams({ params: { query, operationName } }) {
    if (query == null) throw badParameter('query', 'is required');
    if (typeof (operationName ?? '') !== 'string') throw badParameter('operationName', 'must be a string');
  },
};

/** A request that is none: status 400 in either form of answer. */
function badParameter(field: string, message: string): GraphQLError {
  const extensions = { code: 'INVALID_INPUT', errors: [{ field, message }], http: { status: 400 } };
  return new GraphQLError(`${field}: ${message}`, { extensions });
}

/** How many parsed documents are kept, and how long a text may be: a client repeats few documents, an attacker none. */
const KEPT = { documents: 256, characters: 4_096 };

/** The newest documents by their text; all of them take a few MiB at most. */
function smallDocuments() {
  const kept = new Map<string, DocumentNode>();
  return {
    get: (text: string) => kept.get(text),
    set(text: string, document: DocumentNode) {
      if (text.length > KEPT.characters) return;
      if (kept.size >= KEPT.documents) kept.delete(kept.keys().next().value ?? '');
      kept.set(text, document);
    },
  };
}

/** Texts that are no documents are not kept. */
const nothingKept = { get: () => undefined, set: () => undefined };

/** Whatever an answer is refused by, and wherever: bad input is never answered at length, and the request log is told why. */
const fewErrors: Plugin<object, Brought> = {
  onResultProcess({ result, setResult, serverContext }) {
    if (!('errors' in result) || !result.errors) return;
    const [first] = result.errors;
    if (first) serverContext.ctx.request.refusal = refusalIn(first);
    setResult({ ...result, errors: boundErrors(result.errors, result.data != null) });
  },
};

/** Errors in their public form, logged with the request that they belong to. */
const publicErrors: Plugin<Ctx> = {
  onExecute: ({ args }) => ({
    onExecuteDone: payload =>
      handleStreamOrSingleExecutionResult(payload, ({ result, setResult }) => {
        if (!result.errors) return;
        const errors = toPublicErrors(result.errors, args.contextValue);
        setResult({ ...result, errors, ...statusOf(result, errors, args.contextValue) });
      }),
  }),
};

/** The one HTTP application: the facade, GraphQL, the pages, health and metrics, in the order in which a request meets them. */
import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { type Context, Hono } from 'hono';
import type { Actor, Ctx } from '../context.ts';
import { unavailable } from '../db/batch.ts';
import { CHALLENGE_HEADER, PROOF_HEADER } from '../db/data-dir/announcement.ts';
import { toAppError } from '../db/failures.ts';
import { AppError, internalError, invalidInput } from '../kernel/errors.ts';
import type { Sends } from '../kernel/process/gives-way.ts';
import { shared } from '../kernel/process/shared.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { metricsOfAll } from '../observability/metrics-of-all.ts';
import { plainRequestId } from '../observability/plain-words.policy.ts';
import { logFieldsOf, type Traces } from '../observability/traces/traces.ts';
import { serveOrigins } from './cors.ts';
import type { DoorRoute } from './doors/door.ts';
import { serveDoors } from './doors/serve-doors.ts';
import { completeHeaders, type FailureStyle, failure, requestIdOf, respond } from './envelope.ts';
import { parseJsonObject, readJsonText } from './json-body.ts';
import { type Route, routeHandler } from './mount.ts';
import { openApiDocument } from './openapi/document.ts';
import { PAGES, servePages } from './pages.ts';
import { INBOUND_PATH, RECEIPTS_PATH, serveReceipts, type TakeReports } from './receipts.ts';
import { refuse, refuseOthers } from './refuse.ts';
import { type AnswerTellingOptions, type Env, type GraphqlParams, tellAnswers } from './request-log/tell-requests.ts';
import { formsOf, isPathOf } from './route-path.ts';
import { acceptsResults } from './server/accepts-results.ts';
import type { Connection } from './server/listen.ts';
import { measured } from './server/measured.ts';
import { traceRequests } from './server/trace-requests.ts';

interface HttpOptions extends AnswerTellingOptions {
  readonly schema: GraphQLSchema;
  readonly routes: readonly Route[];
  /** The paths of the doors that are open. */
  readonly doors: readonly DoorRoute[];
  /** Answers a GraphQL request. */
  readonly graphql: (request: Request, ctx: Ctx, asked?: GraphqlAsked) => Promise<Response>;
  /** Finds the actor of a request by its token. @throws AppError `unauthenticated`, `not_found`, `database_unavailable`. */
  readonly authenticate: (request: Request, connection: Connection) => Promise<Actor>;
  /** Finds the signed-in caller of a request by the gateway's own pages. @throws AppError `not_found`, `database_unavailable` */
  readonly signedIn: (request: Request) => Promise<Actor>;
  readonly makeCtx: (actor: Actor, requestId: string, request: Request, connection: Connection) => Ctx;
  /** Takes what providers report. */
  readonly takeReports: TakeReports;
  /** The account that a connection belongs to; null: none. */
  readonly ownerOf: (connectionId: string) => string | null;
  /** The sends of the process, to which reports give way. */
  readonly sends: Sends;
  /** Why the process is not ready, in words for `/readyz`; null: it is. */
  readonly findFault: () => Promise<string | null>;
  /** Whether the process is about to end: what is new is then answered 503. */
  readonly isDraining: () => boolean;
  /** Whether the disk has room for what the process writes by itself. */
  readonly hasRoom: () => boolean;
  /** Shows commands of this machine whom they ask (`db/announcement.ts`); null where the challenge is none. */
  readonly prove: (challenge: string) => string | null;
  readonly metrics: Metrics;
  /** Null: they are off. */
  readonly traces: Traces | null;
  /** Gets a line for each answer: at level info where the gateway failed, else at debug. */
  readonly log: Logger;
  /** The folder of the built pages. */
  readonly pagesDirectory: string;
  /** Whether the playground is one of them. */
  readonly playground: boolean;
  /** The origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
  /** Whether the API is served here; a pure worker answers for its health and metrics only. */
  readonly servesApi: boolean;
  readonly version: string;
}

/** The body of a GraphQL request, and a function that makes an answer of a text and its type, with status 200. */
interface GraphqlAsked {
  readonly params: GraphqlParams;
  readonly answer: (text: string, type: string) => Response;
}

/** Builds the application. Its `fetch` takes a request and the connection that it came by. */
export function createHttp(options: HttpOptions): Hono<Env> {
  const { hasRoom, isDraining, log, metrics, traces } = options;
  const routes = [...options.routes, ...options.doors];
  const tell = tellAnswers({ ...options, routes });
  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const startedMs = performance.now();
    const requestId = requestIdOf(context.req.header('x-request-id'));
    context.set('requestId', requestId);
    metrics.inFlight.inc();
    try {
      await next();
    } finally {
      metrics.inFlight.dec();
    }
    completeHeaders(context.res, requestId);
    tell(context, startedMs);
    const { status } = context.res;
    const level = status >= 500 ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    const { method } = context.req;
    // No path of the gateway has long numbers: one may be a recipient or a code. An address of receipts holds the token by which a provider reports.
    const path = context.req.path.replace(/^(\/receipts\/[^/]*)\/.*$/, '$1/…').replaceAll(/[0-9]{4,}/g, '…');
    log[level](
      {
        requestId: plainRequestId(requestId),
        method,
        path,
        status,
        durationMs: performance.now() - startedMs,
        ...logFieldsOf(traces?.spanOf(context.req.raw)),
      },
      'a request was answered',
    );
  });
  serveHealth(app, options);
  app.use(async (context, next) => {
    const styleOfPath = (): FailureStyle => styleOf(routes, context.req.path);
    if (isDraining()) return refuse(context, STOPPING, styleOfPath(), { headers: { connection: 'close' } });
    return hasRoom() ? next() : refuse(context, unavailable(null), styleOfPath());
  });
  if (options.servesApi) serveApi(app, options);
  app.notFound(context => refuse(context, new AppError('not_found', 'There is nothing at this path.'), 'problem'));
  app.onError((error, context) => {
    const known = toAppError(error);
    const ctx = options.makeCtx({ kind: 'anonymous' }, context.get('requestId'), context.req.raw, context.env);
    if (!known) ctx.log.error({ err: error }, 'an unexpected error was masked');
    return refuse(context, known ?? internalError(), styleOf(routes, context.req.path));
  });
  return app;
}

function serveApi(app: Hono<Env>, options: HttpOptions): void {
  serveOrigins(app, options.routes, options.corsOrigins);
  const served = [...options.routes, ...options.doors];
  const paths = [...served.map(({ path }) => path), RECEIPTS_PATH, INBOUND_PATH, '/graphql'];
  if (options.traces) traceRequests(app, options.traces, new Set(paths));
  for (const route of options.routes) serveRoute(app, route, options);
  serveDoors(app, options);
  serveReceipts(app, {
    ...options,
    makeCtx: (requestId, request, connection) => options.makeCtx({ kind: 'anonymous' }, requestId, request, connection),
  });
  for (const path of [RECEIPTS_PATH, INBOUND_PATH].flatMap(formsOf))
    refuseOthers(app, path, 'POST or GET', 'problem', 'GET, POST');
  serveDocument(app, options);
  servePages(app, { directory: options.pagesDirectory, playground: options.playground });
  for (const path of [...PAGES, ...['/openapi.json', '/docs'].flatMap(formsOf)])
    refuseOthers(app, path, 'GET', 'problem', 'GET, HEAD');
  serveGraphql(app, options);
}

/** A path with the style of its failures. */
export interface StyledPath {
  readonly path: string;
  readonly facts: { readonly failureStyle?: FailureStyle };
}

/** The style of the failures of a path. */
export function styleOf(routes: readonly StyledPath[], path: string): FailureStyle {
  if (isPathOf('/graphql', path)) return 'graphql';
  return routes.find(route => isPathOf(route.path, path))?.facts.failureStyle ?? 'problem';
}

function serveHealth(app: Hono<Env>, { hasRoom, findFault, isDraining, prove, metrics }: HttpOptions): void {
  // Health checks and metrics pass in an overload too, so they must cost little.
  const look = shared(findFault);
  const ofAll = metricsOfAll(metrics.registry);
  const figures = shared(async () => {
    // All who asked in one turn of the process are told the same.
    await setImmediate();
    return ofAll();
  });
  app.get('/healthz', context => {
    const proof = prove(context.req.header(CHALLENGE_HEADER) ?? '');
    if (proof !== null) context.header(PROOF_HEADER, proof);
    return context.json({ status: 'ok' });
  });
  app.get('/readyz', async context => {
    if (isDraining()) return context.json({ status: 'stopping' }, 503);
    const fault = hasRoom() ? await look() : 'no room on the disk';
    return fault === null ? context.json({ status: 'ready' }) : context.json({ status: fault }, 503);
  });
  app.get('/metrics', async context =>
    context.body(await figures(), 200, { 'content-type': metrics.registry.contentType }),
  );
  for (const path of ['/healthz', '/readyz', '/metrics']) refuseOthers(app, path, 'GET', 'problem', 'GET, HEAD');
}

function serveRoute(app: Hono<Env>, route: Route, options: HttpOptions): void {
  const { metrics } = options;
  const answer = routeHandler(options.schema, route);
  const style = route.facts.failureStyle ?? 'problem';
  const labels = { transport: 'rest', operation: `${route.method} ${route.path}` };
  app.on([route.method], [...formsOf(route.path)], ({ req, env, get, set }) => {
    const requestId = get('requestId');
    return measured(metrics, labels, requestId, style, async () => {
      const actor = await options.authenticate(req.raw, env);
      if (actor.kind === 'token') env.onAccount?.(actor.account.id, actor.tokenId);
      const ctx = options.makeCtx(actor, requestId, req.raw, env);
      set('ctx', ctx);
      return respond(await answer(req.raw, ctx, env.takeBody), requestId, ctx.request.answerHeaders);
    });
  });
  for (const path of formsOf(route.path)) refuseOthers(app, path, route.method, style);
}

function serveDocument(app: Hono<Env>, { routes, version }: HttpOptions): void {
  // Made when it is first asked for: that takes a tenth of a start. As bytes: encoding 200 kB takes a millisecond of each answer.
  let document: Uint8Array<ArrayBuffer> | undefined;
  for (const path of formsOf('/openapi.json'))
    app.get(path, context => {
      document ??= new TextEncoder().encode(JSON.stringify(openApiDocument(routes, version)));
      return context.body(document, 200, { 'content-type': 'application/json' });
    });
}

function serveGraphql(app: Hono<Env>, options: HttpOptions): void {
  const labels = { transport: 'graphql', operation: 'POST /graphql' };
  // Hono takes HEAD for GET.
  app.on(['GET', 'POST'], [...formsOf('/graphql')], async (context, next) =>
    context.req.method === 'HEAD'
      ? await next()
      : await measured(options.metrics, labels, context.get('requestId'), 'graphql', () =>
          answerGraphql(context, options),
        ),
  );
  for (const path of formsOf('/graphql')) refuseOthers(app, path, 'POST', 'graphql', 'GET, POST');
}

async function answerGraphql(context: Context<Env>, options: HttpOptions): Promise<Response> {
  const [request, connection, requestId] = [context.req.raw, context.env, context.get('requestId')];
  const actor = await actorOf(request, connection, options);
  if (actor.kind === 'token') connection.onAccount?.(actor.account.id, actor.tokenId);
  else if (actor.kind === 'user') connection.onAccount?.(actor.account.id);
  const ctx = options.makeCtx(actor, requestId, request, connection);
  context.set('ctx', ctx);
  const answer = (body: string, type: string): Response => {
    const { answerHeaders, answerCookies } = ctx.request;
    const response = respond({ status: 200, headers: { 'content-type': type }, body }, requestId, answerHeaders);
    for (const cookie of answerCookies) response.headers.append('set-cookie', cookie);
    return response;
  };
  if (request.method !== 'POST') context.set('params', checkQuery(request));
  const asked = request.method === 'POST' ? { params: await readParams(request, connection), answer } : undefined;
  if (asked) context.set('params', asked.params);
  const response = acceptsResults(request) ? await options.graphql(request, ctx, asked) : null;
  if (response && response.status !== 406) return response;
  return respond(failure(NOT_ACCEPTABLE, requestId, 'graphql', { status: 406 }), requestId);
}

/** A token that is not alive is a stranger here: each field says `UNAUTHENTICATED` in GraphQL's own shape. */
async function actorOf(request: Request, connection: Connection, options: HttpOptions): Promise<Actor> {
  try {
    if (!request.headers.has('authorization')) return await options.signedIn(request);
    return await options.authenticate(request, connection);
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return { kind: 'anonymous', refusal: error };
    throw error;
  }
}

/** The body, which is known to be JSON of bounded size and depth, before GraphQL sees it. @throws AppError as `readJsonText` does */
async function readParams(request: Request, { takeBody }: Connection): Promise<GraphqlParams> {
  const { query, ...rest } = parseJsonObject(await readJsonText(request, takeBody));
  // A trusted document may be asked for by its hash alone.
  if (query == null) return rest;
  if (typeof query !== 'string') throw invalidInput('query', 'must be a string');
  return { ...rest, query };
}

/** The query string. @throws AppError `invalid_input` on parameters that are no JSON */
function checkQuery(request: Request): GraphqlParams {
  const { searchParams } = new URL(request.url);
  for (const name of ['variables', 'extensions']) {
    const text = searchParams.get(name);
    if (text && !isJsonObject(text)) throw invalidInput(name, 'must be a JSON object');
  }
  return Object.fromEntries(searchParams);
}

function isJsonObject(text: string): boolean {
  try {
    parseJsonObject(text);
    return true;
  } catch {
    return false;
  }
}

const STOPPING = new AppError('overloaded', 'The gateway is about to stop. Try again in a moment.', { retryAfter: 5 });

const NOT_ACCEPTABLE = new AppError(
  'invalid_input',
  'Accept application/graphql-response+json, application/json or, for events, text/event-stream.',
);

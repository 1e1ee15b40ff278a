/** Serves the doors that are open. A request meets what it meets on our own paths: token, limit of requests, operation, request log. */
import type { GraphQLSchema } from 'graphql';
import type { Context, Hono } from 'hono';
import { type Actor, type Ctx, unauthenticated } from '../../context.ts';
import { toAppError } from '../../db/failures.ts';
import { AppError, internalError, invalidInput } from '../../kernel/errors.ts';
import { limitRequests } from '../../modules/limits/limit-requests.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Traces } from '../../observability/traces/traces.ts';
import { failure, respond } from '../envelope.ts';
import { readBytes } from '../json-body.ts';
import { renamed } from '../mount.ts';
import type { Operations } from '../operations/operations.generated.ts';
import { type OperationName, prepareAsk, type RunOperation } from '../operations/run-operation.ts';
import { refuseOthers } from '../refuse.ts';
import type { Env } from '../request-log/tell-requests.ts';
import { formsOf } from '../route-path.ts';
import type { Connection } from '../server/listen.ts';
import { measured } from '../server/measured.ts';
import type { Ask, DoorRoute } from './door.ts';

interface DoorOptions {
  readonly schema: GraphQLSchema;
  readonly doors: readonly DoorRoute[];
  readonly authenticate: (request: Request, connection: Connection) => Promise<Actor>;
  readonly makeCtx: (actor: Actor, requestId: string, request: Request, connection: Connection) => Ctx;
  readonly metrics: Metrics;
  /** Null: they are off. */
  readonly traces: Traces | null;
}

/** Serves doors. */
export function serveDoors(app: Hono<Env>, options: DoorOptions): void {
  const { doors } = options;
  const asking = askerOf(options.schema);
  for (const door of doors) serveDoor(app, door, options, asking);
  for (const { path, facts } of doors) {
    const methods = doors.flatMap(door => (door.path === path ? [door.method] : []));
    for (const form of formsOf(path))
      refuseOthers(app, form, methods.join(' or '), facts.failureStyle, methods.join(', '));
  }
}

function serveDoor(app: Hono<Env>, door: DoorRoute, options: DoorOptions, asking: Asking): void {
  const { failureStyle: style } = door.facts;
  const labels = { transport: 'rest', operation: `${door.method} ${door.path}` };
  app.on([door.method], [...formsOf(door.path)], context => {
    const requestId = context.get('requestId');
    return measured(options.metrics, labels, requestId, style, () => enter(context, door, options, asking));
  });
}

async function enter(
  { req, env, get, set }: Context<Env>,
  door: DoorRoute,
  options: DoorOptions,
  asking: Asking,
): Promise<Response> {
  const requestId = get('requestId');
  let read: Promise<Buffer> | undefined;
  const knock = { headers: req.raw.headers, body: () => (read ??= readBytes(req.raw, env.takeBody)) };
  const headers = await door.headersOf(knock);
  const shown = new Request(req.url, { method: req.method, headers, signal: req.raw.signal });
  const actor = await options.authenticate(shown, env);
  if (actor.kind !== 'token') throw unauthenticated({});
  env.onAccount?.(actor.account.id, actor.tokenId);
  // The span of the request is known by what came in.
  options.traces?.join(req.raw, shown);
  const ctx = options.makeCtx(actor, requestId, shown, env);
  ctx.request.isAtDoor = true;
  set('ctx', ctx);
  const answered = async () => {
    // Browsers keep Basic credentials, and send them for whatever page asks.
    if (ctx.request.isCrossOrigin) throw new AppError('wrong_area', 'A page of another origin cannot ask here.');
    await limitRequests(ctx);
    const part = (name: string): string => req.param(name) ?? '';
    const query = new URL(req.url).searchParams;
    const [unread] = door.takesQuery ? [] : query.keys();
    if (unread !== undefined) throw invalidInput(unread, 'is not read in the query string; leave it out');
    return door.answer({ ...knock, ctx, ask: asking(ctx, door), part, query });
  };
  const answer = await answered().catch((error: unknown) => {
    const known = toAppError(error);
    if (!known) ctx.log.error({ err: error }, 'an unexpected error was masked');
    return failure(known ?? internalError(), requestId, door.facts.failureStyle);
  });
  return respond(answer, requestId, ctx.request.answerHeaders);
}

/** Makes the `ask` of a request. */
type Asking = (ctx: Ctx, door: DoorRoute) => Ask;

/** Prepares each operation once. Faults have the names that the vendor gives to fields. */
function askerOf(schema: GraphQLSchema): Asking {
  const prepared = new Map<OperationName, RunOperation>();
  return (ctx, { fieldNames = {} }) =>
    async <Name extends OperationName>(name: Name, variables: Operations[Name]['variables']) => {
      const run = prepared.get(name) ?? prepareAsk(schema, name);
      prepared.set(name, run);
      const result = await run(ctx, variables).catch((error: unknown) => {
        const known = toAppError(error);
        throw known ? renamed(known, fieldNames) : error;
      });
      // The type is generated from the operation that is run.
      return result as Operations[Name]['result'];
    };
}

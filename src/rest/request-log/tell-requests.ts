/** Tells the request log of answers: of refusals always, of the others where the account of the token asks for it. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { Actor, Ctx } from '../../context.ts';
import type { AppError } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import { clientAddress, type TrustedProxies } from '../../kernel/network/address.ts';
import type { RequestActor } from '../../modules/requests/logged-request.entity.ts';
import type { RequestLog } from '../../modules/requests/request-log.ts';
import { plainName, plainPath, plainRequestId } from '../../observability/plain-words.policy.ts';
import { refusalOf } from '../envelope.ts';
import type { Route } from '../mount.ts';
import { INBOUND_PATH, RECEIPTS_PATH } from '../receipts.ts';
import { isPathOf } from '../route-path.ts';
import { type Connection, type KnownCaller, peerOf } from '../server/listen.ts';
import { tokenKeyOf } from '../server/request-context.ts';
import { pathOf } from '../server/request-head.ts';
import type { OnRefused } from '../server/send-failure.ts';
import type { KnownCallers } from './known-callers.ts';

/** The body of a GraphQL request. */
export type GraphqlParams = Readonly<Record<string, unknown>> & { readonly query?: string };

/** The variables and bindings of a request in Hono. */
export type Env = {
  Variables: {
    requestId: string;
    /** Undefined: the request was refused before its actor was known. */
    ctx: Ctx | undefined;
    params: GraphqlParams | undefined;
  };
  Bindings: Connection;
};

/** The parts that notes of any request need. */
export interface TellingOptions {
  readonly requestLog: Pick<RequestLog, 'note'>;
  readonly routes: readonly Pick<Route, 'path'>[];
  /** The proxies whose `X-Forwarded-For` is believed; null: none. */
  readonly trustedProxies: TrustedProxies | null;
}

/** The parts that notes of answers need, those of GraphQL too. */
export interface AnswerTellingOptions extends TellingOptions {
  /** The operation that a GraphQL request asks for; null: it has no name. */
  readonly nameOperation: (params: GraphqlParams) => string | null;
}

/** Tells of answers of the application. `startedMs` is by `performance.now()`. An accepted request costs little. */
export function tellAnswers(options: AnswerTellingOptions): (context: Context<Env>, startedMs: number) => void {
  return (context, startedMs) => {
    const { res } = context;
    const ctx = context.get('ctx');
    const refusal = ctx?.request.refusal ?? toRefusal(refusalOf(res));
    if (res.status < 400 && refusal === null && !(ctx && keepsAccepted(ctx.actor))) return;
    const { req, env } = context;
    const route = routeOf(options.routes, req.path);
    const caller = callerOf(ctx?.actor, env.known?.());
    // A request for an unknown path counts as one of the API only with a token.
    if (route === null && caller.tokenId === null) return;
    options.requestLog.note(caller.accountId, res.status >= 400 || refusal !== null, () => ({
      actor: caller.actor,
      tokenId: caller.tokenId,
      method: methodOf(req.method),
      path: route ?? plainPath(req.path),
      operation: nameOf(options.nameOperation, context.get('params')),
      status: res.status,
      code: refusal?.code ?? null,
      field: refusal?.field == null ? null : plainName(refusal.field),
      clientAddress:
        ctx?.request.clientAddress ??
        clientAddress(env.peer, req.header('x-forwarded-for') ?? null, options.trustedProxies),
      durationMs: Math.round(performance.now() - startedMs),
      requestId: plainRequestId(context.get('requestId')),
    }));
  };
}

/** Tells of requests that are refused on the bare socket, where the process knows by their token whose they are. */
export function tellEarly(
  options: TellingOptions & { readonly callers: KnownCallers; readonly publicUrl: string | null },
): OnRefused {
  const { callers, publicUrl, requestLog, routes, trustedProxies } = options;
  return (request, { requestId, status, error }) => {
    const known = callers.of(tokenKeyOf(request, publicUrl));
    const route = routeOf(routes, pathOf(request));
    if (!known || (route === null && known.tokenId === null)) return;
    const { actor, tokenId } = callerOf(undefined, known);
    const refusal = toRefusal(error);
    requestLog.note(known.accountId, true, () => ({
      actor,
      tokenId,
      method: methodOf(request.method ?? ''),
      path: route ?? plainPath(pathOf(request)),
      operation: null,
      status,
      code: error.code,
      field: refusal?.field == null ? null : plainName(refusal.field),
      clientAddress: clientAddress(peerOf(request), forwardedFor(request), trustedProxies),
      durationMs: 0,
      requestId: plainRequestId(requestId),
    }));
  };
}

function forwardedFor({ headers }: IncomingMessage): string | null {
  return headers['x-forwarded-for']?.toString() ?? null;
}

function keepsAccepted(actor: Actor): boolean {
  return actor.kind === 'token' && actor.account.logsAccepted;
}

/** The path of the route that is asked, an address of receipts without its token; null: none is. */
function routeOf(routes: TellingOptions['routes'], path: string): string | null {
  if (isPathOf('/graphql', path)) return '/graphql';
  const known = (): string => `/receipts/${parseId('con', path.split('/')[2] ?? '') ?? '…'}/…`;
  if (isPathOf(RECEIPTS_PATH, path)) return known();
  if (isPathOf(INBOUND_PATH, path)) return `${known()}/inbound`;
  return routes.find(route => isPathOf(route.path, path))?.path ?? null;
}

/** The caller: the actor of this request, else the last known one with the same token. */
function callerOf(actor: Actor | undefined, known: KnownCaller | undefined) {
  if (actor && actor.kind !== 'anonymous')
    return {
      accountId: actor.account?.id ?? null,
      actor: actor.kind as RequestActor,
      tokenId: actor.kind === 'token' ? actor.tokenId : null,
    };
  if (!known) return { accountId: null, actor: 'stranger' as const, tokenId: null };
  return { ...known, actor: known.tokenId === null ? ('user' as const) : ('token' as const) };
}

function toRefusal(error: AppError | undefined) {
  return error ? { code: error.code, field: error.details.errors?.[0]?.field ?? null } : null;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A method may be any word. */
function methodOf(method: string): string {
  return METHODS.has(method) ? method : '…';
}

function nameOf(name: AnswerTellingOptions['nameOperation'], params: GraphqlParams | undefined): string | null {
  const operation = params && name(params);
  return operation == null ? null : plainName(operation);
}

/**
 * The address of receipts, `/receipts/<connectionId>/<token>` (contract §13), and that of what people write, with `/inbound` behind it (§15): GET
 * and POST, for every provider.
 */
import type { Env, Hono } from 'hono';
import type { Ctx } from '../context.ts';
import { AppError } from '../kernel/errors.ts';
import type { Sends } from '../kernel/process/gives-way.ts';
import type { PostedReport } from '../modules/receipts/take-reports.ts';
import { refusing } from './envelope.ts';
import { readBytes } from './json-body.ts';
import { ReportTurns } from './overload/report-turns.ts';
import { isPathOf } from './route-path.ts';
import type { Connection } from './server/listen.ts';

/** The address of a connection's receipts. */
export const RECEIPTS_PATH = '/receipts/:connectionId/:token';

/** The address of what people write by a connection. */
export const INBOUND_PATH = `${RECEIPTS_PATH}/inbound` as const;

/** Takes a report, and answers the body of the answer; null: it is not from the provider. */
export type TakeReports = (ctx: Ctx, report: PostedReport) => Promise<string | null>;

/** What the address of receipts is served with. */
export interface ReceiptsOptions {
  readonly takeReports: TakeReports;
  /** The account that a connection belongs to; null: none. */
  readonly ownerOf: (connectionId: string) => string | null;
  readonly sends: Sends;
  /** A context for a request of nobody: what authenticates it is in the request. */
  makeCtx(request: Request, connection: Connection): Ctx;
}

const answer = (status: 200 | 403, text: string): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' } });

/** Serves the address. Every provider asks as it likes: the body is read as bytes, whatever its type. */
export function serveReceipts<Of extends Env & { Bindings: Connection }>(
  app: Hono<Of>,
  { takeReports, makeCtx, ownerOf, sends }: ReceiptsOptions,
): void {
  const turns = new ReportTurns(sends, ownerOf);
  const paths = [RECEIPTS_PATH, `${RECEIPTS_PATH}/`, INBOUND_PATH, `${INBOUND_PATH}/`] as const;
  app.on(['GET', 'POST'], [...paths], async ({ req, env }, next) => {
    // Hono serves it as GET, but what only asks must change nothing.
    if (req.raw.method === 'HEAD') return next();
    const body = await readBytes(req.raw, env.takeBody);
    const isInbound = isPathOf(INBOUND_PATH, req.path);
    const report: PostedReport = {
      connectionId: req.param('connectionId'),
      token: req.param('token'),
      isInbound,
      method: req.method === 'GET' ? 'GET' : 'POST',
      search: /\?[^#]*/.exec(req.url)?.[0] ?? '',
      headers: Object.fromEntries(req.raw.headers),
      body,
    };
    const take = (): Promise<string | null> => takeReports(makeCtx(req.raw, env), report);
    const taken = await turns.run(report.connectionId, env.stepAside, take);
    if (taken !== null) return answer(200, taken);
    const why = 'This report is not from the provider of the connection.';
    return refusing(answer(403, `${why}\n`), new AppError('unauthenticated', why));
  });
}

/** The address of receipts, `/receipts/<connectionId>/<token>` (contract §13): GET and POST, for every provider. */
import type { Env, Hono } from 'hono';
import type { Ctx } from '../context.ts';
import type { PostedReport } from '../modules/receipts/take-reports.ts';
import { readBytes } from './json-body.ts';
import type { Connection } from './server/listen.ts';

/** Takes a report; false: it is not from the provider. */
export type TakeReports = (ctx: Ctx, report: PostedReport) => Promise<boolean>;

/** What the address of receipts is served with. */
export interface ReceiptsOptions {
  readonly takeReports: TakeReports;
  /** A context for a request of nobody: what authenticates it is in the request. */
  makeCtx(request: Request, connection: Connection): Ctx;
}

/** An answer that providers only look at the status of. */
const answer = (status: 200 | 403, text: string): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' } });

/** Serves the address. Every provider asks as it likes: the body is read as bytes, whatever its type. */
export function serveReceipts<Of extends Env & { Bindings: Connection }>(
  app: Hono<Of>,
  { takeReports, makeCtx }: ReceiptsOptions,
): void {
  app.on(['GET', 'POST'], '/receipts/:connectionId/:token', async ({ req, env }) => {
    const body = await readBytes(req.raw, env.takeBody);
    const isTaken = await takeReports(makeCtx(req.raw, env), {
      connectionId: req.param('connectionId'),
      token: req.param('token'),
      method: req.method === 'GET' ? 'GET' : 'POST',
      search: /\?[^#]*/.exec(req.url)?.[0] ?? '',
      headers: Object.fromEntries(req.raw.headers),
      body,
    });
    return isTaken ? answer(200, 'ok\n') : answer(403, 'This report is not from the provider of the connection.\n');
  });
}

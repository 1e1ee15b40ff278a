/**
 * The address of receipts, `/receipts/<connectionId>/<token>` (contract §13), and that of what people write, with `/inbound` behind it (§15): GET
 * and POST, for every provider.
 */
import type { Env, Hono } from 'hono';
import type { Ctx } from '../context.ts';
import { AppError } from '../kernel/errors.ts';
import type { Sends } from '../kernel/process/gives-way.ts';
import type { PostedReport } from '../modules/receipts/take-reports.ts';
import { respond } from './envelope.ts';
import { readBytes } from './json-body.ts';
import { ReportTurns } from './overload/report-turns.ts';
import { formsOf } from './route-path.ts';
import type { Connection } from './server/listen.ts';

/** The address of a connection's receipts. */
export const RECEIPTS_PATH = '/receipts/:connectionId/:token';

/** The address of what people write by a connection. */
export const INBOUND_PATH = `${RECEIPTS_PATH}/inbound` as const;

/** Takes a report, and answers the body of the answer; null: it is not from the provider. */
export type TakeReports = (ctx: Ctx, report: PostedReport) => Promise<string | null>;

interface ReceiptsOptions {
  readonly takeReports: TakeReports;
  /** The account that a connection belongs to; null: none. */
  readonly ownerOf: (connectionId: string) => string | null;
  readonly sends: Sends;
  /** A context for a request of nobody: what authenticates it is in the request. */
  makeCtx(requestId: string, request: Request, connection: Connection): Ctx;
}

type ReceiptsEnv = Env & { Bindings: Connection; Variables: { requestId: string } };

const text = { 'content-type': 'text/plain; charset=utf-8' };

const FORGED = new AppError('unauthenticated', 'This report is not from the provider of the connection.');

/** Serves the address. Every provider asks as it likes: the body is read as bytes, whatever its type. */
export function serveReceipts<Of extends ReceiptsEnv>(app: Hono<Of>, options: ReceiptsOptions): void {
  const turns = new ReportTurns(options.sends, options.ownerOf);
  for (const path of formsOf(RECEIPTS_PATH)) serve(app, path, false, turns, options);
  for (const path of formsOf(INBOUND_PATH)) serve(app, path, true, turns, options);
}

function serve<Of extends ReceiptsEnv>(
  app: Hono<Of>,
  path: string,
  isInbound: boolean,
  turns: ReportTurns,
  { takeReports, makeCtx }: ReceiptsOptions,
): void {
  app.on(['GET', 'POST'], path, async ({ req, env, get }, next) => {
    // Hono serves HEAD as GET, but a HEAD must change nothing.
    if (req.raw.method === 'HEAD') return next();
    const body = await readBytes(req.raw, env.takeBody);
    const report: PostedReport = {
      connectionId: req.param('connectionId') ?? '',
      token: req.param('token') ?? '',
      isInbound,
      method: req.method === 'GET' ? 'GET' : 'POST',
      search: /\?[^#]*/.exec(req.url)?.[0] ?? '',
      headers: Object.fromEntries(req.raw.headers),
      body,
    };
    const requestId = get('requestId');
    const take = (): Promise<string | null> => takeReports(makeCtx(requestId, req.raw, env), report);
    const taken = await turns.run(report.connectionId, env.stepAside, take);
    if (taken !== null) return respond({ status: 200, headers: text, body: taken }, requestId);
    return respond({ status: 403, headers: text, body: `${FORGED.message}\n`, error: FORGED }, requestId);
  });
}

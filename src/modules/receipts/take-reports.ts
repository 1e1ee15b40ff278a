/** The verb *take reports*: what a provider reports by HTTP, to the address that it was given (contract §13), and what people write (§15). */
import type { Inbound, ReportRequest } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { secretsEqual } from '../../kernel/crypto/secrets.ts';
import { AppError } from '../../kernel/errors.ts';
import type { ConnectionTable, LiveConnection } from '../connections/live/connection-table.ts';
import { INBOUND_SUFFIX, receiptsUrl } from '../connections/receipts-url.ts';
import { receiveInbound } from '../inbound/receive-inbound.ts';
import { receiveReports } from './receive-reports.ts';
import { takeCallback } from './take-callback.ts';

/** The largest report of one text, in bytes: patterns of a config are searched for in it. A callback has many. */
const REPORT_BYTES_MAX = 64 * 1024;

/** The answer to a report, which providers only look at the status of. */
const TAKEN = 'ok\n';

/** A report as it was posted. */
export interface PostedReport extends Omit<ReportRequest, 'url'> {
  readonly connectionId: string;
  /** The last part of the path. */
  readonly token: string;
  /** Whether it came to the address of what people write. */
  readonly isInbound: boolean;
  /** The query string with its `?`, as it was written; empty: none. */
  readonly search: string;
}

/**
 * Authenticates a report by its address and its provider's own way, and stores what it says. Answers the body of the answer, which is empty for what people
 * write: some providers send it back to them. Null: it is not from the provider, and nothing was changed; a connection that is not there answers alike.
 * @param publicUrl the address by which providers reach this gateway: they sign the address that they call
 * @throws AppError `database_unavailable`: the provider has to report again; `body_too_large`; `invalid_input`: the provider keeps what nobody could read
 */
export async function takeReports(
  ctx: Ctx,
  table: ConnectionTable,
  publicUrl: string,
  { connectionId, token, isInbound, search, ...posted }: PostedReport,
): Promise<string | null> {
  const connection = table.get(connectionId);
  if (!connection?.line || !secretsEqual(token, connection.receiptsToken ?? '')) return null;
  const { provider } = connection.line;
  const url = `${receiptsUrl(publicUrl, connectionId, token)}${isInbound ? INBOUND_SUFFIX : ''}${search}`;
  const request = { ...posted, url };
  if (!provider.callbackOf && posted.body.byteLength > REPORT_BYTES_MAX)
    throw new AppError('body_too_large', `The body has more than ${REPORT_BYTES_MAX} bytes, the most that is read.`);
  if (provider.callbackOf) return isInbound ? null : takeCallback(ctx, table, connection, request);
  if (isInbound) {
    const messages = provider.inboundOf?.(request) ?? 'forged';
    if (messages === 'forged') return null;
    if (messages.length === 0 || messages === 'unreadable') noteUnread(ctx, connection, request, messages);
    else await receiveInbound(ctx, connection, messages);
    return '';
  }
  const reports = provider.reportsOf?.(request) ?? [];
  if (reports === 'forged') return null;
  if (reports.length > 0) await receiveReports(ctx, connection, reports);
  return TAKEN;
}

/** Counts and tells a call in which no message could be read. One with nothing in it, as by providers that try the address, is none. */
function noteUnread(
  { log, services: { metrics } }: Ctx,
  { id: connectionId, providerId: provider }: LiveConnection,
  { url, body }: ReportRequest,
  messages: readonly Inbound[] | 'unreadable',
): void {
  if (new URL(url).search === '' && body.byteLength === 0) return;
  metrics.inbound.inc({ provider, result: 'unreadable' });
  log.warn({ connectionId, provider }, 'no message could be read in what came to the address of what people write');
  if (messages === 'unreadable')
    throw new AppError('invalid_input', 'The config of the connection (`inbound`) finds no `from` or no `to` in this.');
}

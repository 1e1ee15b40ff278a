/** The verb *take reports*: what a provider reports by HTTP, to the address that it was given (contract §13), and what people write (§15). */
import type { ReportRequest } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { secretsEqual } from '../../kernel/crypto/secrets.ts';
import type { ConnectionTable } from '../connections/live/connection-table.ts';
import { INBOUND_SUFFIX, receiptsUrl } from '../connections/receipts-url.ts';
import { receiveInbound } from '../inbound/receive-inbound.ts';
import { receiveReports } from './receive-reports.ts';

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
 * Authenticates a report by its address and its provider's own way, and stores what it says. False: it is not from the provider, and nothing was
 * changed; a connection that is not there answers alike.
 * @param publicUrl where providers reach this gateway: signatures are made over the address that they were given
 * @throws AppError `database_unavailable`: the provider has to report again
 */
export async function takeReports(
  ctx: Ctx,
  table: ConnectionTable,
  publicUrl: string,
  { connectionId, token, isInbound, search, ...request }: PostedReport,
): Promise<boolean> {
  const connection = table.get(connectionId);
  if (!connection?.line || !secretsEqual(token, connection.receiptsToken ?? '')) return false;
  const { provider } = connection.line;
  const url = `${receiptsUrl(publicUrl, connectionId, token)}${isInbound ? INBOUND_SUFFIX : ''}${search}`;
  if (isInbound) {
    const messages = provider.inboundOf?.({ ...request, url }) ?? 'forged';
    if (messages === 'forged') return false;
    await receiveInbound(ctx, connection, messages);
    return true;
  }
  const reports = provider.reportsOf?.({ ...request, url }) ?? [];
  if (reports === 'forged') return false;
  if (reports.length > 0) await receiveReports(ctx, connection, reports);
  return true;
}

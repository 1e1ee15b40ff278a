/** Opens the connections of a process: their table, with the handlers of their reports and of their health. */
import type { Inbound, Provider, Report } from '../../../channels/contract.ts';
import type { Providers } from '../../../channels/providers.ts';
import type { Ctx } from '../../../context.ts';
import type { Logger } from '../../../observability/logger.ts';
import { receiptsUrl } from '../receipts-url.ts';
import { resealConfigs } from '../sealed-config.ts';
import type { BreakerState } from './breaker.ts';
import { ConnectionTable, type ConnectionTableParts, type LiveConnection } from './connection-table.ts';
import { HealthNotes } from './note-health.ts';
import { createProviders } from './providers.ts';
import { storeNews } from './store-news.ts';

interface ConnectionsOptions
  extends Pick<
    ConnectionTableParts,
    'database' | 'health' | 'keys' | 'userAgent' | 'chatQrDir' | 'templateFault' | 'bySession'
  > {
  /** The address at which providers reach this gateway, without a slash at its end. */
  publicUrl(): string;
  readonly log: Logger;
  /** A context for what comes by a connection itself, as a job has one. */
  makeCtx(): Ctx;
  /** Stores what came by a connection itself. Rejects where it could not be stored. */
  receive(ctx: Ctx, connection: LiveConnection, reports: readonly Report[]): Promise<void>;
  /** Stores what people wrote by a connection itself. Rejects where it could not be stored. */
  hear(ctx: Ctx, connection: LiveConnection, messages: readonly Inbound[]): Promise<unknown>;
  /** The sandbox; null: it is off. */
  readonly sandbox: Provider | null;
}

/** The connections of a process. */
export interface Connections {
  readonly providers: Providers;
  readonly table: ConnectionTable;
}

/** Reads the connections, and follows their changes. Connect and close them with their table. @throws the database's error */
export async function openConnections(options: ConnectionsOptions): Promise<Connections> {
  const { database, keys, publicUrl, makeCtx, receive, hear, sandbox, log } = options;
  const notes = new HealthNotes();
  const table = new ConnectionTable({
    ...options,
    receiptsUrl: (connectionId, token) => receiptsUrl(publicUrl(), connectionId, token),
    receive: (connection, reports) => storeNews(log, connection, reports, some => receive(makeCtx(), connection, some)),
    hear: (connection, messages) => storeNews(log, connection, messages, some => hear(makeCtx(), connection, some)),
    onHealth: (connection, state) => {
      // A removed connection goes down as its line ends: that is no news.
      if (!table.isRemoved(connection)) tellHealth(makeCtx(), connection, state, notes);
    },
    onDeaf: ({ id: connectionId, name, providerId: provider }, error) =>
      log.warn({ connectionId, name, provider, error }, 'a connection hears nothing: its receiver is not bound'),
    onUnknown: connection => makeCtx().services.metrics.connectionUp.remove({ connection }),
    onError: error =>
      log.warn({ err: error }, 'the connections could not be read; those of before hold until they can'),
  });
  await resealConfigs(database.sql(), keys);
  await table.open();
  return { table, providers: createProviders(table, sandbox) };
}

function tellHealth(
  ctx: Ctx,
  { id: connectionId, name, providerId: provider }: LiveConnection,
  state: BreakerState,
  notes: HealthNotes,
): void {
  const facts = { connectionId, name, provider };
  if (state.status === 'down') ctx.log.warn({ ...facts, error: state.error }, 'a connection is down');
  else ctx.log.info(facts, 'a connection is up');
  ctx.services.metrics.connectionUp.set({ connection: connectionId }, state.status === 'down' ? 0 : 1);
  notes.note(ctx, connectionId, state);
}

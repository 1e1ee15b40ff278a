/**
 * A call of a provider that says everything at one address (contract §13). An app of Meta has one address for all of its numbers: what is signed for the
 * connection of the address, and is about another number, is that of the connection with that number and the same secret.
 */
import type { News, ReportRequest } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import type { ConnectionTable, LiveConnection } from '../connections/live/connection-table.ts';
import { takeTurnsIn } from '../connections/turns/take-turn.ts';
import { receiveInbound } from '../inbound/receive-inbound.ts';
import { learnAcquaintances } from '../people/learn-acquaintances.ts';
import { noteTemplates } from '../templates/note-templates.ts';
import { receiveReports } from './receive-reports.ts';

/** Stores what a call says. Answers the body of the answer; null: the call is not the provider's. @throws AppError `database_unavailable` */
export async function takeCallback(
  ctx: Ctx,
  table: ConnectionTable,
  connection: LiveConnection,
  request: ReportRequest,
): Promise<string | null> {
  const callback = connection.line?.provider.callbackOf?.(request) ?? 'forged';
  if (callback === 'forged') return null;
  await Promise.all(
    callback.news.flatMap(news => {
      const receiver = receiverOf(table, connection, news, request);
      const owners = ownersOf(table, connection, news, request);
      return [
        ...(receiver ? [takeNews(ctx, receiver, news)] : []),
        ...owners.map(owner => noteTemplates(ctx, owner, news.templates)),
      ];
    }),
  );
  return callback.answer ?? '';
}

/** The connection that news are for; undefined: none, and they are nobody's. */
function receiverOf(
  table: ConnectionTable,
  connection: LiveConnection,
  { numberId }: News,
  request: ReportRequest,
): LiveConnection | undefined {
  if (numberId === null || connection.line?.provider.numberId === numberId) return connection;
  return table.usable().find(one => one.line.provider.numberId === numberId && isSignedFor(one, connection, request));
}

/** The connections of a business that tells of its templates. */
function ownersOf(
  table: ConnectionTable,
  connection: LiveConnection,
  { businessId, templates }: News,
  request: ReportRequest,
): readonly LiveConnection[] {
  if (businessId === null || templates.length === 0) return [];
  return table
    .usable()
    .filter(one => one.line.provider.businessId === businessId && isSignedFor(one, connection, request));
}

/** Whether a call to the address of a connection is signed with the secret of another one too. */
function isSignedFor(
  { providerId, line }: LiveConnection,
  connection: LiveConnection,
  request: ReportRequest,
): boolean {
  const callback = providerId === connection.providerId ? line?.provider.callbackOf?.(request) : undefined;
  return callback !== undefined && callback !== 'forged';
}

async function takeNews(ctx: Ctx, receiver: LiveConnection, { reports, messages, people }: News): Promise<void> {
  await Promise.all([
    reports.length > 0 && receiveReports(ctx, receiver, reports),
    messages.length > 0 && receiveInbound(ctx, receiver, messages),
    messages.length > 0 && countIn(ctx, receiver, messages.length),
    learnAcquaintances(ctx, people),
  ]);
}

/** Counts what came in towards the pace of the number. It is stored by then or will come again, whatever becomes of the count. */
async function countIn({ services: { database } }: Ctx, { id, line }: LiveConnection, count: number): Promise<void> {
  const perSecond = line?.provider.perSecond;
  if (perSecond !== undefined) await takeTurnsIn(database, id, perSecond, count).catch(() => undefined);
}

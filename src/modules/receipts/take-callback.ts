/**
 * A call of a provider that reports everything to one address (contract §13). An app of Meta has one address for all of its numbers. News about another
 * number belong to the connection that has this number and the same secret.
 */
import type { Inbound, News, Report, ReportRequest } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { fromUuid, parseId, toUuid } from '../../kernel/ids.ts';
import type { ConnectionTable, LiveConnection } from '../connections/live/connection-table.ts';
import { paceOf } from '../connections/live/line.ts';
import { noteNumber } from '../connections/live/note-number.ts';
import { takeTurnsIn } from '../connections/turns/take-turn.ts';
import { receiveInbound } from '../inbound/receive-inbound.ts';
import { learnAcquaintances } from '../people/learn-acquaintances.ts';
import { noteTemplates } from '../templates/note-templates.ts';
import { FIND_SENDERS } from './callback.sql.ts';
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
      const receivers = receiversOf(table, connection, news, request);
      const owners = ownersOf(table, connection, news, request);
      return [takeNews(ctx, receivers, news), ...owners.map(owner => noteTemplates(ctx, owner, news.templates))];
    }),
  );
  return callback.answer ?? '';
}

/** The connections with the number that news are about, that of the address first unless it was removed: another may stand for it. None: the news are nobody's. */
function receiversOf(
  table: ConnectionTable,
  connection: LiveConnection,
  { numberId }: News,
  request: ReportRequest,
): readonly LiveConnection[] {
  if (numberId === null) return [connection];
  const isOwn = connection.line?.provider.numberId === numberId;
  const others = table
    .usable()
    .filter(one => one !== connection && one.line.provider.numberId === numberId)
    .filter(one => isSignedFor(one, connection, request));
  if (!isOwn) return others;
  return table.isRemoved(connection) ? [...others, connection] : [connection, ...others];
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
  return providerId === connection.providerId && line?.provider.signs?.(request) === true;
}

async function takeNews(
  ctx: Ctx,
  receivers: readonly LiveConnection[],
  { number, reports, messages, people }: News,
): Promise<void> {
  const [receiver, ...others] = receivers;
  if (!receiver) return;
  const strangers = receivers.filter(one => one.number !== number);
  // Before what was written is known: an answer to it goes by this number.
  if (number !== null && strangers.length > 0)
    await noteNumber(
      ctx,
      strangers.map(({ id }) => id),
      number,
    );
  const byReceiver =
    others.length === 0 ? new Map([[receiver, reports]]) : await bySender(ctx, [receiver, ...others], reports);
  await Promise.all([
    ...[...byReceiver].map(([one, own]) => own.length > 0 && receiveReports(ctx, one, own)),
    messages.length > 0 && takeMessages(ctx, receiver, messages),
    learnAcquaintances(ctx, people, receivers),
  ]);
}

/** Reports by the connection that sent what they are about; those of unknown attempts are the first one's. */
async function bySender(
  { services: { database } }: Ctx,
  [first, ...others]: readonly [LiveConnection, ...LiveConnection[]],
  reports: readonly Report[],
): Promise<Map<LiveConnection, Report[]>> {
  const attempts = reports.flatMap(({ attemptId }) => parseId('att', attemptId ?? '') ?? []).map(id => toUuid(id));
  const rows = await FIND_SENDERS.run(database.sql(), { attempts });
  const senders = new Map(rows.map(row => [fromUuid('att', row.id), fromUuid('con', row.connection_id)]));
  const senderOf = ({ attemptId }: Report) => others.find(({ id }) => id === senders.get(attemptId ?? '')) ?? first;
  return Map.groupBy(reports, senderOf);
}

/** Stores messages, and counts those that are new towards the pace of the number. They are stored whatever becomes of the count. */
async function takeMessages(ctx: Ctx, receiver: LiveConnection, messages: readonly Inbound[]): Promise<void> {
  const results = await receiveInbound(ctx, receiver, messages);
  const count = results.filter(({ result }) => result === 'stored').length;
  const provider = receiver.line?.provider;
  if (count === 0 || provider?.perSecond === undefined) return;
  const { database } = ctx.services;
  await takeTurnsIn(database, paceOf(provider), provider.perSecond, count).catch(() => undefined);
}

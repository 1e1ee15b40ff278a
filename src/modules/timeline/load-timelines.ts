/** The verbs *load timelines*: of messages, and of passcodes. Each reads what is stored of all of them by one statement a table. */
import { type Ctx, requireAccount } from '../../context.ts';
import { keyRange } from '../../db/page.ts';
import { parseId, toUuid, uuidFloorAfter } from '../../kernel/ids.ts';
import { readScope } from '../accounts/read-scope.ts';
import { nameConnections } from '../connections/name-connections.ts';
import { Message } from '../messaging/message.entity.ts';
import { MESSAGE } from '../messaging/message-kind.ts';
import { Otp } from '../otp/otp.entity.ts';
import { OTP } from '../otp/send/otp-kind.ts';
import { Attempt, isChannelAttempt } from '../routing/attempt.entity.ts';
import { FIND_WAITS } from '../routing/follow-ups/follow-ups.sql.ts';
import { type AttemptOwner, withUnderWay } from '../routing/under-way.ts';
import { type TimelineWait, timelineOf } from './timeline.policy.ts';
import type { TimelineEntry, TimelineWebhook } from './timeline-entry.ts';
import { FIND_WEBHOOKS } from './timeline-webhooks.sql.ts';

/** The most deliveries that are told of the sends of one request. */
const WEBHOOKS_MAX = 1_000;

const UNTRACKED = { disableIdentityMap: true } as const;

/** The timelines of messages, for each id in turn, oldest entry first; empty for one that the caller may not see. @throws AppError as `readScope` */
export async function loadMessageTimelines(ctx: Ctx, messageIds: readonly string[]): Promise<TimelineEntry[][]> {
  const scope = readScope(ctx);
  const ids = messageIds.flatMap(id => parseId('msg', id) ?? []);
  if (scope.area === 'otp' || ids.length === 0) return messageIds.map(() => []);
  const messages = await ctx.em.find(Message, { ...scope, id: { $in: ids } }, UNTRACKED);
  const where = { messageId: { $in: messages.map(({ id }) => id) } };
  return timelinesOf(ctx, messageIds, messages, where, MESSAGE.attemptOf);
}

/** The timelines of passcodes, as `loadMessageTimelines`. */
export async function loadOtpTimelines(ctx: Ctx, pinIds: readonly string[]): Promise<TimelineEntry[][]> {
  const scope = readScope(ctx);
  const ids = pinIds.flatMap(id => parseId('pin', id) ?? []);
  if (scope.area === 'sms' || ids.length === 0) return pinIds.map(() => []);
  const otps = await ctx.em.find(Otp, { ...scope, id: { $in: ids } }, UNTRACKED);
  return timelinesOf(ctx, pinIds, otps, { pinId: { $in: otps.map(({ id }) => id) } }, OTP.attemptOf);
}

async function timelinesOf<Kind extends Message | Otp>(
  ctx: Ctx,
  ids: readonly string[],
  sends: readonly Kind[],
  where: { readonly messageId: object } | { readonly pinId: object },
  ownerOf: (send: Kind) => AttemptOwner,
): Promise<TimelineEntry[][]> {
  if (sends.length === 0) return ids.map(() => []);
  // Leaves out the older partitions: nothing happens to a send before it is made.
  const lowest = uuidFloorAfter(sends.map(({ createdAt }) => createdAt));
  const { accountId, ...area } = readScope(ctx);
  const range = keyRange(lowest, null);
  const rows = await ctx.em.find(Attempt, { accountId, ...area, ...where, ...range }, UNTRACKED);
  const attempts = Map.groupBy(rows, ({ messageId, pinId }) => messageId ?? pinId ?? '');
  const names = await namesOf(ctx, rows);
  const webhooks = await webhooksOf(ctx, sends, lowest);
  const waits = await waitsOf(ctx, sends);
  const timelines = new Map(
    sends.map(send => {
      const [made, outcomes] = splitAttempts(attempts.get(send.id) ?? []);
      const all = [...withUnderWay(made, send, ownerOf(send)), ...outcomes];
      const [told, wait] = [webhooks.get(toUuid(send.id)) ?? [], waits.get(toUuid(send.id)) ?? null];
      return [send.id, timelineOf({ send, attempts: all, names, wait, webhooks: told })];
    }),
  );
  return ids.map(id => timelines.get(id) ?? []);
}

function splitAttempts(rows: readonly Attempt[]) {
  return [rows.filter(isChannelAttempt), rows.filter(row => !isChannelAttempt(row))] as const;
}

async function namesOf(ctx: Ctx, attempts: readonly Attempt[]): Promise<Map<string, string>> {
  const ids = attempts.flatMap(({ connectionId, passedOver }) => [
    ...(connectionId == null ? [] : [connectionId]),
    ...(passedOver ?? []).map(passed => passed.connectionId),
  ]);
  if (ids.length === 0) return new Map();
  const named = await nameConnections(ctx, [...new Set(ids)]);
  return new Map(named.flatMap(connection => (connection ? [[connection.id, connection.name] as const] : [])));
}

/** The running waits before a fallback, by the uuid of the send. */
async function waitsOf(ctx: Ctx, sends: readonly (Message | Otp)[]): Promise<Map<string, TimelineWait>> {
  const ids = sends.flatMap(({ id, fallbackAfter }) => (fallbackAfter == null ? [] : [toUuid(id)]));
  if (ids.length === 0) return new Map();
  const rows = await FIND_WAITS.run(ctx.services.database.sql(), { ids });
  return new Map(rows.map(({ sendId, ...wait }) => [sendId, wait]));
}

/** The deliveries of webhooks, by the uuid of the send; none for callers who may not manage webhooks (contract §7). */
async function webhooksOf(ctx: Ctx, sends: readonly (Message | Otp)[], lowest: string) {
  const { account, area } = requireAccount(ctx);
  const isManager = ctx.actor.kind !== 'token' || area === 'management';
  if (!isManager || !account.unifiedApi || account.planExpired) return new Map<string, never[]>();
  const rows = await FIND_WEBHOOKS.run(ctx.services.database.sql(), {
    account: toUuid(account.id),
    sends: sends.map(({ id }) => toUuid(id)),
    lowest,
    limit: WEBHOOKS_MAX,
  });
  const told = rows.map((row): TimelineWebhook => ({ ...row, urlHost: new URL(row.url).host }));
  return Map.groupBy(told, ({ sendId }) => sendId);
}

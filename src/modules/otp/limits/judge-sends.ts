/** The fraud guard's look at the sends of a group, with what was counted for their places. Part of the batch *issue*. */
import type { Sql } from '../../../db/statements/sql.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import type { IssueItem } from '../send/issue-item.ts';
import { type GuardCode, rateFault, type Traffic } from './fraud.policy.ts';
import { LOCK_PLACES, READ_TRAFFIC } from './judge-sends.sql.ts';

/** Why a send was found suspicious, and the error that it is refused with; null where the account only observes. */
export interface Decision {
  readonly code: GuardCode;
  readonly message: string;
  readonly refusal: AppError | null;
}

/** How long a caller waits whose place has too many unverified OTPs: the shorter of the windows. */
const RETRY_AFTER_SECONDS = 3_600;

/** The decisions about those sends that are suspicious. The others, and those of accounts without a guard, are not among them. */
export async function judgeSends(sql: Sql, items: readonly IssueItem[]): Promise<Map<IssueItem, Decision>> {
  const guarded = items.filter(item => !item.isExempt && item.settings.fraudMode !== 'off');
  const traffic = await readTraffic(sql, guarded);
  const more = new Map<string, number>();
  const decisions = new Map<IssueItem, Decision>();
  for (const item of guarded) {
    const places = item.places.map(place => `${item.otp.accountId} ${place}`);
    const decision = judge(
      item,
      places.map(place => ({ traffic: traffic.get(place), more: more.get(place) ?? 0 })),
    );
    if (decision) decisions.set(item, decision);
    if (decision?.refusal) continue;
    for (const place of places) more.set(place, (more.get(place) ?? 0) + 1);
  }
  return decisions;
}

function judge(
  { numberFault, places, settings }: IssueItem,
  counted: readonly { readonly traffic: Traffic | undefined; readonly more: number }[],
): Decision | null {
  const blocks = settings.fraudMode === 'block';
  if (numberFault) return { ...numberFault, refusal: blocks ? invalidInput('to', numberFault.message) : null };
  for (const [index, { traffic, more }] of counted.entries()) {
    const message = rateFault(traffic ?? emptyTraffic(places[index] ?? ''), more);
    if (message === null) continue;
    const refusal = new AppError('rate_limited', `${message}.`, { retryAfter: RETRY_AFTER_SECONDS });
    return { code: 'too_many_unverified', message, refusal: blocks ? refusal : null };
  }
  return null;
}

function emptyTraffic(place: string): Traffic {
  return { place, sent1h: 0, verified1h: 0, sent24h: 0, verified24h: 0, maxVerifiedDay: 0 };
}

async function readTraffic(sql: Sql, items: readonly IssueItem[]): Promise<Map<string, Traffic>> {
  if (items.length === 0) return new Map();
  const placesOf = (some: readonly IssueItem[]) =>
    some.flatMap(({ otp, places }) => places.map(place => ({ account_id: toUuid(otp.accountId), place })));
  const blocking = items.filter(item => item.settings.fraudMode === 'block');
  if (blocking.length > 0) await LOCK_PLACES.run(sql, { places: placesOf(blocking) });
  const rows = await READ_TRAFFIC.run(sql, { places: placesOf(items) });
  return new Map(rows.map(({ account_id, ...row }) => [`${fromUuid('acc', account_id)} ${row.place}`, row]));
}

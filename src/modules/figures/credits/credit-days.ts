/** The verb *credit days*: what an account spent on each day, by channel and purpose, what it was given, and what it had then. */
import type { Ctx } from '../../../context.ts';
import { statement } from '../../../db/statements/statement.ts';
import type { Channel, Purpose } from '../../../kernel/channel.ts';
import { toUuid, uuidFloor } from '../../../kernel/ids.ts';
import { readScope } from '../../accounts/read-scope.ts';
import { readBalance } from '../../billing/balance.ts';
import { reading } from '../../reading/reading.ts';
import { COUNT_ENTRIES } from '../figures.sql.ts';
import { isOfAttempts } from '../overview.policy.ts';
import { DAY_MS, spansOf } from '../spans.policy.ts';
import type { CreditDaysInput } from './credit-days.input.ts';

const DAYS = 30;

/** Credits of a day over one channel for one purpose. */
export interface CreditSpend {
  readonly channel: Channel;
  readonly purpose: Purpose;
  readonly credits: number;
}

/** A day of UTC. */
export interface CreditDay {
  readonly from: Date;
  readonly spent: number;
  /** Credits that adjustments added, less those they took away. */
  readonly adjusted: number;
  /** Credits at the end of the day, held ones too; today: at present. */
  readonly balance: number;
  readonly spending: readonly CreditSpend[];
}

/** Adjustments by the operator, by day. They are few, and have an index. */
const ADJUSTED = statement('adjusted by day', {
  takes: { account: 'uuid', from: 'uuid', start: 'timestamptz' },
  gives: { day: 'int', credits: 'int' },
  sql: p => `select floor(extract(epoch from created_at - ${p.start}) / 86400)::int as day, sum(credits)::int as credits
    from ledger where account_id = ${p.account} and kind = 'adjustment' and id >= ${p.from} group by 1`,
});

/** The last days of the caller's account, today last. @throws AppError as `readScope` */
export function creditDays(ctx: Ctx, input: CreditDaysInput): Promise<CreditDay[]> {
  return reading(ctx, on => readDays(on, input));
}

async function readDays(ctx: Ctx, input: CreditDaysInput): Promise<CreditDay[]> {
  const { accountId } = readScope(ctx);
  const days = input.days ?? DAYS;
  const nowMs = ctx.clock.now().getTime();
  const fromMs = (Math.floor(nowMs / DAY_MS) + 1 - days) * DAY_MS;
  const spans = spansOf(fromMs, nowMs, nowMs, ms => {
    const bucket = Math.floor((ms - fromMs) / DAY_MS);
    return { bucket, endMs: fromMs + (bucket + 1) * DAY_MS };
  });
  const [account, start] = [toUuid(accountId), new Date(fromMs)];
  const sql = ctx.services.database.sql(ctx.signal);
  const counts = await COUNT_ENTRIES.run(sql, { account, spans });
  const adjusted = await ADJUSTED.run(sql, { account, from: uuidFloor(start), start });
  const { credits, held } = await readBalance(sql, accountId);
  const spends = counts.filter(isOfAttempts).filter(row => row.credits !== 0);
  return withBalances(
    Array.from({ length: days }, (_, day) => ({
      from: new Date(fromMs + day * DAY_MS),
      adjusted: adjusted.find(row => row.day === day)?.credits ?? 0,
      spending: spendingOf(spends.filter(({ bucket }) => bucket === day)),
    })),
    credits + held,
  );
}

function spendingOf(rows: readonly { type: string; channel: Channel; credits: number }[]): CreditSpend[] {
  const groups = Map.groupBy(rows, ({ type, channel }) => `${channel} ${type}`);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const purpose = first.type === 'otp_attempt' ? 'otp' : 'message';
    return [{ channel: first.channel, purpose, credits: group.reduce((total, { credits }) => total + credits, 0) }];
  });
}

/** Reckons the balances backwards from the present one. */
function withBalances(
  days: readonly Pick<CreditDay, 'from' | 'adjusted' | 'spending'>[],
  present: number,
): CreditDay[] {
  let balance = present;
  return days
    .toReversed()
    .map(day => {
      const spent = day.spending.reduce((total, { credits }) => total + credits, 0);
      const shown = { ...day, spent, balance };
      balance += spent - day.adjusted;
      return shown;
    })
    .toReversed();
}

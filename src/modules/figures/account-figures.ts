/** The verb *account figures*: what each account sent within a day, side by side, for the operator. */
import { type Ctx, requireOperator } from '../../context.ts';
import { statement } from '../../db/statements/statement.ts';
import { fromUuid, uuidFloor } from '../../kernel/ids.ts';
import { HOUR_MS } from './spans.policy.ts';

const DAY_MS = 24 * HOUR_MS;

/** What an account sent within a day. */
export interface AccountFigures {
  readonly accountId: string;
  readonly attempts: number;
  readonly accepted: number;
  readonly failed: number;
}

/** The statuses are those of `totalsOf`. */
const COUNT_ACCOUNTS = statement('count accounts', {
  takes: { since: 'uuid' },
  gives: { account: 'uuid', attempts: 'int', accepted: 'int', failed: 'int' },
  sql: p => `
  select a.id as account, coalesce(sum(c.entries), 0)::int as attempts,
    coalesce(sum(c.entries) filter (where c.status in ('sent', 'delivered', 'read')), 0)::int as accepted,
    coalesce(sum(c.entries) filter (where c.status in ('failed', 'expired')), 0)::int as failed
  from accounts a left join log_counts c
    on c.account_id = a.id and c.hour >= ${p.since} and c.type in ('message_attempt', 'otp_attempt')
  group by a.id order by a.id`,
});

/** The figures of every account, as the job has counted them: what is newer than ten minutes may be missing. @throws AppError as `requireOperator` */
export async function accountFigures(ctx: Ctx): Promise<AccountFigures[]> {
  requireOperator(ctx);
  const hourMs = Math.floor(ctx.clock.now().getTime() / HOUR_MS) * HOUR_MS;
  const since = uuidFloor(new Date(hourMs - DAY_MS));
  const rows = await COUNT_ACCOUNTS.run(ctx.services.database.sql(ctx.signal), { since });
  return rows.map(({ account, ...counts }) => ({ accountId: fromUuid('acc', account), ...counts }));
}

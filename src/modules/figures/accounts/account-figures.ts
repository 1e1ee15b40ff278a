/** The verb *account figures*: what each account sent within a day, side by side, for the operator. */
import { type Ctx, requireOperator } from '../../../context.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { uuidFloor } from '../../../kernel/ids.ts';
import { reading } from '../../reading/reading.ts';
import { DAY_MS, HOUR_MS } from '../spans.policy.ts';
import { COUNT_ACCOUNTS } from './account-figures.sql.ts';

/** The attempts of an account within a day. */
export type AccountFigures = Answer<typeof COUNT_ACCOUNTS>;

/** The figures of every account, as the job has counted them: the last ten minutes may be missing. @throws AppError as `requireOperator` */
export async function accountFigures(ctx: Ctx): Promise<AccountFigures[]> {
  requireOperator(ctx);
  const hourMs = Math.floor(ctx.clock.now().getTime() / HOUR_MS) * HOUR_MS;
  const since = uuidFloor(new Date(hourMs - DAY_MS));
  return reading(ctx, ({ services, signal }) => COUNT_ACCOUNTS.run(services.database.sql(signal), { since }));
}

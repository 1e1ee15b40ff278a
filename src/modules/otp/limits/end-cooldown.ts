/** The end of a cooldown, where nothing was sent. */
import type { Ctx } from '../../../context.ts';
import { runSql } from '../../../db/statements/sql.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { Otp } from '../otp.entity.ts';

/** Nothing arrived, so nobody need wait before the next try. The sends of an hour and a day still count it. */
export async function endCooldown(ctx: Ctx, { accountId, recipient, area }: Otp): Promise<void> {
  await runSql(
    ctx.services.database.sql(),
    `update otp_recipients r set cooldowns = r.cooldowns - $3
     where r.account_id = $1 and r.recipient = $2 and not exists (
       select from otps o where o.account_id = r.account_id and o.recipient = r.recipient and o.area = $3
         and o.status in ('pending', 'sent'))`,
    [toUuid(accountId), recipient, area],
  );
}

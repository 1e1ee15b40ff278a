/** The end of a cooldown, where nothing was sent. */
import type { Ctx } from '../../../context.ts';
import { statement } from '../../../db/statements/statement.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { Otp } from '../otp.entity.ts';

const END_COOLDOWN = statement('end cooldown', {
  takes: { account: 'uuid', recipient: 'text', area: 'text' },
  sql: p => `update otp_recipients r set cooldowns = r.cooldowns - ${p.area}
    where r.account_id = ${p.account} and r.recipient = ${p.recipient} and not exists (select from otps o
      where o.account_id = r.account_id and o.recipient = r.recipient and o.area = ${p.area} and o.status in ('pending', 'sent'))`,
});

/** Nothing arrived, so nobody need wait before the next try. The sends of an hour and a day still count it. */
export async function endCooldown(ctx: Ctx, { accountId, recipient, area }: Otp): Promise<void> {
  await END_COOLDOWN.run(ctx.services.database.sql(), { account: toUuid(accountId), recipient, area });
}

/** The end of an OTP that no provider took. */
import { isMagic } from '../../../channels/sandbox/recipients.ts';
import type { Ctx } from '../../../context.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { Otp } from '../otp.entity.ts';
import { END_COOLDOWN, UNCOUNT } from './forget-failed.sql.ts';
import { placesOf } from './fraud.policy.ts';

/**
 * Ends the cooldown, since nobody need wait before the next try. Takes the OTP out of the fraud guard's counts, since nobody could verify it.
 * The sends of an hour and a day still count it.
 */
export async function forgetFailed(ctx: Ctx, { accountId, recipient, country, area, createdAt }: Otp): Promise<void> {
  const [sql, account] = [ctx.services.database.sql(), toUuid(accountId)];
  await END_COOLDOWN.run(sql, { account, recipient, area });
  // Those of the sandbox were never counted.
  if (!isMagic(recipient)) await UNCOUNT.run(sql, { account, places: placesOf(recipient, country), createdAt });
}

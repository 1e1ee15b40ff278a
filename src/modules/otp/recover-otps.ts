/** The verb *recover OTPs*: ends what a dead process left, so that every OTP that was accepted comes to a definite state. */
import type { Ctx } from '../../context.ts';
import { runSql } from '../../db/sql.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { Attempt, isChannelAttempt } from '../routing/attempt.entity.ts';
import { recoverSends, resumeRouting } from '../routing/recover.ts';
import { codeOf } from './code.ts';
import { Otp } from './otp.entity.ts';
import { OTP } from './otp-kind.ts';

/** Takes the OTPs whose lease is over, and goes on with the latest send of each. Answers how many were taken. */
export function recoverOtps(ctx: Ctx): Promise<number> {
  return recoverSends(ctx, 'otps', async (uuid, lease) => {
    const em = ctx.services.database.fork();
    const send = await em.findOneOrFail(Otp, { id: fromUuid('pin', uuid) });
    const attempts = await em.find(Attempt, { pinId: send.id, resend: send.resends });
    await resumeRouting(ctx, OTP, {
      send,
      lease,
      attempts: attempts.filter(isChannelAttempt),
      isWanted: (await isLive(ctx, uuid)) && codeOf(ctx.services.keys, send) !== null,
    });
  });
}

/** Whether its code can still be verified, by the database's clock. */
async function isLive(ctx: Ctx, uuid: string): Promise<boolean> {
  const [row] = await runSql<{ is_live: boolean }>(
    ctx.services.database.sql(),
    `select status in ('pending', 'sent') and expires_at > clock_timestamp() as is_live from otps where id = $1`,
    [uuid],
  );
  return row?.is_live ?? false;
}

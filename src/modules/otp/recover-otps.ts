/** The verb *recover OTPs*: ends what a dead process left, so that every OTP that was accepted comes to a definite state. */
import type { Ctx } from '../../context.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { Attempt, isChannelAttempt } from '../routing/attempt.entity.ts';
import { recoverDeliveries, resumeRouting } from '../routing/recover.ts';
import { codeOf } from './code.ts';
import { Otp } from './otp.entity.ts';
import { OTP } from './otp-delivery.ts';

/** Takes the OTPs whose lease is over, and goes on with the latest send of each. Answers how many were taken. */
export function recoverOtps(ctx: Ctx): Promise<number> {
  return recoverDeliveries(ctx, 'otps', async (uuid, lease) => {
    const em = ctx.services.database.fork();
    const delivery = await em.findOneOrFail(Otp, { id: fromUuid('pin', uuid) });
    const attempts = await em.find(Attempt, { pinId: delivery.id, startedAt: { $gte: delivery.sentAt } });
    const isLive = delivery.status === 'pending' || delivery.status === 'sent';
    await resumeRouting(ctx, OTP, {
      delivery,
      lease,
      attempts: attempts.filter(isChannelAttempt),
      isWanted: isLive && delivery.expiresAt > ctx.clock.now() && codeOf(ctx.services.keys, delivery) !== null,
    });
  });
}

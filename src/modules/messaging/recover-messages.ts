/** The verb *recover messages*: ends what a dead process left, so that everything that was accepted comes to a definite state. */
import type { Ctx } from '../../context.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { Attempt, isChannelAttempt } from '../routing/attempt.entity.ts';
import { recoverSends, resumeRouting } from '../routing/recover.ts';
import { Message } from './message.entity.ts';
import { MESSAGE } from './message-kind.ts';

/** Takes the messages whose lease is over, and goes on with each. Answers how many were taken. */
export function recoverMessages(ctx: Ctx): Promise<number> {
  return recoverSends(ctx, 'messages', async (uuid, lease) => {
    const em = ctx.services.database.fork();
    const send = await em.findOneOrFail(Message, { id: fromUuid('msg', uuid) });
    const attempts = await em.find(Attempt, { messageId: send.id });
    await resumeRouting(ctx, MESSAGE, {
      send,
      lease,
      attempts: attempts.filter(isChannelAttempt),
      isWanted: true,
    });
  });
}

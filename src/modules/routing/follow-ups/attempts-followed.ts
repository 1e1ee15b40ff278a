/** Tells the attempts that had their time from those that follow them. */
import type { Ctx } from '../../../context.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { STATUS_RANK } from '../../../kernel/status.ts';
import type { ChannelAttempt } from '../attempt.entity.ts';
import type { Resumable } from '../send-kind.ts';
import { awaitedStatus } from './fallback.policy.ts';
import { FIND_FOLLOW_UP } from './follow-ups.sql.ts';

/** A send that is followed up. */
interface Followed {
  /** The attempts that had their time: those up to the channel of the one that was accepted. */
  readonly past: readonly ChannelAttempt[];
  /** Whether one of them has since reached the wanted status, or the best of its channel: then nothing follows. */
  readonly hasReached: boolean;
}

/** Finds the follow-up of a send among its attempts. Null: it has none. */
export async function attemptsFollowed(
  ctx: Ctx,
  { id, channels, fallbackAfter, successStatus }: Resumable,
  attempts: readonly ChannelAttempt[],
): Promise<Followed | null> {
  if (fallbackAfter == null || successStatus == null) return null;
  const followUp = await FIND_FOLLOW_UP.first(ctx.services.database.sql(), { id: toUuid(id) });
  const accepted = followUp && attempts.find(attempt => toUuid(attempt.id) === followUp.attempt_id);
  if (!accepted) return null;
  const upTo = channels.indexOf(accepted.channel);
  const past = attempts.filter(({ channel }) => channels.indexOf(channel) <= upTo);
  const hasReached = past.some(({ channel, status }) => {
    const wanted = awaitedStatus(channel, successStatus, true);
    return wanted !== null && STATUS_RANK[status] >= STATUS_RANK[wanted];
  });
  return { past, hasReached };
}

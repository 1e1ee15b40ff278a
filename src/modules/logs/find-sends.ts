/** Finds the sends that attempts belong to: who has the id of an attempt looks for its story. */
import { type Ctx, requireAccount } from '../../context.ts';
import { parseId } from '../../kernel/ids.ts';
import { Attempt } from '../routing/attempt.entity.ts';

/** Of what an attempt was made: a message or a passcode. */
export interface AttemptedSend {
  readonly messageId: string | null;
  readonly pinId: string | null;
}

/** The sends of these attempts of the caller's account, in their order; null where the log has the attempt no more. @throws AppError as `requireAccount` */
export async function findSends(ctx: Ctx, attemptIds: readonly string[]): Promise<(AttemptedSend | null)[]> {
  const { account } = requireAccount(ctx);
  const ids = attemptIds.flatMap(id => parseId('att', id) ?? []).sort();
  const [oldest, newest] = [ids[0], ids.at(-1)];
  if (oldest === undefined || newest === undefined) return attemptIds.map(() => null);
  // The bounds leave most partitions out.
  const where = { accountId: account.id, id: { $in: ids, $gte: oldest, $lte: newest } };
  const fields = ['id', 'messageId', 'pinId'] as const;
  const rows = await ctx.em.find(Attempt, where, { fields, disableIdentityMap: true });
  const byId = new Map(rows.map(({ id, messageId = null, pinId = null }) => [id, { messageId, pinId }]));
  return attemptIds.map(id => byId.get(id) ?? null);
}

/** The live feed of tries: what endpoints answer. */
import type { Ctx } from '../../../context.ts';
import { defineFeed } from '../../../db/feeds/feed.ts';
import { uuidFloor } from '../../../kernel/ids.ts';
import { followWhileAllowed } from '../../accounts/still-allowed.ts';
import { WebhookTry } from '../deliveries/webhook-try.entity.ts';
import { getWebhookEndpoint } from '../endpoints/manage-endpoints.ts';
import { requireWebhookCaller } from '../endpoints/webhook-caller.ts';
import { TRY_CHANNEL } from '../events/announce-webhooks.ts';

/** How much earlier than it was over a try may have got its id, were its process as slow as it may be. */
const TRY_MS = 60_000;

/** The feed of the tries of an open database. */
const tryFeedOf = defineFeed<WebhookTry>({
  channel: TRY_CHANNEL,
  prefix: 'try',
  load: (database, ids, accountIds) =>
    database.fork().find(WebhookTry, { id: { $in: [...ids] }, accountId: { $in: [...accountIds] } }),
  loadSince: (database, accountId, since, limit) =>
    database.fork().find(
      WebhookTry,
      {
        accountId,
        id: { $gte: uuidFloor(new Date(since.getTime() - TRY_MS)) },
        createdAt: { $gte: since },
      },
      { orderBy: { createdAt: 'desc' }, limit },
    ),
  happenedAt: made => made.createdAt,
});

/** The choice of the tries to follow. */
interface FollowTriesInput {
  /** The endpoint whose tries are followed; absent: all endpoints of the account. */
  readonly endpointId?: string | null | undefined;
}

/**
 * Follows the tries of the account: once the promise resolves none is missed. Ends when `ctx.signal` aborts or the caller returns. @throws AppError
 * `not_found`, and as `requireWebhookCaller` and `followWhileAllowed`.
 */
export async function followWebhookTries(
  ctx: Ctx,
  input: FollowTriesInput = {},
): Promise<AsyncIterableIterator<WebhookTry, undefined>> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const endpointId = input.endpointId == null ? null : (await getWebhookEndpoint(ctx, input.endpointId)).id;
  const matches = (made: WebhookTry): boolean => endpointId === null || made.endpointId === endpointId;
  return followWhileAllowed(ctx, tryFeedOf(ctx.services.database), { accountId, matches }, requireWebhookCaller);
}

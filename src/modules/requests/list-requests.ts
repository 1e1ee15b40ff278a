/** The verb *list requests*: what was refused of an account, newest first. */
import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { type Ctx, managedAccount } from '../../context.ts';
import { given, idBounds, inOrder, keyRange, type Page, pageInput, readPage, timeRange } from '../../db/page.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import { textInput } from '../../kernel/storable.ts';
import { plainRequestId } from '../../observability/plain-words.policy.ts';
import { askedAccount } from '../audit/list-audit.ts';
import { reading } from '../reading/reading.ts';
import { LoggedRequest } from './logged-request.entity.ts';

/** Longer than any path, name or id of the log. */
const WORD_MAX = 200;

const requestFilterInput = inOrder(
  z.strictObject({
    status: z
      .string()
      .regex(/^[1-5](\d\d|xx)$/i, 'must be a status, like 403, or a class of them, like 4xx')
      .nullish()
      .meta({ description: 'Requests that were answered with this status, `403`, or one of a class, `4xx`' }),
    code: textInput(WORD_MAX)
      .nullish()
      .meta({ description: 'Requests that were refused with this code, in either case' }),
    tokenId: z.string().nullish().meta({ description: 'Requests with this token' }),
    path: textInput(WORD_MAX).nullish().meta({ description: 'Requests of this path, `/api/omni/send`' }),
    operation: textInput(WORD_MAX).nullish().meta({ description: 'Requests for this operation of GraphQL' }),
    requestId: textInput(WORD_MAX).nullish().meta({ description: 'Requests with this `X-Request-Id`' }),
    strangers: z
      .boolean()
      .nullish()
      .meta({ description: 'True: those of nobody who is known, for the operator alone; goes with no `accountId`' }),
    from: timeRange.from.meta({ description: 'Requests that were answered at this time or later' }),
    to: timeRange.to.meta({ description: 'Requests that were answered before this time' }),
  }),
).meta({ id: 'RequestFilter', description: 'Which requests to list; what is absent does not narrow' });

/** The input of `listRequests`. */
export const listRequestsInput = pageInput.extend({
  accountId: z
    .string()
    .nullish()
    .meta({ description: 'Of this account; absent: of the account of the token, or for an operator of all' }),
  filter: requestFilterInput.nullish().meta({ description: 'Which requests' }),
});

/** A valid input of `listRequests`. */
export type ListRequestsInput = z.infer<typeof listRequestsInput>;

/**
 * The requests of the caller's account, or, for an operator, of the named account, else the one it acts for, else all. @throws AppError
 * `unauthenticated`, `wrong_area`; `not_found` for an unknown or another's account; `invalid_input` on `after`, and on `accountId` beside `strangers`
 */
export async function listRequests(ctx: Ctx, input: ListRequestsInput): Promise<Page<LoggedRequest>> {
  managedAccount(ctx);
  const { accountId: named, filter, ...page } = input;
  if (filter?.strangers && ctx.actor.kind !== 'operator')
    throw new AppError('wrong_area', 'Requests of strangers are for the operator.');
  if (filter?.strangers && named != null)
    throw invalidInput(
      'accountId',
      'must be left out where strangers are asked for: their requests belong to no account',
    );
  const accountId = await askedAccount(ctx, named);
  const criteria = criteriaOf(filter ?? {});
  if (criteria === null) return { rows: [], endCursor: null, hasNextPage: false };
  const { from, to } = filter ?? {};
  const whose = filter?.strangers ? { accountId: null, actor: 'stranger' as const } : given({ accountId });
  return reading(ctx, ({ em }) =>
    readPage(page, (before, limit) => {
      const bounds = keyRange(...idBounds(from, to), before);
      const where: FilterQuery<LoggedRequest> = { ...whose, ...criteria, ...bounds };
      return em.find(LoggedRequest, where, { orderBy: { id: 'desc' }, limit, disableIdentityMap: true });
    }),
  );
}

/** The columns with their values; null: an id names nothing. */
function criteriaOf(filter: NonNullable<ListRequestsInput['filter']>): object | null {
  const { status, code, tokenId, path, operation, requestId } = filter;
  const token = tokenId == null ? undefined : parseId('tok', tokenId);
  if (token === null) return null;
  return given({
    status: status == null ? null : statuses(status),
    code: code?.toLowerCase(),
    tokenId: token,
    path,
    operation,
    requestId: requestId == null ? null : plainRequestId(requestId),
  });
}

/** `403` alone, or `4xx` as a range. */
function statuses(status: string): number | { $gte: number; $lt: number } {
  if (/^\d+$/.test(status)) return Number(status);
  const first = Number(status[0]) * 100;
  return { $gte: first, $lt: first + 100 };
}

/** Narrows a filter of the log by the table of messages, and chooses the index that finds its entries. */
import type { Ctx } from '../../context.ts';
import type { LogType } from '../answers/log.data.ts';
import { attemptsFloor } from '../messaging/list-messages.ts';
import { Message } from '../messaging/message.entity.ts';
import type { FoundBy } from './filtered.sql.ts';
import type { LogCriteria, Narrowed } from './log-filter.policy.ts';

/** The most messages with one reference that are followed. A reference is unique in an area for 30 days. */
const REFERENCE_MESSAGES_MAX = 1_000;

/** The messages of a filter, and the lowest id that their attempts can have; null where nothing can pass. */
export async function narrow(ctx: Ctx, criteria: LogCriteria): Promise<Narrowed | null> {
  const messageIds = await findMessageIds(ctx, criteria);
  if (messageIds?.length === 0) return null;
  // Attempts are not older than their messages, so older partitions are skipped.
  const floor = messageIds ? attemptsFloor(messageIds) : null;
  const bounds = [criteria.from, floor].filter(bound => bound !== null).sort();
  return { messageIds, from: bounds.at(-1) ?? null };
}

/**
 * The messages that the filter names; null if it names none. The index of the messages has the reference; one on the
 * attempts would cost a write at each send.
 */
async function findMessageIds(ctx: Ctx, { equals }: LogCriteria): Promise<string[] | null> {
  const { accountId, reference, messageId } = equals;
  if (messageId !== undefined) return [messageId];
  if (reference === undefined) return null;
  const messages = await ctx.em.find(
    Message,
    { accountId, reference },
    { fields: ['id'], orderBy: { id: 'desc' }, limit: REFERENCE_MESSAGES_MAX, disableIdentityMap: true },
  );
  return messages.map(message => message.id);
}

/** The types that are few among the sends, and have an index. */
const STOPPED: readonly LogType[] = ['otp_blocked', 'otp_flagged'];

const ATTEMPTS: readonly LogType[] = ['message_attempt', 'otp_attempt'];

/** The index that finds the entries in the fewest steps. `isWhole`: it covers the whole filter, so that no entry is read in vain. */
export function wayOf(
  { equals, types, statuses, errorCodes }: LogCriteria,
  { messageIds }: Narrowed,
): { readonly by: FoundBy; readonly isWhole: boolean } {
  const { accountId: _account, area, type, messageId: _message, reference: _reference, ...others } = equals;
  const { pinId: _pin, recipient: _recipient, connectionId: _connection, errorCode: _error, ...rest } = others;
  const isStopped = type === undefined ? types?.every(one => STOPPED.includes(one)) : STOPPED.includes(type);
  const named = [
    messageIds && 'message',
    equals.pinId && 'pin',
    equals.recipient && 'recipient',
    equals.connectionId && 'connection',
    equals.errorCode && 'errorCode',
    isStopped && 'stopped',
    area === 'sms' && 'sms',
    area === 'otp' && 'otp',
  ].filter(by => typeof by === 'string') as FoundBy[];
  const [by = 'account', ...more] = named;
  // Of attempts there are the most: a list that has both kinds passes by little.
  const narrowsType = type !== undefined || (types !== null && !ATTEMPTS.every(one => types.includes(one)));
  const isTyped = narrowsType && by !== 'stopped';
  const isListed = statuses !== null || errorCodes !== null;
  return { by, isWhole: more.length === 0 && !isTyped && !isListed && Object.keys(rest).length === 0 };
}

/** The recipient and the route of an answer to a message that came in (contract §15). */
import type { AccountGrant, Ctx } from '../../context.ts';
import { CHANNEL_FACTS, type Channel } from '../../kernel/channel.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import { senderAddress } from '../../kernel/phone.ts';
import { InboundMessage } from '../inbound/inbound-message.entity.ts';
import { PersonAddress } from '../people/person-address.entity.ts';
import type { NamedSenders } from '../routing/routing.policy.ts';
import { applySenderRules } from '../sender-rules/sender-rule.policy.ts';
import type { SendMessageInput } from './send-message.input.ts';

/** The route of an answer: the channel and the sender of what it answers. */
type AnswerRoute = NamedSenders & {
  readonly to: string;
  readonly channels: readonly Channel[];
  /** The sender that it comes from. */
  readonly from: string;
};

/** Plans an answer. @throws AppError `invalid_input` on `replyTo`, and on what names another channel or sender; `sender_not_approved` */
export async function answerTo(
  ctx: Ctx,
  input: SendMessageInput & { readonly replyTo: string },
  account: AccountGrant,
): Promise<AnswerRoute> {
  const id = parseId('msg', input.replyTo);
  const received =
    id && (await ctx.em.findOne(InboundMessage, { id, accountId: account.id }, { disableIdentityMap: true }));
  if (!received) throw invalidInput('replyTo', 'is no message that came to the account (`inboundMessages`)');
  const { channel, connectionId, toAddress, fromNumber, fromUserId } = received;
  const to = fromNumber ?? (fromUserId && (await newestId(ctx, received, fromUserId)));
  if (!to) throw invalidInput('replyTo', 'is a message whose provider did not say who wrote it');
  const { senderField } = CHANNEL_FACTS[channel];
  if (input.channels != null && input.channels.join() !== channel)
    throw invalidInput('channels', `must be absent beside replyTo: the answer goes by ${channel}`);
  const named = senderField === null ? null : input[senderField];
  if (senderField !== null && named != null && senderAddress(channel, named) !== toAddress)
    throw invalidInput(senderField, `must be absent beside replyTo: the answer comes from ${toAddress}`);
  const own = account.senders.filter(sender => sender.channel === channel && sender.approved);
  // A rule may have put the number that was written to in the place of a name.
  const sentAs = (sender: string): string | null =>
    applySenderRules(ctx.services.senderRules, { channel, sender, recipient: to, connectionId }).sender;
  const from = (
    own.find(({ address }) => address === toAddress) ?? own.find(({ address }) => sentAs(address) === toAddress)
  )?.address;
  if (from === undefined)
    throw new AppError('sender_not_approved', `The account has no approved sender ${toAddress} any more.`);
  return { to, channels: [channel], from, ...(senderField !== null && { [senderField]: from }) };
}

/** The id by which the number knows the writer now: the channel may have given another one since. Each business has ids of its own. */
async function newestId(ctx: Ctx, { accountId, channel, toAddress }: InboundMessage, userId: string): Promise<string> {
  const fresh = { disableIdentityMap: true } as const;
  const known = await ctx.em.findOne(PersonAddress, { accountId, value: userId }, fresh);
  if (!known) return userId;
  const { personId } = known;
  const ids = await ctx.em.find(PersonAddress, { accountId, personId, kind: 'user_id' }, fresh);
  const fromUserId = { $in: ids.map(({ value }) => value) };
  const newest = { ...fresh, orderBy: { id: 'desc' as const } };
  const last = await ctx.em.findOne(InboundMessage, { accountId, channel, toAddress, fromUserId }, newest);
  return last?.fromUserId ?? userId;
}

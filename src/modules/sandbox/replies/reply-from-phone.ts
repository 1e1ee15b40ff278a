/** The verb *reply from phone*: a phone of the sandbox writes to a sender of the account, as people do (contract §15). */
import { SANDBOX_ID } from '../../../channels/sandbox/provider.ts';
import { isMagic } from '../../../channels/sandbox/recipients.ts';
import type { Ctx } from '../../../context.ts';
import type { Channel } from '../../../kernel/channel.ts';
import { invalidInput } from '../../../kernel/errors.ts';
import { parsePhone, requirePhone } from '../../../kernel/phone.ts';
import { InboundMessage } from '../../inbound/inbound-message.entity.ts';
import { receiveInbound } from '../../inbound/receive-inbound.ts';
import { isSandboxed } from '../is-sandboxed.ts';
import { requirePhones } from '../list-sandbox-messages.ts';
import { SandboxMessage } from '../sandbox-message.entity.ts';
import type { SandboxReplyInput } from './reply-from-phone.input.ts';

/**
 * Takes what a phone of the sandbox writes by the way of every message that comes in. @throws AppError as `requirePhones`; `invalid_input` on `phone`
 * where it is none of the sandbox's, and on `to` where the account has no such sender
 */
export async function replyFromPhone(ctx: Ctx, input: SandboxReplyInput): Promise<InboundMessage> {
  const account = requirePhones(ctx);
  const { digits: phone } = requirePhone('phone', input.phone);
  if (!isMagic(phone) && !isSandboxed(ctx, account.id))
    throw invalidInput('phone', 'must be from +12025550100 to 0108: all other numbers are real ones here');
  const to = parsePhone(input.to)?.digits ?? input.to;
  const fitting = account.senders.filter(
    ({ address, approved }) => approved && (address === to || address === input.to),
  );
  const channel = fitting.length > 1 ? await newestChannel(ctx, account.id, phone, [to, input.to]) : null;
  const sender = fitting.find(one => one.channel === channel) ?? fitting[0];
  if (!sender) throw invalidInput('to', 'must be an approved sender of the account');
  const bringer = { id: null, accountId: account.id, providerId: SANDBOX_ID, channel: sender.channel };
  const message = { providerMessageId: null, from: phone, to: sender.address, type: 'text', text: input.text };
  const [received] = await receiveInbound(ctx, bringer, [message]);
  return ctx.services.database.fork().findOneOrFail(InboundMessage, { id: received?.messageId ?? '' });
}

/** The channel of the newest text that a phone got from an address; null: none. One address may be a sender of several channels. */
async function newestChannel(
  ctx: Ctx,
  accountId: string,
  recipient: string,
  from: readonly string[],
): Promise<Channel | null> {
  const where = { accountId, recipient, sender: { $in: [...from] } };
  const [newest] = await ctx.em.find(SandboxMessage, where, { orderBy: { id: 'desc' }, limit: 1 });
  return newest?.channel ?? null;
}

/** The rule of free text by a cloud chat: its provider takes it within 24 hours after the person wrote to the number (contract §15). */
import type { Ctx } from '../../context.ts';
import { CHANNEL_FACTS, type Channel, channelName } from '../../kernel/channel.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { PhoneNumber } from '../../kernel/phone.ts';
import { IS_WINDOW_OPEN } from './chat-windows.sql.ts';

/** A text without a template, and the senders that it goes out from. */
interface FreeText {
  readonly accountId: string;
  readonly phone: PhoneNumber;
  readonly legs: readonly { readonly channel: Channel; readonly from: string }[];
}

/**
 * Refuses free text where a chat is closed. The sandbox takes it always: it has no windows. @throws AppError `invalid_input` on the field of the template;
 * `database_unavailable`
 */
export async function requireOpenWindow(ctx: Ctx, { accountId, phone, legs }: FreeText): Promise<void> {
  const { providers, database } = ctx.services;
  const recipient = phone.digits;
  for (const { channel, from: sender } of legs) {
    const { freeTextHours: hours, templateField } = CHANNEL_FACTS[channel];
    if (hours === null || templateField === null) continue;
    const country = (): string | null => phone.country ?? null;
    const [first] = providers.choose({ accountId, channel, purpose: 'message', recipient, country });
    if (!first?.connectionId) continue;
    const asked = { account: toUuid(accountId), address: recipient, channel, sender, hours };
    const window = await IS_WINDOW_OPEN.first(database.sql(), asked);
    if (window?.is_open) continue;
    const why = `the recipient has not written to ${sender} for ${hours} hours, and free text by ${channelName(channel)} goes within that time only`;
    throw invalidInput(templateField, `is required for the channel ${channel}: ${why}`);
  }
}

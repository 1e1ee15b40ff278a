/** The rule of free text by a cloud chat: its provider takes it within 24 hours after the person wrote to the number (contract §15). */
import type { Ctx } from '../../context.ts';
import { CHANNEL_FACTS, type Channel, channelName } from '../../kernel/channel.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { PhoneNumber } from '../../kernel/phone.ts';
import { CHAT_WINDOW } from './chat-windows.sql.ts';

/** A text, and the senders that it goes out from. */
interface FreeText {
  readonly accountId: string;
  readonly phone: PhoneNumber;
  readonly legs: readonly Leg[];
}

interface Leg {
  readonly channel: Channel;
  readonly from: string;
}

/**
 * Refuses free text where a chat is closed. The sandbox takes it always: it has no windows. @throws AppError `invalid_input` on the field of the template;
 * `database_unavailable`
 */
export async function requireOpenWindow(ctx: Ctx, { legs, ...whose }: FreeText): Promise<void> {
  for (const leg of legs) {
    const { freeTextHours: hours, templateField } = CHANNEL_FACTS[leg.channel];
    if (templateField === null || (await windowOf(ctx, whose, leg)) !== null) continue;
    const why = `the recipient has not written to ${leg.from} for ${hours} hours, and free text by ${channelName(leg.channel)} goes within that time only`;
    throw invalidInput(templateField, `is required for the channel ${leg.channel}: ${why}`);
  }
}

/** When the chat of a leg closes. `open`: it never does, as it has no windows; null: it is closed. @throws AppError `database_unavailable` */
export async function windowOf(
  { services: { providers, database } }: Ctx,
  { accountId, phone }: Omit<FreeText, 'legs'>,
  { channel, from: sender }: Leg,
): Promise<Date | 'open' | null> {
  const { freeTextHours: hours } = CHANNEL_FACTS[channel];
  if (hours === null) return 'open';
  const recipient = phone.digits;
  const country = (): string | null => phone.country ?? null;
  const [first] = providers.choose({ accountId, channel, purpose: 'message', recipient, sender, country });
  if (!first?.connectionId) return 'open';
  const asked = { account: toUuid(accountId), address: recipient, channel, sender, hours };
  return (await CHAT_WINDOW.first(database.sql(), asked))?.closesAt ?? null;
}

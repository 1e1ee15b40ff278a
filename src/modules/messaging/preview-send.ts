/** The verb *preview a send*: what `sendMessage` would do with the same input, and what it would cost. Nothing is sent, held or stored. */
import type { ChoiceReason, Verdict } from '../../channels/providers.ts';
import type { Ctx } from '../../context.ts';
import type { Channel } from '../../kernel/channel.ts';
import { type CostlyCharacter, costlyCharacters, countSegments } from '../../kernel/segments.ts';
import { textFor } from '../routing/routing.policy.ts';
import { applySenderRules } from '../sender-rules/sender-rule.policy.ts';
import type { SendMessageInput } from './send-message.input.ts';
import { planSend } from './send-message.ts';

/** One step of the route, and who would take it. */
export interface PreviewLeg extends ChoiceReason {
  readonly channel: Channel;
  /** The sender name, the QR sender's number, or the cloud number; a number where a sender rule puts one in the place of a name. */
  readonly from: string;
  /** Why no provider would be asked first: a sender rule refuses the sender. Null: none does. */
  readonly refusal: string | null;
}

/** What would become of a send. */
export interface SendPreview {
  /** Digits only. */
  readonly recipient: string;
  /** ISO 3166-1 alpha-2; null: the number does not tell. */
  readonly country: string | null;
  /** The text as it would go by SMS. */
  readonly smsText: string;
  readonly encoding: 'gsm7' | 'ucs2';
  readonly segments: number;
  /** What an SMS would cost; 0 where SMS is not among the channels. */
  readonly credits: number;
  /** Characters for which the SMS has more segments than it has letters. */
  readonly costly: readonly CostlyCharacter[];
  /** In the order in which they would be tried, or all at once. */
  readonly legs: readonly PreviewLeg[];
}

/** What is said of a connection that is asked. */
const ASKED: ReadonlySet<Verdict> = new Set(['first', 'follows', 'down']);

/** Previews a send. @throws AppError as `sendMessage` does before it sends: `invalid_input`, `wrong_area`, `sender_not_approved`, … */
export function previewSend(ctx: Ctx, input: SendMessageInput): SendPreview {
  const { account, phone, route } = planSend(ctx, input);
  const smsText = textFor('sms', input.text, route);
  const { providers, senderRules } = ctx.services;
  const country = phone.country ?? null;
  const wanted = {
    accountId: account.id,
    purpose: 'message',
    recipient: phone.digits,
    country: () => country,
  } as const;
  const legs = route.legs.map(({ channel, from }): PreviewLeg => {
    const reason = providers.explain({ ...wanted, channel });
    const [first] = reason.considered;
    const connectionId = first && ASKED.has(first.verdict) ? first.connectionId : null;
    const named = { channel, sender: from, recipient: phone.digits, country, connectionId };
    const { sender, refusal } = applySenderRules(senderRules, named);
    const why = refusal && 'message' in refusal ? refusal.message : null;
    return { channel, from: sender ?? from, refusal: why, ...reason };
  });
  return {
    recipient: phone.digits,
    country,
    smsText,
    encoding: countSegments(smsText).encoding,
    segments: route.segments,
    credits: legs.some(({ channel }) => channel === 'sms') ? route.segments : 0,
    costly: costlyCharacters(smsText),
    legs,
  };
}

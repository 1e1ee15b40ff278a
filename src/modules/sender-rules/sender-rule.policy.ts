/** Applies sender rules to the sender of an SMS: GSM 03.40 lets it be a name, and some countries do not. Pure. */
import type { SendOutcome } from '../../channels/outcome.ts';
import type { SenderRules } from '../../context.ts';
import { type AlphanumericRule, CHANNEL_FACTS, type Channel, type SenderRule } from '../../kernel/channel.ts';
import { parsePhone } from '../../kernel/phone.ts';

/** Everything that a rule may say. */
export const ALPHANUMERIC_RULES = ['allowed', 'replaced', 'refused'] as const satisfies readonly AlphanumericRule[];

/** An attempt, as far as the rules look at it. */
export interface RuledAttempt {
  readonly channel: Channel;
  /** The sender that the request names. */
  readonly sender?: string | null | undefined;
  /** Digits only. */
  readonly recipient: string;
  /** The recipient's country; absent: read from its number, if a rule may apply. */
  readonly country?: string | null | undefined;
  /** The connection that it goes by; absent: none, so that only the rules of all apply. */
  readonly connectionId?: string | null | undefined;
}

/** The rules, as far as they are looked at. */
type Rules = Pick<SenderRules, 'byCountry'>;

/** Senders with a letter are names; the others are numbers and short codes (`manage-senders.ts`). */
const NAME = /[A-Za-z]/;

/** The rule that an attempt falls under: that of its connection before that of all. Null: none, as for numbers and for other channels. */
function ruleOf({ byCountry }: Rules, attempt: RuledAttempt): SenderRule | null {
  const { channel, sender, recipient, connectionId = null } = attempt;
  if (byCountry.size === 0 || sender == null || CHANNEL_FACTS[channel].senderIs !== 'name' || !NAME.test(sender))
    return null;
  const ofCountry = byCountry.get(attempt.country ?? parsePhone(recipient)?.country ?? '') ?? [];
  const ofConnection = ofCountry.find(rule => rule.connectionId === connectionId);
  return ofConnection ?? ofCountry.find(rule => rule.connectionId === null) ?? null;
}

/** The result of the rules for an attempt. */
interface RuledSender {
  /** The sender of the request, or the number of the rule in its place. */
  readonly sender: string | null;
  /** Why no provider is asked: a rule refuses the sender. Null: none does. By the rule of one connection, another one may send it (`isOwn`). */
  readonly refusal: SendOutcome | null;
}

/** Applies the rules to an attempt, before anything is held for it. Idempotent: an attempt with the resulting sender gives the same result. */
export function applySenderRules(rules: Rules, attempt: RuledAttempt): RuledSender {
  const rule = ruleOf(rules, attempt);
  return {
    sender: rule?.numericSender ?? attempt.sender ?? null,
    refusal: rule?.alphanumeric === 'refused' ? refusalOf(rule) : null,
  };
}

function refusalOf({ country, connectionId }: SenderRule): SendOutcome {
  return {
    kind: 'rejected',
    code: 'sender_not_possible',
    message: `An SMS to ${country} cannot come from a name. Send it from a number, or over another channel.`,
    ...(connectionId === null ? {} : { isOwn: true }),
  };
}

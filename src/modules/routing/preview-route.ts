/** The preview of a route: the connections that would take each leg, and the cost of its SMS. Nothing is sent, held or stored. */
import type { ChoiceReason, Considered, Verdict } from '../../channels/providers.ts';
import { whySandbox } from '../../channels/sandbox/recipients.ts';
import type { Ctx } from '../../context.ts';
import { CHANNEL_FACTS, type Channel, DEFAULT_CHANNEL, isPaid } from '../../kernel/channel.ts';
import type { PhoneNumber } from '../../kernel/phone.ts';
import type { CloudTemplates, TemplateKey } from '../../kernel/process/cloud-templates.ts';
import { type CostlyCharacter, costlyCharacters, countSegments } from '../../kernel/segments.ts';
import { replacementOf } from '../../kernel/smart-encoding.ts';
import { applySenderRules } from '../sender-rules/sender-rule.policy.ts';
import { isOfChat, type Leg, type Route, textFor } from './routing.policy.ts';

/** One step of the route, and who would take it. */
export interface PreviewLeg extends ChoiceReason {
  readonly channel: Channel;
  /** The sender name, the QR sender's number, or the cloud number; a number where a sender rule puts one in the place of a name. */
  readonly from: string;
  /** Why no provider would be asked first: a sender rule refuses the sender, or none of the connections can send the template. Null: one would. */
  readonly refusal: string | null;
  /** Why the sandbox takes it, a sentence; null: it does not. */
  readonly sandboxReason: string | null;
  /** When the chat with the recipient closes for free text; null: it is closed, or has no such hours. Absent: nobody asked. */
  readonly windowClosesAt?: Date | null;
}

/** A character that costs, and what could stand in its place. */
export interface ReplaceableCharacter extends CostlyCharacter {
  /** The text that smart encoding puts for it, possibly empty (``); null: there is none. */
  readonly replacement: string | null;
}

/** The preview of a send. */
export interface SendPreview {
  /** Digits only. */
  readonly recipient: string;
  /** ISO 3166-1 alpha-2; null: the number does not tell. */
  readonly country: string | null;
  /** The text as it would go by SMS. */
  readonly smsText: string;
  readonly encoding: 'gsm7' | 'ucs2';
  readonly segments: number;
  /** SMS credits that it would cost; 0 where no channel of the route is paid. */
  readonly credits: number;
  /** Characters for which the SMS has more segments than it has letters. */
  readonly costly: readonly ReplaceableCharacter[];
  /** In the order in which they would be tried, or all at once. */
  readonly legs: readonly PreviewLeg[];
}

/** A send that is planned. */
interface Planned {
  readonly purpose: 'message' | 'otp';
  readonly phone: PhoneNumber;
  readonly route: Route;
  /** The text as it was given. */
  readonly text: string;
  /** The template of a cloud chat, if any. */
  readonly template: TemplateKey | null;
}

/** Verdicts on a connection that would be asked. */
const ASKED: ReadonlySet<Verdict> = new Set(['first', 'follows', 'sick', 'trial', 'down']);

/** Verdicts that become `known_only` where the number of the connection may write to nobody new. */
const MAY_HOLD: ReadonlySet<Verdict> = new Set(['first', 'follows', 'sick', 'trial']);

/** Previews a route of the caller's account. */
export async function previewRoute(ctx: Ctx, accountId: string, planned: Planned): Promise<SendPreview> {
  const { purpose, phone, route, text, template } = planned;
  const country = phone.country ?? null;
  const smsText = textFor(DEFAULT_CHANNEL, text, route);
  return {
    recipient: phone.digits,
    country,
    smsText,
    encoding: countSegments(smsText).encoding,
    segments: route.segments,
    credits: route.legs.some(({ channel }) => isPaid(channel)) ? route.segments : 0,
    costly: costlyCharacters(smsText).map(costly => ({ ...costly, replacement: replacementOf(costly.character) })),
    legs: await Promise.all(
      route.legs.map(leg => previewLeg(ctx, leg, { accountId, purpose, recipient: phone.digits, country, template })),
    ),
  };
}

async function previewLeg(
  ctx: Ctx,
  { channel, from }: Leg,
  wanted: Pick<Planned, 'purpose' | 'template'> & { accountId: string; recipient: string; country: string | null },
): Promise<PreviewLeg> {
  const { providers, senderRules, cloudTemplates } = ctx.services;
  const { recipient, country, template } = wanted;
  const reason = await withHolds(
    ctx,
    recipient,
    providers.explain({
      ...wanted,
      channel,
      sender: from,
      isOfNumber: isOfChat(channel, template),
      country: () => country,
    }),
  );
  const [first] = reason.considered;
  const connectionId = first && ASKED.has(first.verdict) ? first.connectionId : null;
  const { sender, refusal } = applySenderRules(senderRules, {
    channel,
    sender: from,
    recipient,
    country,
    connectionId,
  });
  const why = refusal && 'message' in refusal ? refusal.message : null;
  const fault = CHANNEL_FACTS[channel].templateField && template && templateFault(cloudTemplates, reason, template);
  const sandboxReason = reason.sentBy === 'sandbox' ? whySandbox(recipient) : null;
  return { channel, from: sender ?? from, refusal: why ?? fault ?? null, sandboxReason, ...reason };
}

/** Says which numbers write to nobody new. The first that does is asked first. */
async function withHolds(
  { services: { sessions } }: Ctx,
  recipient: string,
  { sentBy, considered }: ChoiceReason,
): Promise<ChoiceReason> {
  const told = await Promise.all(
    considered.map(async (one): Promise<Considered> => {
      const reason = MAY_HOLD.has(one.verdict) ? await sessions.holdOf(one.connectionId, recipient) : null;
      return reason === null ? one : { ...one, verdict: 'known_only', reason };
    }),
  );
  const first = told.findIndex(({ verdict }) => ASKED.has(verdict));
  const isNext = (index: number): boolean => index === first && told[index]?.verdict === 'follows';
  return { sentBy, considered: told.map((one, index) => (isNext(index) ? { ...one, verdict: 'first' } : one)) };
}

/** Why none of the connections that are asked can send a template; null: one can, or none is asked. */
function templateFault(
  { faultOf }: CloudTemplates,
  { considered }: ChoiceReason,
  template: TemplateKey,
): string | null {
  const asked = considered.filter(({ verdict }) => ASKED.has(verdict));
  const faults = asked.flatMap(({ connectionId }) => faultOf(connectionId, template) ?? []);
  return faults.length < asked.length ? null : (faults[0]?.message ?? null);
}

/** The events of webhooks: each is defined here, once, and named by the statements that tell it. */
import { z } from 'zod';
import { attemptData } from '../../answers/attempt.data.ts';
import { alertData, balanceData, otpEventData, smsEventData } from '../../answers/event.data.ts';
import { inboundData } from '../../answers/inbound.data.ts';
import { messageData } from '../../answers/message.data.ts';
import { suppressionData } from '../../answers/suppression.data.ts';
import { alert, failedAttempt, inbound, message, NIL, otp, sentAttempt, sms, suppression } from './event-samples.ts';

/** The `data` of a family of events. */
interface EventData {
  /** The events, as documents write them: `message.*`. */
  readonly of: string;
  /** The members of `data`, behind `of`, for who reads the documents. */
  readonly holds: string;
  /** Its shape. */
  readonly schema: z.ZodObject;
}

/** An event of webhooks. */
export interface EventDefinition<Name extends string = string> {
  readonly name: Name;
  /** The meaning, without a full stop, for the schema and the documents. */
  readonly meaning: string;
  readonly data: EventData;
  /** The `data` of a test of an endpoint: the members of a real one. @param at a time in ISO 8601 */
  sample(at: string): object;
}

/** The members that every `data` may have besides. */
const TEST = {
  test: z.literal(true).optional().meta({
    description:
      'That this is a sample, by a test of the endpoint or a trigger: nothing happened. Never there otherwise',
  }),
};

function namesOf({ shape }: z.ZodObject): string {
  return Object.keys(shape).join(', ');
}

/** The schema of a `data` with the members that every one may have besides. */
function eventOf(data: z.ZodObject, id = data.meta()?.id): z.ZodObject {
  return data.extend(TEST).meta({ ...data.meta(), id });
}

const MESSAGE: EventData = {
  of: 'message.*',
  holds: ` the message as REST answers it: ${namesOf(messageData)}`,
  schema: eventOf(messageData, 'MessageEvent'),
};

const INBOUND: EventData = {
  of: 'message.received',
  holds: ` what a person sent: ${namesOf(inboundData)}`,
  schema: eventOf(inboundData, 'InboundEvent'),
};

const SUPPRESSION: EventData = {
  of: 'recipient.*',
  holds: ` a recipient: ${namesOf(suppressionData)}`,
  schema: eventOf(suppressionData, 'SuppressionEvent'),
};

const SMS: EventData = {
  of: 'sms.*',
  holds: ` an attempt (${namesOf(attemptData)}) with
  messageId or pinId (the other is null), recipient, sender, reference`,
  schema: eventOf(smsEventData),
};

const OTP: EventData = {
  of: 'otp.*',
  holds: `: pinId, recipient, status, channel, expiresAt, resendAvailableAt, verifiedAt, errorCode (\`all_channels_failed\`,
  \`otp_incorrect\`, \`otp_blocked\`, \`rate_limited\`, \`otp_expired\`; null: nothing failed), attemptsRemaining, attempts`,
  schema: eventOf(otpEventData),
};

const BALANCE: EventData = {
  of: 'balance.low',
  holds:
    ': credits as they were when it was told, threshold, since, lastsDays (as `Balance.forecast` says; null: none were spent)',
  schema: eventOf(balanceData),
};

const ALERT: EventData = {
  of: 'alert.*',
  holds: `: ${namesOf(alertData)}; when it is told, \`createdAt\` of the event says`,
  schema: eventOf(alertData),
};

/** Every event, those of the interface first, in its order. */
export const EVENTS = [
  {
    name: 'message.sent',
    meaning: 'a channel accepted a message of the unified API (in `all` mode: one of them did)',
    data: MESSAGE,
    sample: at => message(sentAttempt(at)),
  },
  {
    name: 'message.failed',
    meaning: 'a message failed on all of its channels',
    data: MESSAGE,
    sample: at => message(failedAttempt(at)),
  },
  {
    name: 'message.routed',
    meaning: 'the routing of such a message is over: no channel can follow any more',
    data: MESSAGE,
    sample: at => message(sentAttempt(at)),
  },
  {
    name: 'message.received',
    meaning: 'a person sent a message to a sender of the account',
    data: INBOUND,
    sample: inbound,
  },
  {
    name: 'recipient.suppressed',
    meaning: 'a recipient asked for no more messages, or the account put it onto its list',
    data: SUPPRESSION,
    sample: suppression,
  },
  {
    name: 'recipient.unsuppressed',
    meaning: 'such a recipient gets messages again',
    data: SUPPRESSION,
    sample: suppression,
  },
  {
    name: 'sms.sent',
    meaning: 'an SMS of a message, a direct SMS or a passcode was accepted',
    data: SMS,
    sample: at => sms(sentAttempt(at)),
  },
  {
    name: 'sms.failed',
    meaning: 'such an SMS was not accepted, or was reported undelivered',
    data: SMS,
    sample: at => sms(failedAttempt(at)),
  },
  {
    name: 'otp.sent',
    meaning: 'a channel accepted a passcode of the unified API',
    data: OTP,
    sample: at => otp(sentAttempt(at), {}),
  },
  {
    name: 'otp.verified',
    meaning: 'the code of a passcode was given',
    data: OTP,
    sample: at => otp(sentAttempt(at), { status: 'verified', verifiedAt: at }),
  },
  {
    name: 'otp.failed',
    meaning:
      'a passcode failed on all of its channels, a wrong code was given, or codes are refused unseen (it is blocked, or past a limit)',
    data: OTP,
    sample: at => otp(failedAttempt(at), { errorCode: 'all_channels_failed' }),
  },
  {
    name: 'otp.expired',
    meaning: 'a code was given too late',
    data: OTP,
    sample: at => otp(sentAttempt(at), { status: 'expired', errorCode: 'otp_expired' }),
  },
  {
    name: 'balance.low',
    meaning: 'the credits of the account have fallen below its threshold',
    data: BALANCE,
    sample: at => ({ credits: 99, threshold: 100, since: at, lastsDays: 3.5 }),
  },
  {
    name: 'alert.raised',
    meaning: 'something that an alert rule of the account watches is wrong, and has been for long enough',
    data: ALERT,
    sample: alert,
  },
  {
    name: 'alert.cleared',
    meaning: 'something that was told by `alert.raised` is well again',
    data: ALERT,
    sample: alert,
  },
] as const satisfies readonly EventDefinition[];

/** The name of an event. */
export type WebhookEventName = (typeof EVENTS)[number]['name'];

/** The names of the events. */
export const WEBHOOK_EVENTS: readonly WebhookEventName[] = EVENTS.map(({ name }) => name);

/** The members of the `data` of every event, each family once, as a Markdown list. */
export function describeEventData(): string {
  const families = [...new Set(EVENTS.map(({ data }) => data))];
  return `${families.map(({ of, holds }) => `- of \`${of}\`${holds}`).join(';\n')}.`;
}

/** The `data` of a test of an endpoint; `test` is true, which no real event has. */
export function sampleData(name: WebhookEventName, now: Date): object {
  const event = EVENTS.find(event => event.name === name);
  return { test: true, ...event?.sample(now.toISOString()) };
}

/** The body of a delivery with which an event is tested: what a receiver will meet. The ids of the event are those of nothing. */
export function sampleBody(event: WebhookEventName, accountId: string, now: Date): string {
  const createdAt = now.toISOString();
  return webhookBody({ id: `evt_${NIL}`, event, createdAt, accountId, data: sampleData(event, now) });
}

/** An event as it is kept. */
export interface ToldEvent {
  readonly id: string;
  readonly accountId: string;
  readonly event: WebhookEventName;
  /** When the state changed, ISO 8601 in UTC with microseconds: it grows with the changes of one message or OTP. */
  readonly createdAt: string;
  /** The message, attempt or OTP as it was then, as REST shows it; or the balance. */
  readonly data: unknown;
}

/** The body of a delivery (contract §7). The same bytes at every try, so that they can be compared. */
export function webhookBody({ id, event, createdAt, accountId, data }: ToldEvent): string {
  return JSON.stringify({ id, event, createdAt, accountId, data });
}

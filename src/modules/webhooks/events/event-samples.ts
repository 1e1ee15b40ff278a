/** Samples of the `data` of events: the members of real ones, about nothing. */
import type { z } from 'zod';
import type { attemptData } from '../../answers/attempt.data.ts';
import { alertData } from '../../answers/event.data.ts';
import { inboundData } from '../../answers/inbound.data.ts';
import { messageData } from '../../answers/message.data.ts';
import { suppressionData } from '../../answers/suppression.data.ts';

/** The digits of an id of nothing. */
export const NIL = '0'.repeat(32);
const RECIPIENT = '12025550100';

type Attempt = z.infer<typeof attemptData>;

/** The members that a sample must give: those that are never null. */
type Given<Data> = Partial<Data> & { [Name in keyof Data as null extends Data[Name] ? never : Name]: Data[Name] };

/** The members of a schema, null where nothing is given. */
function sampleOf<Shape extends z.ZodRawShape>(
  { shape }: z.ZodObject<Shape>,
  given: Given<z.infer<z.ZodObject<Shape>>>,
): object {
  return { ...Object.fromEntries(Object.keys(shape).map(name => [name, null])), ...given };
}

/** A recipient who stopped. */
export function suppression(createdAt: string): object {
  return sampleOf(suppressionData, { to: RECIPIENT, origin: 'recipient', messageId: `msg_${NIL}`, createdAt });
}

/** An attempt that was accepted. */
export function sentAttempt(at: string): Attempt {
  return {
    attemptId: `att_${NIL}`,
    channel: 'sms',
    provider: 'sandbox',
    status: 'sent',
    errorCode: null,
    errorMessage: null,
    segments: 1,
    credits: 1,
    startedAt: at,
    finishedAt: at,
  };
}

/** An attempt that was refused. */
export function failedAttempt(at: string): Attempt {
  return {
    ...sentAttempt(at),
    status: 'failed',
    errorCode: 'recipient_refused',
    errorMessage: 'The recipient does not take SMS.',
    credits: 0,
  };
}

/** An SMS. */
export function sms(attempt: Attempt): object {
  return { messageId: `msg_${NIL}`, pinId: null, recipient: RECIPIENT, sender: 'DEMO', reference: null, ...attempt };
}

/** A message with one attempt. */
export function message(attempt: Attempt): object {
  return sampleOf(messageData, {
    messageId: `msg_${NIL}`,
    recipient: RECIPIENT,
    status: attempt.status,
    deliveryMode: 'fallback',
    channel: attempt.status === 'sent' ? 'sms' : null,
    segments: 1,
    attempts: [attempt],
    createdAt: attempt.startedAt,
  });
}

/** A message that came in. */
export function inbound(receivedAt: string): object {
  return sampleOf(inboundData, {
    messageId: `msg_${NIL}`,
    channel: 'sms',
    type: 'text',
    from: RECIPIENT,
    to: 'DEMO',
    text: 'Yes, please.',
    replyTo: `msg_${NIL}`,
    receivedAt,
  });
}

/** An OTP with one attempt. */
export function otp(attempt: Attempt, news: { status?: string; verifiedAt?: string; errorCode?: string }): object {
  return {
    pinId: `pin_${NIL}`,
    recipient: RECIPIENT,
    status: attempt.status,
    channel: attempt.status === 'sent' ? 'sms' : null,
    expiresAt: attempt.startedAt,
    resendAvailableAt: attempt.startedAt,
    verifiedAt: null,
    errorCode: null,
    attemptsRemaining: null,
    ...news,
    attempts: [attempt],
  };
}

/** An alert. */
export function alert(since: string): object {
  return sampleOf(alertData, {
    alertId: `alt_${NIL}`,
    ruleId: `alr_${NIL}`,
    kind: 'connection_down',
    subject: `con_${NIL}`,
    name: 'Main carrier',
    since,
  });
}

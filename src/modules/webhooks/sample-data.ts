/** What tests of endpoints tell: data as the real event of that name has it, of a message or OTP that never was. */
import type { WebhookEventName } from './webhook-events.ts';

const NIL = '0'.repeat(32);

/** The `data` of a test; `test` is true, which no real event has. */
export function sampleData(event: WebhookEventName, now: Date): object {
  const at = now.toISOString();
  const isBad = event.endsWith('.failed');
  const attempt = {
    attemptId: `att_${NIL}`,
    channel: 'sms',
    provider: 'sandbox',
    status: isBad ? 'failed' : 'sent',
    errorCode: isBad ? 'recipient_refused' : null,
    errorMessage: isBad ? 'The recipient does not take SMS.' : null,
    segments: 1,
    credits: isBad ? 0 : 1,
    startedAt: at,
    finishedAt: at,
  };
  const recipient = '12025550100';
  if (event.startsWith('sms.'))
    return { test: true, messageId: `msg_${NIL}`, pinId: null, recipient, sender: 'DEMO', reference: null, ...attempt };
  if (event.startsWith('message.'))
    return {
      test: true,
      messageId: `msg_${NIL}`,
      reference: null,
      recipient,
      status: attempt.status,
      deliveryMode: 'fallback',
      channel: isBad ? null : 'sms',
      segments: 1,
      attempts: [attempt],
      createdAt: at,
    };
  return {
    test: true,
    pinId: `pin_${NIL}`,
    recipient,
    status: event === 'otp.verified' ? 'verified' : event === 'otp.expired' ? 'expired' : attempt.status,
    channel: isBad ? null : 'sms',
    expiresAt: at,
    resendAvailableAt: at,
    verifiedAt: event === 'otp.verified' ? at : null,
    errorCode: isBad ? 'all_channels_failed' : event === 'otp.expired' ? 'otp_expired' : null,
    attemptsRemaining: null,
    attempts: [attempt],
  };
}

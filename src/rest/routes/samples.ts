/** Results of operations for the examples of the routes. */
import type { Operations } from '../operations/operations.generated.ts';

type Message = Operations['send-message']['result'];
type Attempt = Message['attempts'][number];

const STARTED_AT = new Date('2026-11-22T04:29:56.042Z');
const FINISHED_AT = new Date('2026-11-22T04:29:56.118Z');

/** An attempt by SMS that the sandbox accepted. */
export const SENT_ATTEMPT: Attempt = {
  attemptId: 'att_01a2018495c97990aa5329243d8984a1',
  channel: 'SMS',
  provider: 'sandbox',
  status: 'SENT',
  errorCode: null,
  errorMessage: null,
  segments: 1,
  credits: 1,
  startedAt: STARTED_AT,
  finishedAt: FINISHED_AT,
};

/** The same, refused. */
export const FAILED_ATTEMPT: Attempt = {
  ...SENT_ATTEMPT,
  status: 'FAILED',
  errorCode: 'recipient_refused',
  errorMessage: 'The recipient does not take SMS.',
  credits: 0,
};

/** A message by SMS that was accepted. */
export const SENT_MESSAGE: Message = {
  messageId: 'msg_01a2018495c972249b137b3a96670d73',
  reference: null,
  recipient: '12025550100',
  status: 'SENT',
  deliveryMode: 'FALLBACK',
  channel: 'SMS',
  segments: 1,
  attempts: [SENT_ATTEMPT],
  createdAt: STARTED_AT,
};

/** A passcode by SMS that was accepted. */
export const SENT_OTP: Operations['send-otp']['result'] = {
  pinId: 'pin_5f1d7a84c3b24e0f9a6d2c1b8e7f4a30',
  recipient: '12025550100',
  status: 'SENT',
  channel: 'SMS',
  expiresAt: new Date('2026-11-22T04:34:56.042Z'),
  resendAvailableAt: new Date('2026-11-22T04:30:56.042Z'),
  attempts: [SENT_ATTEMPT],
};

/** A passcode that was verified. */
export const VERIFIED_OTP: Operations['verify-otp']['result'] = {
  pinId: SENT_OTP.pinId,
  recipient: SENT_OTP.recipient,
  status: 'VERIFIED',
  verifiedAt: new Date('2026-11-22T04:30:20.511Z'),
};

/** A page of the log with the attempt of one message. */
export const LOG_PAGE: Operations['logs']['result'] = {
  nodes: [
    {
      id: SENT_ATTEMPT.attemptId,
      type: 'MESSAGE_ATTEMPT',
      messageId: SENT_MESSAGE.messageId,
      pinId: null,
      channel: 'SMS',
      provider: 'sandbox',
      recipient: SENT_MESSAGE.recipient,
      status: 'DELIVERED',
      errorCode: null,
      errorMessage: null,
      segments: 1,
      credits: 1,
      latencyMs: 76,
      createdAt: STARTED_AT,
    },
  ],
  pageInfo: { hasNextPage: true, endCursor: 'AQGiAYSYe3bsinUWudDl0II' },
};

/** A page of the log of passcodes: a wrong code. */
export const OTP_LOG_PAGE: Operations['logs']['result'] = {
  nodes: LOG_PAGE.nodes.map(entry => ({
    ...entry,
    id: 'log_01a201850a4c7c55b0a4d5c1e0f7a913',
    type: 'OTP_INCORRECT',
    messageId: null,
    pinId: SENT_OTP.pinId,
    channel: null,
    provider: null,
    status: 'FAILED',
    errorCode: 'otp_incorrect',
    errorMessage: 'The code is wrong. 4 tries are left.',
    segments: 0,
    credits: 0,
    latencyMs: 24_469,
  })),
  pageInfo: { hasNextPage: false, endCursor: null },
};

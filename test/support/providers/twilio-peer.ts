/** Twilio's messages API, as far as it is documented. */
import { randomBytes } from 'node:crypto';
import { json, type Protocol, type Received, type Reply } from './http-peer.ts';

/** The account that it knows. */
export const TWILIO_ACCOUNT = {
  accountSid: 'AC0123456789abcdef0123456789abcdef',
  authToken: 'a-token-of-twilio-9f86d081884c7d65',
} as const;

/** An error as Twilio words it; the status is that of the answer. */
export function twilioError(status: number, code: number, message: string, headers?: Record<string, string>): Reply {
  return json(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, headers);
}

/** A message as Twilio answers it. */
export function twilioMessage(rest: Readonly<Record<string, unknown>> = {}): Reply {
  const sid = `SM${randomBytes(16).toString('hex')}`;
  return json(201, { sid, status: 'queued', num_segments: '1', error_code: null, error_message: null, ...rest });
}

/** Twilio. */
export const twilioProtocol: Protocol = {
  check(received) {
    const { accountSid } = TWILIO_ACCOUNT;
    const isOfAccount = received.path === `/2010-04-01/Accounts/${accountSid}.json` && received.method === 'GET';
    if (isOfAccount) return isKnown(received) ? json(200, { sid: accountSid, status: 'active' }) : UNKNOWN;
    if (received.method !== 'POST' || received.path !== `/2010-04-01/Accounts/${accountSid}/Messages.json`)
      return twilioError(404, 20404, `The requested resource ${received.path} was not found`);
    return isKnown(received) ? faultOf(received) : UNKNOWN;
  },
  recipientOf: ({ form }) => (form.get('To') ?? '').slice(1),
  accept: () => twilioMessage(),
  reject: ({ form }) => twilioError(400, 21211, `The 'To' number ${form.get('To')} is not a valid phone number.`),
  throttle: () => twilioError(429, 20429, 'Too Many Requests', { 'retry-after': '0' }),
};

const UNKNOWN = twilioError(401, 20003, 'Authenticate');

function isKnown({ headers }: Received): boolean {
  const { accountSid, authToken } = TWILIO_ACCOUNT;
  return headers.authorization === `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
}

function faultOf({ form, headers }: Received): Reply | null {
  if (headers['content-type'] !== 'application/x-www-form-urlencoded')
    return twilioError(415, 20415, 'Unsupported media type');
  if (!/^\+[1-9][0-9]{6,14}$/.test(form.get('To') ?? ''))
    return twilioError(400, 21604, "A 'To' phone number is required.");
  if (form.has('From') === form.has('MessagingServiceSid'))
    return twilioError(400, 21603, "A 'From' phone number is required.");
  if (!form.get('Body')) return twilioError(400, 21602, 'Message body is required.');
  const validity = form.get('ValidityPeriod');
  const isInRange =
    validity === null || (/^[0-9]+$/.test(validity) && Number(validity) >= 1 && Number(validity) <= 36_000);
  return isInRange ? null : twilioError(400, 21600, 'ValidityPeriod is out of range.');
}

/** Vonage's SMS API, as far as it is documented: 200 whatever became of the message. */
import { randomBytes } from 'node:crypto';
import { json, type Protocol, type Reply } from './http-peer.ts';

/** The account that it knows. */
export const VONAGE_ACCOUNT = { apiKey: 'abcd1234', apiSecret: 'a-secret-of-vonage-2c26b46b68ff' } as const;

/** One part that was taken. */
export function vonagePart(to = '12025550100'): Record<string, string> {
  const id = randomBytes(8).toString('hex').toUpperCase();
  return { to, 'message-id': id, status: '0', 'remaining-balance': '3.14', 'message-price': '0.03', network: '310090' };
}

/** One part that was refused. */
export function vonageRefusal(status: string, text: string): Record<string, string> {
  return { status, 'error-text': text };
}

/** An answer of these parts. */
export function vonageReply(...parts: Record<string, string>[]): Reply {
  return json(200, { 'message-count': String(parts.length), messages: parts });
}

/** Vonage. */
export const vonageProtocol: Protocol = {
  check({ method, path, form, headers }) {
    if (method === 'GET' && path === '/account/get-balance') {
      const { apiKey, apiSecret } = VONAGE_ACCOUNT;
      const basic = `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`;
      return headers.authorization === basic ? json(200, { value: 10.28, autoReload: false }) : json(401, {});
    }
    if (method !== 'POST' || path !== '/sms/json') return { status: 404, body: 'Not found' };
    const missing = ['api_key', 'api_secret', 'from', 'to', 'text'].find(name => !form.get(name));
    if (missing !== undefined) return vonageReply(vonageRefusal('2', `Missing ${missing}`));
    const isKnown =
      form.get('api_key') === VONAGE_ACCOUNT.apiKey && form.get('api_secret') === VONAGE_ACCOUNT.apiSecret;
    if (!isKnown) return vonageReply(vonageRefusal('4', 'Bad Credentials'));
    const ttl = form.get('ttl');
    const isInRange = ttl === null || (/^[0-9]+$/.test(ttl) && Number(ttl) >= 20_000 && Number(ttl) <= 604_800_000);
    return isInRange ? null : vonageReply(vonageRefusal('3', 'Invalid ttl'));
  },
  recipientOf: ({ form }) => form.get('to') ?? '',
  accept: ({ form }) => vonageReply(vonagePart(form.get('to') ?? '')),
  reject: ({ form }) => vonageReply(vonageRefusal('6', `Unroutable message - rejected: ${form.get('to')}`)),
  throttle: () => ({
    ...vonageReply(vonageRefusal('1', 'Throughput Rate Exceeded - please wait')),
    headers: { 'retry-after': '0' },
  }),
};

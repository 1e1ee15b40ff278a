/** The signatures of Meta's callbacks. */
import { createHmac } from 'node:crypto';
import { secretsEqual } from '../../kernel/crypto/secrets.ts';
import type { ReportRequest } from '../contract.ts';

/** Whether a call is Meta's: `X-Hub-Signature-256` is the HMAC of the bytes of its body by the app secret. */
export function isSignedByMeta(appSecret: string, { headers, body }: ReportRequest): boolean {
  const expected = `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
  return secretsEqual(headers['x-hub-signature-256'] ?? '', expected);
}

/** The challenge by which Meta proves an address; null: it asks for none, or does not know the verify token. */
export function challengeOf(verifyToken: string, { method, url }: ReportRequest): string | null {
  const params = new URL(url).searchParams;
  const isAsked = method === 'GET' && params.get('hub.mode') === 'subscribe';
  return isAsked && secretsEqual(params.get('hub.verify_token') ?? '', verifyToken)
    ? (params.get('hub.challenge') ?? '')
    : null;
}

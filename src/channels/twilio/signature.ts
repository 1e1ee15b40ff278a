/** Twilio's signature of its requests: `X-Twilio-Signature`, an HMAC-SHA1 that is keyed with the auth token. */
import { createHash, createHmac } from 'node:crypto';
import { secretsEqual } from '../../kernel/crypto/secrets.ts';
import type { ReportRequest } from '../contract.ts';

/**
 * Whether Twilio signed a request. A form is signed parameter by parameter behind the address. Any other body is signed by its hash, which stands in
 * the address (`bodySHA256`). The address counts with the port of its scheme and without: Twilio has signed both.
 */
export function isSignedByTwilio(authToken: string, request: ReportRequest): boolean {
  const given = request.headers['x-twilio-signature'] ?? '';
  const bodyHash = new URL(request.url).searchParams.get('bodySHA256');
  if (bodyHash !== null && !secretsEqual(bodyHash, createHash('sha256').update(request.body).digest('hex')))
    return false;
  const params = bodyHash === null ? signedParams(request.body.toString('utf8')) : '';
  const signatures = addressesOf(request.url).map(url =>
    createHmac('sha1', authToken)
      .update(url + params, 'utf8')
      .digest('base64'),
  );
  return signatures.some(signature => secretsEqual(given, signature));
}

/** Names and values without anything between, sorted; a name that comes with the same value twice counts once. */
function signedParams(form: string): string {
  const params = new URLSearchParams(form);
  const names = [...new Set(params.keys())].sort();
  return names.flatMap(name => [...new Set(params.getAll(name))].sort().map(value => name + value)).join('');
}

function addressesOf(url: string): string[] {
  const [, start = '', host = '', , rest = ''] = /^(https?:\/\/)(\[[^\]]*\]|[^/?#:]*)(:[0-9]+)?(.*)$/is.exec(url) ?? [];
  const port = start.toLowerCase() === 'https://' ? ':443' : ':80';
  return [...new Set([url, start + host + rest, start + host + port + rest])];
}

/** How Vonage signs receipts, with the signature secret of the account: by a parameter `sig` (SMS API), or by a token (signed webhooks). */
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { secretsEqual } from '../../kernel/crypto/secrets.ts';
import { jsonOf } from '../http/json.ts';

/** How far the clocks may be apart, in seconds. */
const LEEWAY_S = 60;

/** How old a token may be that does not say when it ends, in seconds. */
const AGE_MAX_S = 300;

/** The methods of `sig` by the length of their digests. MD5 and SHA-1, which an account can choose as well, prove too little. */
const METHODS: ReadonlyMap<number, string> = new Map([
  [64, 'sha256'],
  [128, 'sha512'],
]);

/**
 * Whether `sig` signs the parameters: HMAC in hex over `&name=value` of each of the others, sorted by name. In a value, `_` stands for every `&` and
 * `=`. The time of signing does not matter: a receipt that is sent again says what it said before.
 */
export function isSignedByParameter(secret: string, params: URLSearchParams): boolean {
  const given = params.get('sig') ?? '';
  const method = METHODS.get(given.length);
  if (method === undefined) return false;
  const signed = [...params]
    .filter(([name]) => name !== 'sig')
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, '_')}`)
    .join('');
  return secretsEqual(given.toLowerCase(), createHmac(method, secret).update(signed).digest('hex'));
}

const header = z.object({ alg: z.literal('HS256') });

const claims = z.object({
  iat: z.number(),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  payload_hash: z.string(),
});

/**
 * Whether a token (RFC 7519) is Vonage's for this body. HS256 alone is accepted. The token must be young, not ended, and hold the SHA-256 of
 * the body. Without that hash it could be taken from one receipt to another. @param now in seconds
 */
export function isSignedByToken(secret: string, token: string, body: Buffer, now: number): boolean {
  const [first = '', second = '', third = '', ...more] = token.split('.');
  const signature = createHmac('sha256', secret).update(`${first}.${second}`).digest('base64url');
  if (more.length > 0 || !secretsEqual(third, signature) || !header.safeParse(partOf(first)).success) return false;
  const { data } = claims.safeParse(partOf(second));
  if (!data || !secretsEqual(data.payload_hash.toLowerCase(), createHash('sha256').update(body).digest('hex')))
    return false;
  const endsAt = data.exp ?? data.iat + AGE_MAX_S;
  return data.iat <= now + LEEWAY_S && (data.nbf ?? 0) <= now + LEEWAY_S && now <= endsAt + LEEWAY_S;
}

function partOf(part: string): unknown {
  return jsonOf(Buffer.from(part, 'base64url').toString('utf8'));
}

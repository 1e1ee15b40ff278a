/** Signatures of Standard Webhooks, as the server of Supabase makes them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../kernel/errors.ts';
import { gatewayTime } from '../../../kernel/process/gateway-time.ts';

/** How far the clocks of both servers may be apart. */
const TOLERANCE_SECONDS = 300;

/** Requires that a request is fresh and signed with this key. @throws AppError `unauthenticated` */
export function requireSignature(headers: Headers, body: Uint8Array, key: Uint8Array): void {
  const [id, timestamp] = [headers.get('webhook-id') ?? '', headers.get('webhook-timestamp') ?? ''];
  const made = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // Several secrets make several signatures, with a blank or a comma between them.
  const claimed = (headers.get('webhook-signature') ?? '').matchAll(/\bv1,([A-Za-z0-9+/=]+)/g);
  const matches = [...claimed].filter(([, text = '']) => sameBytes(Buffer.from(text, 'base64'), made));
  if (id === '' || matches.length === 0)
    throw new AppError('unauthenticated', 'No signature of the hook matches SUPABASE_HOOK_SECRET.');
  const age = gatewayTime().getTime() / 1_000 - Number(timestamp);
  if (!(Math.abs(age) <= TOLERANCE_SECONDS))
    throw new AppError('unauthenticated', `The timestamp of the hook is more than ${TOLERANCE_SECONDS} s away.`);
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

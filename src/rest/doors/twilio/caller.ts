/** The caller of a Twilio-shaped path: Basic authentication by the sid of an account and a token of it. */
import { type Ctx, requireAccount } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { type DoorRequest, type Knock, withToken } from '../door.ts';

/** A sid of Twilio's form for an id of ours: the same 32 hexadecimal digits. */
export function toSid(prefix: 'AC' | 'SM' | 'VE', id: string): string {
  return `${prefix}${id.slice('msg_'.length)}`;
}

/** The headers of our own paths. */
export function headersOf({ headers }: Knock): Headers {
  const made = withToken(headers, credentialsOf(headers).token);
  const key = headers.get('i-twilio-idempotency-token');
  if (key !== null) made.set('idempotency-key', key);
  return made;
}

/** The sid of the caller's account. @throws AppError `unauthenticated` where the request names another one */
export function requireSid({ ctx, headers, part }: DoorRequest): string {
  const sid = accountSid(ctx);
  const named = [credentialsOf(headers).user, part('accountSid') || sid];
  if (named.some(one => one.toLowerCase() !== sid.toLowerCase()))
    throw new AppError('unauthenticated', `The account SID is not that of the token, which is ${sid}.`);
  return sid;
}

function accountSid(ctx: Ctx): string {
  return toSid('AC', requireAccount(ctx).account.id);
}

function credentialsOf(headers: Headers): { readonly user: string; readonly token: string } {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  const [, user, token] = /^([^:]*):([\x21-\x7e]+)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (!user || !token)
    throw new AppError('unauthenticated', 'Use Basic authentication: the account SID, and a token as the auth token.');
  return { user, token };
}

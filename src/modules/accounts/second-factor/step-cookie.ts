/** Cookies that carry a sign-in from one step to the next, sealed: nobody reads or makes one. */
import type { Ctx } from '../../../context.ts';
import { seal, unseal } from '../../../kernel/crypto/sealed.ts';
import { cookie, readCookie } from '../sign-in/session-cookie.ts';

const PURPOSE = 'sign-in-step';

/** One kind of step. */
export interface Step {
  readonly name: string;
  /** How long it may take, in seconds. */
  readonly seconds: number;
}

/** Key id, and what it sealed in base64url. */
const PATTERN = /^([0-9a-f]{8})\.([\w-]+)$/;

/** The header `Set-Cookie` that keeps what the next step needs; null takes it away. */
export function stepCookie({ services, clock }: Ctx, { name, seconds }: Step, held: object | null): string {
  const publicUrl = services.home.publicUrl();
  if (held === null) return cookie(publicUrl, name, '', 0);
  const untilMs = clock.now().getTime() + seconds * 1_000;
  const { keyId, sealed } = seal(services.keys, PURPOSE, JSON.stringify({ untilMs, held }), name);
  return cookie(publicUrl, name, `${keyId}.${Buffer.from(sealed, 'base64').toString('base64url')}`, seconds);
}

/** The data that the step before kept in this browser; null: there is none, or the step took too long. */
export function readStep({ services, clock, request }: Ctx, { name }: Step): unknown {
  const value = readCookie(services.home.publicUrl(), request.cookies, name);
  const [, keyId = '', sealed = ''] = PATTERN.exec(value ?? '') ?? [];
  const text = unseal(
    services.keys,
    PURPOSE,
    { keyId, sealed: Buffer.from(sealed, 'base64url').toString('base64') },
    name,
  );
  if (text === null) return null;
  const { untilMs, held } = JSON.parse(text) as { readonly untilMs: number; readonly held: unknown };
  return untilMs > clock.now().getTime() ? held : null;
}

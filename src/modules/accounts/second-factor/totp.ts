/** One-time codes of an authenticator app: RFC 6238 with SHA-1, six digits and steps of 30 seconds, which every app knows. */
import { Secret, TOTP } from 'otpauth';

const FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** The name that the app shows beside a code. */
const ISSUER = 'Heliograph';

/** As long as the hash (RFC 4226, R6). */
const SECRET_BYTES = 20;

/** How many steps a clock may be wrong by, in both directions (RFC 6238, 5.2). */
const WINDOW = 1;

/** Makes a secret, in base32. */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The `otpauth://` address that an app reads from a QR code. @param person the e-mail address */
export function uriOf(secret: string, person: string): string {
  return totpOf(secret, person).toString();
}

/** The step that a code is of, counted from 1970; null: it is of none around now. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = totpOf(secret, '').validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : TOTP.counter({ period: FORM.period, timestamp }) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ ...FORM, issuer: ISSUER, label, secret: Secret.fromBase32(secret) });
}

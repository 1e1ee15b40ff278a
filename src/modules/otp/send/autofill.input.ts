/** The input of the autofill of an OTP: for which site or app a phone may fill in the code. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import type { Autofill } from './text.policy.ts';

const HOST_LENGTH_MAX = 253;

/** The characters that a host name is written with; those beyond ASCII are left to the rules of IDNs. */
const WRITTEN_PATTERN = /^[A-Za-z0-9.\-\u0080-\u{10ffff}]+$/u;
const HOST_PATTERN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

const DOMAIN_MEND = 'must be a host name alone, like example.com (no scheme, port, path or address)';

/** A host name in lower case, IDNs as punycode. */
const domainInput = z
  .string()
  .max(HOST_LENGTH_MAX, `must have at most ${HOST_LENGTH_MAX} characters`)
  .refine(text => parseHost(text) !== null, DOMAIN_MEND)
  .meta({ description: 'The site: a host name, like `example.com`', example: 'example.com' });

const appHashInput = z
  .string()
  .regex(
    /^[A-Za-z0-9+/]{11}$/,
    'must be the 11 characters (A-Z, a-z, 0-9, + and /) that SMS Retriever knows the app by',
  )
  .meta({
    description: 'The hash of the Android app, 11 characters, as SMS Retriever makes it',
    example: 'FA+9qCX9VSu',
  });

/** Exactly one of a site and an app. Read as `Autofill`; reading what was read changes nothing. */
export const autofillInput = z
  .strictObject({ domain: domainInput.nullish(), appHash: appHashInput.nullish() })
  .refine(
    ({ domain, appHash }) => (domain == null) !== (appHash == null),
    'must have exactly one of domain and appHash',
  )
  .transform(({ domain, appHash }): Autofill => {
    const host = domain == null ? null : parseHost(domain);
    return { ...(host === null ? {} : { domain: host }), ...(appHash == null ? {} : { appHash }) };
  })
  .meta({
    id: 'OtpAutofillInput',
    description: 'For which site or app a phone may fill in the code from the SMS; one of the two',
  });

/** The host name as browsers compare it, or null where it is none. */
function parseHost(text: string): string | null {
  if (!WRITTEN_PATTERN.test(text)) return null;
  const host = domainToASCII(text);
  return host.length <= HOST_LENGTH_MAX && HOST_PATTERN.test(host) && isIP(host) === 0 ? host : null;
}

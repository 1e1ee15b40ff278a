/** The tokens of the document: one scheme for each area. */
import { AREAS, type Area } from '../../kernel/crypto/secrets.ts';
import type { JsonObject } from './json-schema.ts';

const OPENS: Readonly<Record<Area, string>> = {
  unified: 'Opens `/api/omni/*`. It begins with `hg_uni_`.',
  sms: 'Opens `/api/sms/send`. It begins with `hg_sms_`.',
  otp: 'Opens `/api/sms/otp/*`. It begins with `hg_otp_`, stays on your server: never put it into an app.',
  management:
    'Opens webhooks, tokens and figures in GraphQL; of the REST paths, `/plants` alone. It begins with `hg_mgt_`.',
};

const nameOf = (area: Area): string => `${area}Token`;

/** The security schemes. */
export const SECURITY_SCHEMES: JsonObject = Object.fromEntries(
  AREAS.map(area => [
    nameOf(area),
    { type: 'http', scheme: 'bearer', description: `A token of the area \`${area}\`. ${OPENS[area]}` },
  ]),
);

/** The tokens that open a path: that of its area, or any. */
export function securityOf(area: Area | 'any'): JsonObject[] {
  return (area === 'any' ? AREAS : [area]).map(one => ({ [nameOf(one)]: [] }));
}

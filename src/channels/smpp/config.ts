/** The configuration of `smpp` (contract §12). */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { oneOf } from '../../kernel/input.ts';

const LONG_MESSAGES = ['udh8', 'udh16', 'sar', 'payload'] as const;

/** How a text that is too long for one message goes: by a header of its own, by optional parameters, or in one of them. */
export type LongMessages = (typeof LONG_MESSAGES)[number];

const RECEIPT_IDS = ['same', 'hexToDec', 'decToHex'] as const;

/**
 * The form of a message's id in receipts, against that in the answer to the submit. `same`: the same form. `hexToDec`: in decimal where the answer had
 * it in hex. `decToHex`: in hex where the answer had it in decimal.
 */
export type ReceiptIds = (typeof RECEIPT_IDS)[number];

/** A text of the protocol: printable ASCII, without the NUL that ends it. The longest lengths are those of SMPP 3.4 §5.2.1 to §5.2.3. */
const cstring = (max: number) =>
  z
    .string()
    .max(max, `must have at most ${max} characters`)
    .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');

/** A whole number within these bounds. */
const whole = (min: number, max: number) => {
  const message = `must be from ${min} to ${max}`;
  return z.int().min(min, message).max(max, message);
};

const tls = z.union(
  [
    z.literal(true),
    z.strictObject({
      ca: z
        .string()
        .max(65_536, 'must have at most 65536 characters')
        .refine(areCertificates, 'must be certificates in PEM')
        .optional()
        .meta({
          title: 'Certificates of its signer',
          description: 'In PEM; believed instead of the well-known ones',
          contentMediaType: 'application/x-pem-file',
        }),
      servername: z
        .string()
        .min(1, 'must not be empty')
        .max(253, 'must have at most 253 characters')
        .refine(name => isIP(name) === 0, 'must be a name; an address is taken from the host')
        .optional()
        .meta({ title: 'Name in its certificate', description: 'Where it is another than the host' }),
    }),
  ],
  'must be true, or an object with ca and servername',
);

/** The config, checked. */
export const smppConfig = z
  .strictObject({
    host: z
      .string()
      .min(1, 'must not be empty')
      .max(253, 'must have at most 253 characters')
      .meta({ title: 'Host', description: 'Name or address of the SMSC', group: 'where' }),
    port: whole(1, 65_535).meta({ title: 'Port', description: 'Mostly 2775, with TLS 3550', group: 'where' }),
    tls: tls.optional().meta({ title: 'TLS', description: 'Whether the connection is encrypted', group: 'where' }),
    systemId: cstring(15).meta({ title: 'System ID', description: 'The user name at the SMSC', group: 'who' }),
    password: cstring(8).meta({ title: 'Password', description: 'At most 8 characters', group: 'who', secret: true }),
    systemType: cstring(12)
      .optional()
      .meta({ title: 'System type', description: 'Only where the provider names one', group: 'who' }),
    bind: z.enum(['transceiver', 'separate'], 'must be transceiver or separate').default('transceiver').meta({
      title: 'Bind',
      description: 'One session for both directions, or one to send and one to receive',
      group: 'tuning',
    }),
    sessions: whole(1, 16)
      .default(1)
      .meta({ title: 'Sessions', description: 'How many each process of the gateway opens', group: 'tuning' }),
    window: whole(1, 1_000)
      .default(10)
      .meta({ title: 'Window', description: 'How many messages of a session may wait for an answer', group: 'tuning' }),
    throughput: z.number().positive('must be more than 0').max(100_000, 'must be at most 100000').nullish().meta({
      title: 'Messages a second',
      description: 'The most that each process of the gateway submits; empty: no limit',
      group: 'tuning',
    }),
    longMessages: oneOf(LONG_MESSAGES).default('udh8').meta({
      title: 'Long texts',
      description: 'How they go: in parts with a header of 8 or 16 bits, in parts by SAR, or whole',
      group: 'tuning',
    }),
    receiptIds: oneOf(RECEIPT_IDS).default('same').meta({
      title: 'Ids in receipts',
      description: 'The same as in the answer to a message, or turned from hex to decimal, or from decimal to hex',
      group: 'tuning',
    }),
    responseTimeoutMs: whole(500, 60_000)
      .default(10_000)
      .meta({ title: 'Answer time, ms', description: 'How long the SMSC may take for an answer', group: 'tuning' }),
    enquireLinkMs: whole(1_000, 600_000).default(30_000).meta({
      title: 'Silence, ms',
      description: 'After how long without a word the SMSC is asked whether it is there',
      group: 'tuning',
    }),
  })
  .meta({ title: 'SMSC', description: 'SMS by SMPP 3.4' });

/** A config of an SMSC. */
export type SmppConfig = z.output<typeof smppConfig>;

/** Whether a text is one certificate or more, each of which can be read. */
function areCertificates(pem: string): boolean {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch {
    return false;
  }
  return certificates.length > 0;
}

/** The submits of an attempt: one `submit_sm`, or one for each part of a long text (SMPP 3.4 §4.4.1, §5.2, §5.3.2; 3GPP TS 23.040 §9.2.3.24). */
import type { SendRequest } from '../contract.ts';
import { type FieldsOf, TAGS } from './codec/commands.ts';
import type { Tlvs } from './codec/pdu.ts';
import type { LongMessages } from './config.ts';
import { cutText, type EncodedText, encodeText } from './text.ts';

/** The fields of one `submit_sm`. */
export interface Submit {
  readonly fields: Partial<FieldsOf<'submit_sm'>>;
  readonly tlvs: Tlvs;
}

/** `ton` and `npi` by kind of address (§5.2.5, §5.2.6). */
const INTERNATIONAL = { ton: 1, npi: 1 } as const;
const SHORT_CODE = { ton: 3, npi: 0 } as const;
const ALPHANUMERIC = { ton: 5, npi: 0 } as const;

/** An address that SMPP can carry: printable ASCII, at most 20 characters. */
const ADDRESS = /^[\x20-\x7e]{1,20}$/;

/** `registered_delivery`: a receipt, whatever becomes of the message. */
const WITH_RECEIPT = 1;

/** `esm_class`: the message begins with a header (UDHI). */
const WITH_HEADER = 0x40;

/** The most bytes of a message that is not split: 160 septets, or 70 units. */
const SINGLE_BYTES = { gsm7: 160, ucs2: 140 } as const;

/**
 * The most bytes of a part. A header of six octets leaves 153 septets or 67 units, one of seven leaves 152 or 66. Parts by `sar` are as small: the SMSC
 * makes a header of the parameters, and cuts off or refuses the rest. So the parts are as many as the segments that are paid for, but for `udh16`.
 */
const PART_BYTES = {
  udh8: { gsm7: 153, ucs2: 134 },
  udh16: { gsm7: 152, ucs2: 132 },
  sar: { gsm7: 153, ucs2: 134 },
} as const;

/** The most that an SMSC is asked to keep a message; what would be worth something longer has no limit that matters. */
const VALIDITY_SECONDS_MAX = 30 * 86_400;

const NO_TLVS: Tlvs = new Map();
const NO_MESSAGE = Buffer.alloc(0);

/** A number of a phone or a short code, and the latter. */
const DIGITS = /^\+?[0-9]+$/;
const SHORT = /^[0-9]{3,8}$/;

/** Whether SMPP can carry this address. */
export function isAddress(address: string): boolean {
  return ADDRESS.test(address);
}

/** The submits of an attempt, in order. `reference`: an integer by which a phone tells the parts of this text from those of others. */
export function submitsOf(request: SendRequest, longMessages: LongMessages, reference: number): [Submit, ...Submit[]] {
  const text = encodeText(request.text);
  const { bytes, encoding } = text;
  const submit = (esmClass: number, message: Buffer, tlvs: Tlvs): Submit => ({
    fields: fieldsOf(request, text, esmClass, message),
    tlvs,
  });
  if (bytes.length <= SINGLE_BYTES[encoding]) return [submit(0, bytes, NO_TLVS)];
  if (longMessages === 'payload') return [submit(0, NO_MESSAGE, new Map([[TAGS.message_payload, bytes]]))];
  const parts = cutText(text, PART_BYTES[longMessages][encoding]);
  const of = (part: Buffer, index: number): Submit =>
    longMessages === 'sar'
      ? submit(0, part, sarOf(reference, parts.length, index + 1))
      : submit(WITH_HEADER, Buffer.concat([headerOf(longMessages, reference, parts.length, index + 1), part]), NO_TLVS);
  const [first = bytes, ...others] = parts;
  return [of(first, 0), ...others.map((part, index) => of(part, index + 1))];
}

function fieldsOf(
  { from, to, validitySeconds }: SendRequest,
  { dataCoding }: EncodedText,
  esmClass: number,
  message: Buffer,
): Submit['fields'] {
  const digits = DIGITS.test(from);
  const source = !digits ? ALPHANUMERIC : SHORT.test(from) ? SHORT_CODE : INTERNATIONAL;
  return {
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: digits && from.startsWith('+') ? from.slice(1) : from,
    dest_addr_ton: INTERNATIONAL.ton,
    dest_addr_npi: INTERNATIONAL.npi,
    destination_addr: to,
    esm_class: esmClass,
    validity_period: validityOf(validitySeconds),
    registered_delivery: WITH_RECEIPT,
    data_coding: dataCoding,
    short_message: message,
  };
}

/** The concatenation header, with a reference of 8 or 16 bits. */
function headerOf(kind: 'udh8' | 'udh16', reference: number, total: number, number: number): Buffer {
  return kind === 'udh8'
    ? Buffer.of(0x05, 0x00, 0x03, reference & 0xff, total, number)
    : Buffer.of(0x06, 0x08, 0x04, (reference >> 8) & 0xff, reference & 0xff, total, number);
}

function sarOf(reference: number, total: number, number: number): Tlvs {
  return new Map([
    [TAGS.sar_msg_ref_num, Buffer.of((reference >> 8) & 0xff, reference & 0xff)],
    [TAGS.sar_total_segments, Buffer.of(total)],
    [TAGS.sar_segment_seqnum, Buffer.of(number)],
  ]);
}

/** The relative form `YYMMDDhhmmsstnnR` (§7.1.1); empty: the SMSC's own. */
function validityOf(seconds: number | null): string {
  if (seconds === null) return '';
  const whole = Math.min(Math.max(1, Math.floor(seconds)), VALIDITY_SECONDS_MAX);
  const units = [Math.floor(whole / 86_400), Math.floor(whole / 3_600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  return `0000${units.map(twoDigits).join('')}000R`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

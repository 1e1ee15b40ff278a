/** Receipts of an SMSC: a `deliver_sm` or `data_sm` whose parameters or text say what became of a message (SMPP 3.4 §5.2.12, §5.3.2, appendix B). */
import { isCode } from '../../kernel/attempt-errors.ts';
import type { Report } from '../contract.ts';
import { TAGS } from './codec/commands.ts';
import type { Pdu } from './codec/pdu.ts';
import type { ReceiptIds } from './config.ts';

/** A request by which the SMSC brings a receipt or a text. */
export type Delivery = Pdu<'deliver_sm'> | Pdu<'data_sm'>;

/** `esm_class`: the bits of the message type, and what they are in a receipt. */
const TYPE_BITS = 0x3c;
const RECEIPT_BITS = 0x04;

/** `stat:` by `message_state`; its numbers are those of §5.2.28, with the two that 5.0 adds. */
const STATS = [
  'SCHEDULED',
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
  'SKIPPED',
];

/** The status by `stat:`; words that are missing here say nothing final. The longer words are those of SMSCs that do not abbreviate. */
const BY_STAT: ReadonlyMap<string, Report['status']> = new Map([
  ['DELIVRD', 'delivered'],
  ['DELIVERED', 'delivered'],
  ['ACCEPTD', 'sent'],
  ['ACCEPTED', 'sent'],
  ['EXPIRED', 'expired'],
  ['UNDELIV', 'failed'],
  ['UNDELIVERABLE', 'failed'],
  ['FAILED', 'failed'],
  ['REJECTD', 'failed'],
  ['REJECTED', 'failed'],
  // Taken back by the SMSC, or never sent: it will not arrive.
  ['DELETED', 'failed'],
  ['SKIPPED', 'failed'],
]);

const KEYS = {
  id: /(?:^|\s)id:\s*([^\s\0]+)/i,
  stat: /(?:^|\s)stat:\s*([^\s\0]+)/i,
  err: /(?:^|\s)err:\s*([^\s\0]+)/i,
};

/** The key of the repeated message, where reading stops: a message may hold anything. */
const MESSAGE = /(?:^|\s)text:/i;

/** The longest id that is kept, twice as long as the protocol allows. */
const ID_LENGTH_MAX = 128;

/** Reads a receipt. Null: it is a text of a phone or an intermediate notification, names no message, or says nothing that is final. */
export function readReceipt({ fields, tlvs }: Delivery, receiptIds: ReceiptIds): Report | null {
  const type = (fields.esm_class ?? 0) & TYPE_BITS;
  const receiptedId = cstringOf(tlvs.get(TAGS.receipted_message_id));
  // Some SMSCs send receipts by parameters alone, without saying that it is one.
  if (type !== RECEIPT_BITS && !(type === 0 && receiptedId !== null)) return null;
  const text = textOf(fields, tlvs);
  const id = receiptedId ?? keyOf(text, 'id');
  const state = tlvs.get(TAGS.message_state)?.[0];
  const stat = ((state === undefined ? null : STATS[state]) ?? keyOf(text, 'stat') ?? '').toUpperCase();
  const status = BY_STAT.get(stat);
  if (id === null || status === undefined) return null;
  const isBad = status === 'failed' || status === 'expired';
  return {
    providerMessageId: submittedId(id, receiptIds),
    status,
    errorCode: isBad
      ? (networkError(tlvs.get(TAGS.network_error_code)) ?? textError(text) ?? stat.toLowerCase())
      : null,
    errorMessage: isBad ? `The SMSC reports ${stat}.` : null,
  };
}

/** The id of a receipt as it stood in the answer to the submit. */
function submittedId(id: string, receiptIds: ReceiptIds): string {
  const bare = plainId(id);
  if (receiptIds === 'hexToDec' && /^[0-9]+$/.test(bare)) return BigInt(bare).toString(16);
  const hex = bare.replace(/^0*x/, '');
  if (receiptIds === 'decToHex' && /^[0-9a-f]+$/.test(hex)) return BigInt(`0x${hex}`).toString();
  return bare;
}

/** An id in the form in which both sides are compared: lower case, without zeros and spaces before it. Empty: the SMSC gave none. */
export function plainId(id: string): string {
  return id
    .slice(0, ID_LENGTH_MAX)
    .trim()
    .toLowerCase()
    .replace(/^[0\s]+(?=.)/, '');
}

function textOf(fields: Delivery['fields'], tlvs: Delivery['tlvs']): string {
  const message = 'short_message' in fields && fields.short_message?.length ? fields.short_message : undefined;
  const text = (message ?? tlvs.get(TAGS.message_payload))?.toString('latin1') ?? '';
  return text.slice(0, MESSAGE.exec(text)?.index);
}

function keyOf(text: string, key: keyof typeof KEYS): string | null {
  return KEYS[key].exec(text)?.[1] ?? null;
}

/** `err:`; null: there is none, or no code, or zeros, which say that there was none. */
function textError(text: string): string | null {
  const error = keyOf(text, 'err');
  return error === null || /^0+$/.test(error) || !isCode(error) ? null : error;
}

/** The text of a parameter, which may or may not end with NUL. */
function cstringOf(value: Buffer | undefined): string | null {
  const text = value?.toString('latin1').split('\0')[0]?.trim() ?? '';
  return text === '' ? null : text;
}

/** The code of `network_error_code`, behind a byte that says of which kind of network it is. */
function networkError(value: Buffer | undefined): string | null {
  const code = value?.length === 3 ? value.readUInt16BE(1) : 0;
  return code === 0 ? null : String(code);
}

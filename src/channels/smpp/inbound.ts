/** Texts of people, whole or in parts: a `deliver_sm` or `data_sm` that is no receipt (SMPP 3.4 §5.2.12, §5.2.19, §5.3.2; 3GPP TS 23.040 §9.2.3.24). */
import type { Inbound, InboundPart } from '../contract.ts';
import { TAGS } from './codec/commands.ts';
import type { Delivery } from './receipt.ts';
import { decodeGsm7 } from './text.ts';

/** `esm_class`: the bits of the message type, none of which is set in a text, and the one of a header (UDHI). */
const TYPE_BITS = 0x3c;
const WITH_HEADER = 0x40;

/** Elements of a header: the parts of a text, with a reference of one byte or of two. */
const CONCATENATED = { 0: 1, 8: 2 } as const;

/** A receipt as text (SMPP 3.4, appendix B), which some SMSCs mark by nothing else. Such a text quotes ours, and nobody wrote it. */
const RECEIPT = /^id:\S+ .*\bstat:[A-Z]{5,8}\b/is;

/** Reads what a person wrote. Null: it is a receipt or a notification. SMSCs give no id by which a repeat would be known. */
export function readInbound({ fields, tlvs }: Delivery): Inbound | null {
  const esmClass = fields.esm_class ?? 0;
  if ((esmClass & TYPE_BITS) !== 0 || tlvs.has(TAGS.receipted_message_id)) return null;
  const short = 'short_message' in fields && fields.short_message?.length ? fields.short_message : undefined;
  const message = short ?? tlvs.get(TAGS.message_payload) ?? Buffer.alloc(0);
  const headerBytes = (esmClass & WITH_HEADER) === 0 ? 0 : 1 + (message[0] ?? 0);
  const part = partInHeader(message.subarray(1, headerBytes)) ?? partInParameters(tlvs);
  const text = decode(fields.data_coding ?? 0, message.subarray(headerBytes));
  if (text !== null && RECEIPT.test(text)) return null;
  return {
    providerMessageId: null,
    from: fields.source_addr ?? '',
    to: fields.destination_addr ?? '',
    type: text === null ? 'binary' : 'text',
    text,
    ...(part && { part }),
  };
}

/** The part that a header names; null: it names none. */
function partInHeader(header: Buffer): InboundPart | null {
  for (let at = 0; at + 2 <= header.length; at += 2 + (header[at + 1] ?? 0)) {
    const referenceBytes = CONCATENATED[header[at] as keyof typeof CONCATENATED];
    if (referenceBytes === undefined || header[at + 1] !== referenceBytes + 2) continue;
    const value = header.subarray(at + 2, at + 4 + referenceBytes);
    if (value.length < referenceBytes + 2) return null;
    const reference = `udh${referenceBytes * 8}:${value.readUIntBE(0, referenceBytes)}`;
    return partOf(reference, value[referenceBytes], value[referenceBytes + 1]);
  }
  return null;
}

/** The part that parameters name (SAR); null: they name none. */
function partInParameters(tlvs: Delivery['tlvs']): InboundPart | null {
  const reference = tlvs.get(TAGS.sar_msg_ref_num);
  if (reference?.length !== 2) return null;
  const [total, number] = [tlvs.get(TAGS.sar_total_segments)?.[0], tlvs.get(TAGS.sar_segment_seqnum)?.[0]];
  return partOf(`sar:${reference.readUInt16BE(0)}`, total, number);
}

function partOf(reference: string, total = 0, number = 0): InboundPart | null {
  return total >= 2 && number >= 1 && number <= total ? { reference, total, number } : null;
}

/** The text of bytes in an alphabet (`data_coding`); null: they are no text. */
function decode(dataCoding: number, bytes: Buffer): string | null {
  switch (alphabetOf(dataCoding)) {
    case 'gsm7':
      return decodeGsm7(bytes);
    case 'latin1':
      return bytes.toString('latin1');
    case 'ucs2':
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le');
    case 'binary':
      return null;
  }
}

function alphabetOf(dataCoding: number): 'gsm7' | 'latin1' | 'ucs2' | 'binary' {
  const group = dataCoding & 0xf0;
  // With a message class the alphabet stands in two bits, or in one.
  if (group === 0x10) return (['gsm7', 'binary', 'ucs2', 'gsm7'] as const)[(dataCoding >> 2) & 3] ?? 'gsm7';
  if (group === 0xf0) return (dataCoding & 4) === 0 ? 'gsm7' : 'binary';
  if (dataCoding === 0) return 'gsm7';
  if (dataCoding === 1 || dataCoding === 3) return 'latin1';
  return dataCoding === 8 ? 'ucs2' : 'binary';
}

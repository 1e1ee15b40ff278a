/** PDUs of SMPP 3.4 as bytes, both ways. */
import {
  ANSWER_BIT,
  COMMANDS,
  type Command,
  type FieldKind,
  type FieldsOf,
  HEAD_BYTES,
  SHORT_MESSAGE_BYTES_MAX,
} from './commands.ts';

/** Optional parameters by their tags. */
export type Tlvs = ReadonlyMap<number, Buffer>;

/** One PDU. `fields` is empty where its body was left out, as the answer to a failure may do. */
export interface Pdu<Of extends Command = Command> {
  readonly command: Of;
  /** `command_status`; 0: ESME_ROK. */
  readonly status: number;
  readonly sequence: number;
  readonly fields: Partial<FieldsOf<Of>>;
  readonly tlvs: Tlvs;
}

/** A PDU whose command is not known here: its number, and by what it is answered. */
export interface UnknownPdu {
  readonly command: null;
  readonly id: number;
  readonly sequence: number;
}

/** The status and the optional parameters of a PDU. */
export interface PduExtras {
  readonly status?: number;
  readonly tlvs?: Tlvs;
}

type Layout = readonly { readonly name: string; readonly kind: FieldKind }[];
type AnyValue = number | string | Buffer;

const LAYOUTS = new Map<Command, { readonly id: number; readonly layout: Layout }>();
const COMMAND_OF = new Map<number, Command>();
for (const [name, [id, fields]] of Object.entries(COMMANDS)) {
  LAYOUTS.set(name as Command, { id, layout: Object.entries(fields).map(([field, kind]) => ({ name: field, kind })) });
  COMMAND_OF.set(id, name as Command);
}

const NO_TLVS: Tlvs = new Map();
const TLV_HEAD_BYTES = 4;

/** Writes a PDU; a field that is not given is 0 or empty. @throws RangeError where a text or the message does not fit its field */
export function encodePdu<Of extends Command>(
  command: Of,
  sequence: number,
  fields: Partial<FieldsOf<Of>> = {},
  { status = 0, tlvs = NO_TLVS }: PduExtras = {},
): Buffer {
  const { id, layout } = layoutOf(command);
  const values = fields as Readonly<Record<string, AnyValue | undefined>>;
  let size = HEAD_BYTES;
  for (const { name, kind } of layout) size += kind === 'u8' ? 1 : lengthOf(values[name]) + 1;
  for (const value of tlvs.values()) size += TLV_HEAD_BYTES + value.length;
  const pdu = Buffer.allocUnsafe(size);
  pdu.writeUInt32BE(size, 0);
  pdu.writeUInt32BE(id, 4);
  pdu.writeUInt32BE(status, 8);
  pdu.writeUInt32BE(sequence, 12);
  let at = HEAD_BYTES;
  for (const { name, kind } of layout) at = writeField(pdu, at, name, kind, values[name]);
  for (const [tag, value] of tlvs) {
    pdu.writeUInt16BE(tag, at);
    pdu.writeUInt16BE(value.length, at + 2);
    at += TLV_HEAD_BYTES + value.copy(pdu, at + TLV_HEAD_BYTES);
  }
  return pdu;
}

function layoutOf(command: Command): { readonly id: number; readonly layout: Layout } {
  const found = LAYOUTS.get(command);
  if (!found) throw new RangeError(`no command is called ${command}`);
  return found;
}

function lengthOf(value: AnyValue | undefined): number {
  return value === undefined || typeof value === 'number' ? 0 : value.length;
}

/** Answers where the next field begins. */
function writeField(pdu: Buffer, start: number, name: string, kind: FieldKind, value: AnyValue | undefined): number {
  if (kind === 'u8') return pdu.writeUInt8(typeof value === 'number' ? value : 0, start);
  if (kind === 'message') {
    const length = lengthOf(value);
    if (length > SHORT_MESSAGE_BYTES_MAX)
      throw new RangeError(`${name} has more than ${SHORT_MESSAGE_BYTES_MAX} bytes`);
    pdu[start] = length;
    if (typeof value === 'object') value.copy(pdu, start + 1);
    return start + 1 + length;
  }
  const text = typeof value === 'string' ? value : '';
  if (text.length >= kind) throw new RangeError(`${name} has more than ${kind - 1} characters`);
  let at = start;
  for (; at < start + text.length; at++) {
    const code = text.charCodeAt(at - start);
    if (code === 0 || code > 0xff) throw new RangeError(`${name} holds a character that SMPP cannot carry`);
    pdu[at] = code;
  }
  pdu[at] = 0;
  return at + 1;
}

/** Reads a PDU of the length that its head says; what it holds stays valid as long as its bytes do. @throws RangeError where its body does not fit its fields */
export function decodePdu(bytes: Buffer): Pdu | UnknownPdu {
  const id = bytes.readUInt32BE(4);
  const sequence = bytes.readUInt32BE(12);
  const command = COMMAND_OF.get(id);
  if (command === undefined) return { command: null, id, sequence };
  const fields: Record<string, AnyValue> = {};
  let at = HEAD_BYTES;
  // The answer to a failure may have no body.
  if (at < bytes.length) {
    const isAnswer = (id & ANSWER_BIT) !== 0;
    for (const { name, kind } of layoutOf(command).layout) at = readField(bytes, at, fields, name, kind, isAnswer);
  }
  return { command, status: bytes.readUInt32BE(8), sequence, fields, tlvs: decodeTlvs(bytes, at) } as Pdu;
}

/** Answers where the next field begins. */
function readField(
  bytes: Buffer,
  start: number,
  fields: Record<string, AnyValue>,
  name: string,
  kind: FieldKind,
  isAnswer: boolean,
): number {
  if (kind === 'u8') {
    fields[name] = bytes.readUInt8(start);
    return start + 1;
  }
  if (kind === 'message') {
    const end = start + 1 + bytes.readUInt8(start);
    if (end > bytes.length) throw new RangeError(`${name} ends behind its PDU`);
    fields[name] = bytes.subarray(start + 1, end);
    return end;
  }
  let end = bytes.indexOf(0, start);
  if (end < 0) {
    // Some SMSCs leave out the NUL of an answer's only field.
    if (!isAnswer) throw new RangeError(`${name} does not end`);
    end = bytes.length;
  }
  fields[name] = bytes.toString('latin1', start, end);
  return Math.min(end + 1, bytes.length);
}

function decodeTlvs(bytes: Buffer, start: number): Tlvs {
  if (start + TLV_HEAD_BYTES > bytes.length) return NO_TLVS;
  const tlvs = new Map<number, Buffer>();
  for (let at = start; at + TLV_HEAD_BYTES <= bytes.length; ) {
    const end = at + TLV_HEAD_BYTES + bytes.readUInt16BE(at + 2);
    // A parameter that is cut off is dropped; the rest of the PDU stays valid.
    if (end > bytes.length) break;
    tlvs.set(bytes.readUInt16BE(at), bytes.subarray(at + TLV_HEAD_BYTES, end));
    at = end;
  }
  return tlvs;
}

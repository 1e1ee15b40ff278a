/** Bytes of an SMSC, and the receipts in them. */
import { COMMANDS, HEAD_BYTES, PDU_BYTES_MAX, TAGS } from '../../../../src/channels/smpp/codec/commands.ts';
import { Framer, FramingError } from '../../../../src/channels/smpp/codec/framing.ts';
import { decodePdu, encodePdu, type Pdu } from '../../../../src/channels/smpp/codec/pdu.ts';
import { readInbound } from '../../../../src/channels/smpp/inbound.ts';
import { plainId, readReceipt } from '../../../../src/channels/smpp/receipt.ts';
import { hold, holdInbound, holdReport, same } from '../check.ts';
import type { FuzzTarget } from '../search.ts';

interface Framed {
  readonly pdus: readonly Buffer[];
  readonly isBroken: boolean;
}

function frame(pieces: readonly Buffer[]): Framed {
  const framer = new Framer();
  const pdus: Buffer[] = [];
  try {
    for (const piece of pieces) framer.push(piece, pdu => pdus.push(Buffer.from(pdu)));
  } catch (error) {
    if (!(error instanceof FramingError)) throw error;
    return { pdus, isBroken: true };
  }
  return { pdus, isBroken: false };
}

/** A PDU that was read is written, and read again as the same. */
function holdRoundTrip(bytes: Buffer): void {
  const pdu = orNull(() => decodePdu(bytes));
  if (pdu === null || pdu.command === null) return;
  const { command, sequence, status, fields, tlvs } = pdu;
  // A lenient reader takes texts that are longer than their fields: those cannot be written.
  const written = orNull(() => encodePdu(command, sequence, fields, { status, tlvs }));
  if (written === null) return;
  const again = decodePdu(written);
  hold(again.command === command, 'another command');
  same(again.sequence, sequence, 'the sequence');
  same(again.status, status, 'the status');
  for (const [name, value] of Object.entries(fields))
    same(textOf(Reflect.get(again.fields, name)), textOf(value), name);
  same(again.tlvs.size, tlvs.size, 'the number of parameters');
  for (const [tag, value] of tlvs) same(textOf(again.tlvs.get(tag)), textOf(value), `the parameter ${tag}`);
}

const textOf = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('hex') : String(value));

/** Null where a body does not fit its fields, which both ways say by a RangeError. */
function orNull<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const RECEIPT =
  'id:0123456789 sub:001 dlvrd:001 submit date:2605281200 done date:2605281201 stat:UNDELIV err:045 text:Hello';
const DELIVERY = { source_addr: '12025550100', destination_addr: 'ACME', esm_class: 4 };

const pdus: readonly Buffer[] = [
  encodePdu('enquire_link', 7),
  encodePdu('submit_sm_resp', 8, { message_id: '00ab12' }),
  encodePdu('generic_nack', 9, {}, { status: 3 }),
  encodePdu('deliver_sm', 10, { ...DELIVERY, short_message: Buffer.from(RECEIPT) }),
  encodePdu('data_sm', 11, DELIVERY, { tlvs: new Map([[TAGS.message_payload, Buffer.from(RECEIPT)]]) }),
  encodePdu('bind_transceiver', 12, { system_id: 'me', password: 'secret' }),
];

/** The first byte says in how many pieces the rest comes. */
export const smppFramer: FuzzTarget = {
  name: 'smpp-framer',
  tokens: Object.values(COMMANDS).map(([id]) =>
    String.fromCharCode(id >>> 24, (id >> 16) & 255, (id >> 8) & 255, id & 255),
  ),
  seeds: pdus.map((pdu, at) => Buffer.concat([Buffer.of(at), pdu, pdus[(at + 1) % pdus.length] ?? pdu])),
  run: input => {
    const stream = input.subarray(1);
    const step = 1 + (input[0] ?? 0);
    const pieces = Array.from({ length: Math.ceil(stream.length / step) }, (_unused, at) =>
      stream.subarray(at * step, (at + 1) * step),
    );
    const whole = frame([stream]);
    const cut = frame(pieces);
    same(cut.isBroken, whole.isBroken, 'whether the stream is broken');
    const taken = Buffer.concat(whole.pdus);
    hold(Buffer.concat(cut.pdus).equals(taken) && cut.pdus.length === whole.pdus.length, 'other PDUs from pieces');
    hold(stream.subarray(0, taken.length).equals(taken), 'PDUs that are not the stream');
    for (const pdu of whole.pdus) {
      same(pdu.readUInt32BE(0), pdu.length, 'the length of a PDU');
      hold(pdu.length >= HEAD_BYTES && pdu.length <= PDU_BYTES_MAX, 'a PDU out of bounds');
      holdRoundTrip(pdu);
    }
  },
};

const IDS = ['same', 'hexToDec', 'decToHex'] as const;

/** A PDU of a receipt around a body. */
function deliveryOf(body: Buffer, command: 'deliver_sm' | 'data_sm'): Pdu<'deliver_sm'> | Pdu<'data_sm'> | null {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES + body.length, 0);
  head.writeUInt32BE(COMMANDS[command][0], 4);
  const pdu = orNull(() => decodePdu(Buffer.concat([head, body])));
  if (pdu?.command === 'deliver_sm') return pdu as Pdu<'deliver_sm'>;
  return pdu?.command === 'data_sm' ? (pdu as Pdu<'data_sm'>) : null;
}

/** The first byte says how ids are written and which command it is; the rest is its body. */
export const smppReceipt: FuzzTarget = {
  name: 'smpp-receipt',
  tokens: [
    'id:',
    ' stat:',
    ' err:',
    ' text:',
    'DELIVRD',
    'UNDELIV',
    'EXPIRED',
    'ACCEPTD',
    '000',
    '0x',
    '\x00\x1e\x00\x04',
    '\x04\x27\x00\x01',
    '\x04\x23\x00\x03',
    '\x04\x24\x00\x20',
  ],
  seeds: [
    ...pdus.slice(3, 5),
    encodePdu('deliver_sm', 1, DELIVERY, {
      tlvs: new Map([
        [TAGS.receipted_message_id, Buffer.from('00AB\0')],
        [TAGS.message_state, Buffer.of(2)],
      ]),
    }),
  ].flatMap((pdu, at) =>
    [0, 1, 2].map(ids => Buffer.concat([Buffer.of(ids + 3 * (at === 1 ? 1 : 0)), pdu.subarray(HEAD_BYTES)])),
  ),
  run: input => {
    const [mode = 0] = input;
    const delivery = deliveryOf(input.subarray(1), Math.floor(mode / 3) % 2 === 0 ? 'deliver_sm' : 'data_sm');
    const ids = IDS[mode % 3] ?? 'same';
    const report = delivery && readReceipt(delivery, ids);
    if (!report) return;
    const { providerMessageId: id } = report;
    holdReport(report, { errorCode: 128 });
    // 128 digits of hex are 155 of decimal.
    hold(id.length <= 155, `an id of ${id.length} characters`);
    same(plainId(id), id, 'the plain form of a plain id');
  },
};

const WRITTEN = { source_addr: '12025550100', destination_addr: 'ACME' };

/** The body of a `deliver_sm` that a person wrote. */
export const smppInbound: FuzzTarget = {
  name: 'smpp-inbound',
  tokens: [
    '\x05\x00\x03\x07\x02\x01',
    '\x06\x08\x04\x00\x07\x02\x01',
    '\x02\x0c\x00\x02',
    '\x02\x0e\x00\x01\x02',
    '\x02\x0f\x00\x01\x01',
    '\xf5',
    '\x18',
    'id:1 stat:DELIVRD',
  ],
  seeds: [
    encodePdu('deliver_sm', 1, { ...WRITTEN, short_message: Buffer.from('Hello') }),
    encodePdu('deliver_sm', 1, {
      ...WRITTEN,
      esm_class: 0x40,
      data_coding: 8,
      short_message: Buffer.from('050003070201d83dde00', 'hex'),
    }),
    encodePdu('deliver_sm', 1, WRITTEN, { tlvs: new Map([[TAGS.message_payload, Buffer.from('Hello')]]) }),
  ].map(pdu => pdu.subarray(HEAD_BYTES)),
  run: input => {
    const delivery = deliveryOf(input, 'deliver_sm');
    const message = delivery && readInbound(delivery);
    if (message) holdInbound(message);
  },
};

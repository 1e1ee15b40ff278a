import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMMANDS, type Command, PDU_BYTES_MAX, TAGS } from '../../../../src/channels/smpp/codec/commands.ts';
import { Framer, FramingError } from '../../../../src/channels/smpp/codec/framing.ts';
import { decodePdu, encodePdu } from '../../../../src/channels/smpp/codec/pdu.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';

const names = Object.keys(COMMANDS) as Command[];

/** A text without NUL, of the characters that a byte has. */
const cstring = (bytes: number) =>
  fc.string({ unit: fc.integer({ min: 1, max: 255 }).map(code => String.fromCharCode(code)), maxLength: bytes - 1 });
const binary = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' }).map(bytes => Buffer.from(bytes));

/** Any PDU of a command, with every field given. */
const pduOf = (command: Command) =>
  fc.record({
    command: fc.constant(command),
    sequence: fc.integer({ min: 1, max: 0x7fffffff }),
    status: fc.integer({ min: 0, max: 0xffffffff }),
    fields: fc.record(
      Object.fromEntries(
        Object.entries(COMMANDS[command][1]).map(([name, kind]) => [
          name,
          kind === 'u8' ? fc.integer({ min: 0, max: 255 }) : kind === 'message' ? binary(254) : cstring(kind),
        ]),
      ),
    ),
    tlvs: fc
      .array(fc.tuple(fc.integer({ min: 0, max: 0xffff }), binary(300)), { maxLength: 4 })
      .map(entries => new Map(entries)),
  });
const anyPdu = fc.constantFrom(...names).chain(pduOf);
type AnyPdu = typeof anyPdu extends fc.Arbitrary<infer Value> ? Value : never;
const encode = ({ command, sequence, status, fields, tlvs }: AnyPdu) =>
  encodePdu(command, sequence, fields, { status, tlvs });

/** Cuts a stream as a network may. */
const cutAt = (stream: Buffer, places: readonly number[]): Buffer[] => {
  const cuts = [...new Set([0, ...places.map(place => place % (stream.length + 1)), stream.length])].sort(
    (a, b) => a - b,
  );
  return cuts.slice(1).map((end, index) => stream.subarray(cuts[index], end));
};

function framesOf(pieces: readonly Buffer[]): Buffer[] {
  const framer = new Framer();
  const frames: Buffer[] = [];
  for (const piece of pieces) framer.push(piece, pdu => frames.push(Buffer.from(pdu)));
  return frames;
}

describe('a PDU', () => {
  test('is read as it was written', () => {
    assertProperty(
      fc.property(anyPdu, pdu => {
        expect(decodePdu(encode(pdu))).toEqual(pdu);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('has the bytes of the specification', () => {
    // SMPP 3.4 §3.2.2, the example of a bind_transmitter.
    const example =
      '0000002f000000020000000000000001' + '534d50503354455354007365637265743038005355424d4954310050010100';
    const fields = {
      system_id: 'SMPP3TEST',
      password: 'secret08',
      system_type: 'SUBMIT1',
      interface_version: 0x50,
      addr_ton: 1,
      addr_npi: 1,
    };
    expect(encodePdu('bind_transmitter', 1, fields).toString('hex')).toBe(example);
  });

  test.each([
    ['a text that is too long', { password: 'a'.repeat(9) }],
    ['a NUL in a text', { password: 'a\0b' }],
    ['a character that is no byte', { password: '€' }],
  ])('is not written with %s', (_what, fields) => {
    expect(() => encodePdu('bind_transceiver', 1, fields)).toThrow(RangeError);
  });

  test('is not written with a message that is too long', () => {
    expect(() => encodePdu('submit_sm', 1, { short_message: Buffer.alloc(255) })).toThrow(RangeError);
  });

  test('is read where an answer leaves out its body, or its NUL', () => {
    const whole = encodePdu('submit_sm_resp', 7, { message_id: 'abc' });
    expect(decodePdu(whole.subarray(0, 16))).toMatchObject({ command: 'submit_sm_resp', fields: {} });
    expect(decodePdu(whole.subarray(0, -1))).toMatchObject({
      command: 'submit_sm_resp',
      fields: { message_id: 'abc' },
    });
  });

  test('is read without a parameter that is cut off', () => {
    const whole = encodePdu('deliver_sm', 7, {}, { tlvs: new Map([[TAGS.message_state, Buffer.of(2)]]) });
    expect(decodePdu(whole.subarray(0, -1))).toMatchObject({ command: 'deliver_sm', tlvs: new Map() });
  });

  test('whose command is not known says its number', () => {
    const pdu = encodePdu('enquire_link', 9);
    pdu.writeUInt32BE(0x0102, 4);
    expect(decodePdu(pdu)).toEqual({ command: null, id: 0x0102, sequence: 9 });
  });

  test('of any bytes is read, or refused in order', () => {
    assertProperty(
      fc.property(fc.constantFrom(...names), binary(200), (command, body) => {
        const pdu = Buffer.concat([encodePdu(command, 1).subarray(0, 16), body]);
        try {
          expect(decodePdu(pdu).command).toBe(command);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe('the framing', () => {
  test('finds each PDU however the stream is cut', () => {
    assertProperty(
      fc.property(fc.array(anyPdu, { maxLength: 6 }), fc.array(fc.nat(10_000), { maxLength: 20 }), (pdus, places) => {
        const expected = pdus.map(encode);
        expect(framesOf(cutAt(Buffer.concat(expected), places))).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  test('finds each PDU one byte at a time', () => {
    const expected = [encodePdu('enquire_link', 1), encodePdu('submit_sm_resp', 2, { message_id: 'abc' })];
    expect(framesOf([...Buffer.concat(expected)].map(byte => Buffer.of(byte)))).toEqual(expected);
  });

  test.each([0, 2, 15, PDU_BYTES_MAX + 1, 0xffffffff])('refuses a length of %i', length => {
    const stream = Buffer.alloc(64);
    stream.writeUInt32BE(length, 0);
    expect(() => framesOf([stream])).toThrow(FramingError);
    expect(() => framesOf([...stream].map(byte => Buffer.of(byte)))).toThrow(FramingError);
  });

  test('hands over what was whole before the garbage', () => {
    const good = encodePdu('submit_sm_resp', 2, { message_id: 'abc' });
    const frames: string[] = [];
    const push = () =>
      new Framer().push(Buffer.concat([good, Buffer.from('GET / HTTP/1.1')]), pdu => frames.push(pdu.toString('hex')));
    expect(push).toThrow(FramingError);
    expect(frames).toEqual([good.toString('hex')]);
  });
});

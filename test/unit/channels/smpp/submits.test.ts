import fc from 'fast-check';
import splitSms from 'split-sms';
import { describe, expect, test } from 'vitest';
import type { SendRequest } from '../../../../src/channels/contract.ts';
import { TAGS } from '../../../../src/channels/smpp/codec/commands.ts';
import { encodePdu } from '../../../../src/channels/smpp/codec/pdu.ts';
import type { LongMessages } from '../../../../src/channels/smpp/config.ts';
import { isAddress, type Submit, submitsOf } from '../../../../src/channels/smpp/submits.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';

const REFERENCE = 0x1234;

const request = (given: Partial<SendRequest>): SendRequest => ({
  attemptId: 'att_1',
  accountId: 'acc_1',
  channel: 'sms',
  to: '4917012345678',
  from: 'ACME',
  text: 'Hello',
  template: null,
  validitySeconds: null,
  tryNumber: 1,
  ...given,
});
const submits = (text: string, longMessages: LongMessages = 'udh8'): Submit[] =>
  submitsOf(request({ text }), longMessages, REFERENCE);
const messageOf = ({ fields }: Submit): Buffer => fields.short_message ?? Buffer.alloc(0);
const only = (given: Partial<SendRequest>): Submit['fields'] => submitsOf(request(given), 'udh8', REFERENCE)[0].fields;

/** A text that is rich in what must not be cut: of the extension's characters, or of pairs. */
const richText = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '@', 'é', '€', '[', '\\', '~'), maxLength: 700, size: 'max' }),
  fc.string({ unit: fc.constantFrom('a', '€', 'я', '中', '😀', '🎉', '𝒳'), maxLength: 400, size: 'max' }),
);

describe('a short text', () => {
  // Bytes that Kannel sends for the same texts.
  test.each([
    ['@ €', 0, '00201b65'],
    ['Ж😀', 8, '0416d83dde00'],
  ])('%j has the bytes of the field', (text, dataCoding, hex) => {
    const [submit, ...others] = submits(text);
    expect(others).toEqual([]);
    expect(submit?.fields.data_coding).toBe(dataCoding);
    expect(messageOf(submit as Submit).toString('hex')).toBe(hex);
  });

  test('has each character of the alphabet at its place', () => {
    const alphabet =
      '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
      '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
    const places = [...Array(128).keys()].filter(place => place !== 0x1b);
    expect([...messageOf(submits(alphabet)[0] as Submit)]).toEqual(places);
    expect(messageOf(submits('\f^{}\\[~]|€')[0] as Submit).toString('hex')).toBe(
      '1b0a1b141b281b291b2f1b3c1b3d1b3e1b401b65',
    );
  });

  test.each(['ç', '`', '\t', '“', '\u00a0', '\u001b'])('with %j is UCS-2', text => {
    expect(submits(text)[0]?.fields.data_coding).toBe(8);
  });
});

describe('a long text', () => {
  test('is cut as Kannel cuts it', () => {
    const parts = submits(`${'a'.repeat(152)}€${'a'.repeat(152)}`);
    expect(parts.map(part => messageOf(part).length)).toEqual([158, 159, 7]);
    expect(parts.map(part => messageOf(part).subarray(0, 6).toString('hex'))).toEqual([
      '050003340301',
      '050003340302',
      '050003340303',
    ]);
    expect(parts.map(({ fields }) => fields.esm_class)).toEqual([0x40, 0x40, 0x40]);
    expect(
      messageOf(parts[1] as Submit)
        .subarray(6, 8)
        .toString('hex'),
    ).toBe('1b65');
  });

  test('has a reference of 16 bits by udh16, and a septet or a unit less', () => {
    const gsm = submits('a'.repeat(305), 'udh16');
    expect(gsm.map(part => messageOf(part).length)).toEqual([7 + 152, 7 + 152, 7 + 1]);
    expect(
      messageOf(gsm[0] as Submit)
        .subarray(0, 7)
        .toString('hex'),
    ).toBe('06080412340301');
    expect(submits('я'.repeat(133), 'udh16').map(part => messageOf(part).length)).toEqual([7 + 132, 7 + 132, 7 + 2]);
  });

  test('has its place in parameters by sar', () => {
    const parts = submits('a'.repeat(307), 'sar');
    expect(parts.map(part => messageOf(part).length)).toEqual([153, 153, 1]);
    expect(parts.map(({ fields }) => fields.esm_class ?? 0)).toEqual([0, 0, 0]);
    expect(parts.map(({ tlvs }) => [...tlvs].map(([tag, value]) => [tag, value.toString('hex')]))).toEqual(
      ['01', '02', '03'].map(number => [
        [TAGS.sar_msg_ref_num, '1234'],
        [TAGS.sar_total_segments, '03'],
        [TAGS.sar_segment_seqnum, number],
      ]),
    );
  });

  test('is whole by payload', () => {
    const [submit, ...others] = submits(`${'я'.repeat(400)}`, 'payload');
    expect(others).toEqual([]);
    expect(submit?.fields.short_message).toEqual(Buffer.alloc(0));
    expect(submit?.tlvs.get(TAGS.message_payload)).toEqual(Buffer.from('я'.repeat(400), 'utf16le').swap16());
  });

  test.each(['udh8', 'sar'] as const)('by %s has as many parts as split-sms says, and no pair is cut', longMessages => {
    assertProperty(
      fc.property(richText, text => {
        const parts = submits(text, longMessages);
        expect(parts).toHaveLength(splitSms.split(text).parts.length);
        const bodies = parts.map(part => messageOf(part).subarray(part.fields.esm_class === 0x40 ? 6 : 0));
        for (const [index, body] of bodies.entries()) {
          const isWide = parts[index]?.fields.data_coding === 8;
          expect(body.length).toBeLessThanOrEqual(parts.length === 1 ? (isWide ? 140 : 160) : isWide ? 134 : 153);
          if (isWide) expect(body.toString('hex')).not.toMatch(/^(....)*d[89ab]..$/);
          else expect(body.at(-1)).not.toBe(0x1b);
        }
        expect(Buffer.concat(bodies)).toEqual(wholeOf(text));
      }),
      { numRuns: rounds({ usual: 1_000, long: 5_000 }) },
    );
  });

  test.each(['udh8', 'udh16', 'sar', 'payload'] as const)('by %s always fits into PDUs', longMessages => {
    assertProperty(
      fc.property(fc.string({ unit: 'binary', maxLength: 1_600, size: 'max' }), text => {
        for (const { fields, tlvs } of submits(text, longMessages))
          expect(encodePdu('submit_sm', 1, fields, { tlvs }).length).toBeGreaterThan(16);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('the addresses', () => {
  test.each([
    ['ACME', 5, 0, 'ACME'],
    ['4915112345678', 1, 1, '4915112345678'],
    ['+4915112345678', 1, 1, '4915112345678'],
    ['12345', 3, 0, '12345'],
    ['123', 3, 0, '123'],
    ['12345678', 3, 0, '12345678'],
    ['123456789', 1, 1, '123456789'],
    ['24-7', 5, 0, '24-7'],
  ])('of the sender %s', (from, ton, npi, address) => {
    expect(only({ from })).toMatchObject({ source_addr_ton: ton, source_addr_npi: npi, source_addr: address });
  });

  test('of the recipient are international', () => {
    expect(only({})).toMatchObject({ dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '4917012345678' });
  });

  test.each([
    ['ACME', true],
    ['a'.repeat(20), true],
    ['a'.repeat(21), false],
    ['', false],
    ['Müller', false],
    ['a\0', false],
  ])('%j can be carried: %j', (address, expected) => {
    expect(isAddress(address)).toBe(expected);
  });
});

describe('the validity', () => {
  test.each([
    [null, ''],
    [600, '000000001000000R'],
    [0.4, '000000000001000R'],
    [59.9, '000000000059000R'],
    [3_661, '000000010101000R'],
    [90_000, '000001010000000R'],
    [1e9, '000030000000000R'],
  ])('of %j seconds', (validitySeconds, expected) => {
    expect(only({ validitySeconds }).validity_period).toBe(expected);
  });

  test('comes with a receipt asked for', () => {
    expect(only({}).registered_delivery).toBe(1);
  });
});

/** The bytes of a whole text, by the other way to write them: split-sms says which encoding it is, a table here the rest. */
function wholeOf(text: string): Buffer {
  if (splitSms.split(text).characterSet === 'Unicode') return Buffer.from(text, 'utf16le').swap16();
  const codes: Readonly<Record<string, string>> = {
    '@': '00',
    é: '05',
    '€': '1b65',
    '[': '1b3c',
    '\\': '1b2f',
    '~': '1b3d',
  };
  return Buffer.from([...text].map(one => codes[one] ?? one.charCodeAt(0).toString(16)).join(''), 'hex');
}

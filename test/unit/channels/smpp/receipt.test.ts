import { describe, expect, test } from 'vitest';
import { TAGS } from '../../../../src/channels/smpp/codec/commands.ts';
import type { ReceiptIds } from '../../../../src/channels/smpp/config.ts';
import { type Delivery, plainId, readReceipt } from '../../../../src/channels/smpp/receipt.ts';

interface Given {
  readonly text?: string;
  readonly esmClass?: number;
  readonly tlvs?: readonly (readonly [number, Buffer])[];
  readonly receiptIds?: ReceiptIds;
}

const delivery = ({ text = '', esmClass = 4, tlvs = [] }: Given): Delivery => ({
  command: 'deliver_sm',
  status: 0,
  sequence: 1,
  fields: { esm_class: esmClass, short_message: Buffer.from(text, 'latin1') },
  tlvs: new Map(tlvs),
});
const read = (given: Given) => readReceipt(delivery(given), given.receiptIds ?? 'same');

const WHOLE = 'id:0012AB sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:DELIVRD err:000 text:Hello';
const DELIVERED = { providerMessageId: '12ab', status: 'delivered', errorCode: null, errorMessage: null };
const id = (value: string) => [TAGS.receipted_message_id, Buffer.from(value)] as const;
const state = (value: number) => [TAGS.message_state, Buffer.of(value)] as const;

describe('a receipt', () => {
  test.each<[string, Given]>([
    ['by its text', { text: WHOLE }],
    ['in capitals', { text: WHOLE.toUpperCase() }],
    ['in another order', { text: 'stat:DELIVRD err:000 id:12ab' }],
    ['with blanks behind its keys', { text: 'id: 12AB stat: DELIVRD' }],
    ['with a NUL behind its text', { text: 'stat:DELIVRD id:12ab\0' }],
    ['by its parameters', { tlvs: [id('12ab'), state(2)] }],
    ['with NULs behind a parameter', { tlvs: [id('12ab\0\0'), state(2)] }],
    ['by its parameters alone, without its type', { esmClass: 0, tlvs: [id('12ab'), state(2)] }],
    ['whose parameters differ from its text', { text: 'id:999 stat:UNDELIV', tlvs: [id('12ab'), state(2)] }],
    ['with its id in a parameter and its status in the text', { text: 'id:999 stat:DELIVRD', tlvs: [id('12ab')] }],
    ['with a status that has no number', { text: 'stat:DELIVRD', tlvs: [id('12ab'), state(99)] }],
    ['in the payload', { tlvs: [[TAGS.message_payload, Buffer.from(WHOLE)]] }],
    ['with more bits in its type', { esmClass: 0x04 | 0x40, text: WHOLE }],
  ])('is read %s', (_how, given) => {
    expect(read(given)).toEqual(DELIVERED);
  });

  test.each<[string, Given]>([
    ['a text of a phone', { esmClass: 0, text: WHOLE }],
    ['an intermediate notification', { esmClass: 0x20, text: WHOLE }],
    ['an acknowledgement of a phone', { esmClass: 0x08, text: WHOLE }],
    ['a receipt that names no message', { text: 'stat:DELIVRD err:000' }],
    ['a receipt without a status', { text: 'id:12ab err:000' }],
    ['a receipt of nothing', {}],
    ['a status inside the repeated text', { text: 'id:12ab text:stat:DELIVRD stat:DELIVRD' }],
    ['a status of one before the last', { text: 'id:12ab stat:ENROUTE' }],
    ['a status that is not known', { text: 'id:12ab stat:UNKNOWN' }],
  ])('is not %s', (_what, given) => {
    expect(read(given)).toBeNull();
  });

  test.each([
    ['DELIVRD', 2, 'delivered', null],
    ['ACCEPTD', 6, 'sent', null],
    ['EXPIRED', 3, 'expired', '017'],
    ['UNDELIV', 5, 'failed', '017'],
    ['REJECTD', 8, 'failed', '017'],
    ['DELETED', 4, 'failed', '017'],
    ['SKIPPED', 9, 'failed', '017'],
    ['SCHEDULED', 0, null, null],
    ['ENROUTE', 1, null, null],
    ['UNKNOWN', 7, null, null],
  ])('of %s, or of the state %i, is %s', (stat, number, status, errorCode) => {
    const expected = status === null ? null : { status, errorCode };
    const byText = read({ text: `id:1 stat:${stat} err:017` });
    const byState = read({ text: 'err:017', tlvs: [id('1'), state(number)] });
    for (const report of [byText, byState])
      expect(report && { status: report.status, errorCode: report.errorCode }).toEqual(expected);
  });

  test.each([
    [
      'the code of a parameter',
      'id:1 stat:UNDELIV err:017',
      [[TAGS.network_error_code, Buffer.of(3, 0x01, 0x02)]],
      '258',
    ],
    ['the code of the text', 'id:1 stat:UNDELIV err:0A7', [], '0A7'],
    [
      'the code of the text beside an empty parameter',
      'id:1 stat:UNDELIV err:17',
      [[TAGS.network_error_code, Buffer.of(3, 0, 0)]],
      '17',
    ],
    ['its status, where the code says nothing', 'id:1 stat:UNDELIV err:000', [], 'undeliv'],
    ['its status, where the text is repeated', 'id:1 stat:UNDELIV text:Dear Ada, your parcel err:is', [], 'undeliv'],
    ['its status, where the code is none', 'id:1 stat:UNDELIV err:Dear,Ada', [], 'undeliv'],
    ['its status, where the code is too long', `id:1 stat:UNDELIV err:${'x'.repeat(65)}`, [], 'undeliv'],
    ['its status, where there is no code', 'id:1 stat:UNDELIV', [], 'undeliv'],
  ] as const)('has as its code %s', (_what, text, tlvs, expected) => {
    expect(read({ text, tlvs })).toMatchObject({ errorCode: expected, errorMessage: 'The SMSC reports UNDELIV.' });
  });

  // The id in the answer to the submit, and the id in the receipt.
  test.each([
    ['same', '00AB12', 'ab12'],
    ['same', '0', '000'],
    ['hexToDec', '3B9ACA07', '1000000007'],
    ['hexToDec', '10', '0016'],
    ['hexToDec', 'not-a-number', 'NOT-A-NUMBER'],
    ['hexToDec', 'FFFFFFFFFFFFFFFF', '18446744073709551615'],
    ['decToHex', '1000000007', '3b9aca07'],
    ['decToHex', '255', '0xFF'],
    ['decToHex', 'x-1', 'X-1'],
  ] as const)('by %s with the id of the answer %s is one with %s', (receiptIds, answered, received) => {
    const report = read({ text: `id:${received} stat:DELIVRD`, receiptIds });
    expect(report?.providerMessageId).toBe(plainId(answered));
  });

  test('with an id without end is cut as the answer is', () => {
    const long = 'a'.repeat(60_000);
    expect(read({ tlvs: [id(long), state(2)] })?.providerMessageId).toBe(plainId(long));
    expect(plainId(long)).toHaveLength(128);
  });
});

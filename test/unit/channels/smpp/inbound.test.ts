import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TAGS } from '../../../../src/channels/smpp/codec/commands.ts';
import { readInbound } from '../../../../src/channels/smpp/inbound.ts';
import type { Delivery } from '../../../../src/channels/smpp/receipt.ts';
import { submitsOf } from '../../../../src/channels/smpp/submits.ts';
import { requestTo } from '../../../support/providers/http-peer.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';

type Fields = Partial<Extract<Delivery, { command: 'deliver_sm' }>['fields']>;

/** A delivery of an SMSC. */
function delivery(fields: Fields, tlvs: Delivery['tlvs'] = new Map()): Delivery {
  const from = { source_addr: '12025550142', destination_addr: 'ACME', ...fields };
  return { command: 'deliver_sm', status: 0, sequence: 1, fields: from, tlvs } as Delivery;
}

const hex = (bytes: string): Buffer => Buffer.from(bytes.replaceAll(' ', ''), 'hex');

const text = fc.string({ minLength: 1, maxLength: 700, unit: fc.constantFrom(...'aé€ {}\n@', '👍', 'Ж') });

describe('what people write by an SMSC', () => {
  test.each(['udh8', 'udh16', 'sar', 'payload'] as const)('is read as %s writes it, part by part', longMessages => {
    const property = fc.property(text, fc.nat(255), (written, reference) => {
      const submits = submitsOf(requestTo('12025550142', { text: written }), longMessages, reference);
      const read = submits.map(({ fields, tlvs }) =>
        readInbound(delivery({ ...fields, esm_class: fields.esm_class ?? 0 }, tlvs)),
      );
      expect(read.map(message => message?.text).join('')).toBe(written);
      const numbers = read.map(message => message?.part?.number);
      expect(numbers).toEqual(submits.length === 1 ? [undefined] : submits.map((_submit, index) => index + 1));
      expect(new Set(read.map(message => message?.part?.reference)).size).toBe(1);
    });
    assertProperty(property);
  });

  test.each([
    ['GSM 7', 0x00, '1b65 00 02 1b1b', '€@$\u001b'],
    ['Latin-1', 0x03, 'e9', 'é'],
    ['UCS-2', 0x08, '0416 d83ddc4d', 'Ж👍'],
    ['UCS-2 with half a unit', 0x08, '041600', 'Ж'],
    ['UCS-2 of a class', 0x18, '0416', 'Ж'],
    ['GSM 7 of a class', 0xf1, '41', 'A'],
    ['bytes of a class', 0xf5, '41', null],
    ['bytes', 0x04, '41', null],
  ])('is read in %s', (_name, dataCoding, bytes, written) => {
    const read = readInbound(delivery({ data_coding: dataCoding, short_message: hex(bytes) }));
    expect(read).toMatchObject({ text: written, type: written === null ? 'binary' : 'text' });
  });

  test('has its part behind other elements of a header', () => {
    const message = hex('0b 0504 0b84 0b84 0003 2a 02 01 41');
    expect(readInbound(delivery({ esm_class: 0x40, short_message: message }))).toMatchObject({
      text: 'A',
      part: { reference: 'udh8:42', total: 2, number: 1 },
    });
  });

  test.each([
    [
      'id:77 sub:001 dlvrd:001 submit date:2611251742 done date:2611251742 stat:DELIVRD err:000 text:482915 is your code',
      null,
    ],
    ['ID:77 Stat:UNDELIV', null],
    ['id: what is the stat of my order?', 'id: what is the stat of my order?'],
    ['My id:77 has stat:DELIVRD', 'My id:77 has stat:DELIVRD'],
  ])('is no receipt that says so by its text alone: %s', (written, read) => {
    const message = readInbound(
      delivery({ esm_class: 0, data_coding: 3, short_message: Buffer.from(written, 'latin1') }),
    );
    expect(message?.text ?? null).toBe(read);
  });

  test.each([
    ['a receipt', { esm_class: 0x04 }, new Map()],
    ['an intermediate notification', { esm_class: 0x20 }, new Map()],
    ['what names a message', { esm_class: 0 }, new Map([[TAGS.receipted_message_id, Buffer.from('7\0')]])],
  ])('is not %s', (_name, fields, tlvs) => {
    expect(readInbound(delivery(fields, tlvs))).toBeNull();
  });

  test('may be any bytes', () => {
    const property = fc.property(
      fc.nat(255),
      fc.nat(255),
      fc.uint8Array({ maxLength: 200 }),
      (esmClass, coding, bytes) => {
        const read = readInbound(
          delivery({ esm_class: esmClass, data_coding: coding, short_message: Buffer.from(bytes) }),
        );
        const { total = 2, number = 1 } = read?.part ?? {};
        expect(number >= 1 && number <= total && total <= 255).toBe(true);
      },
    );
    assertProperty(property, { numRuns: runs(500) });
  });
});

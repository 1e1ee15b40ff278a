import { describe, expect, test } from 'vitest';
import { formsOf, quotedPattern, speltPattern } from '../../../src/modules/recipients/spellings.policy.ts';

// PostgreSQL and JavaScript read these alike.
const isSpelt = (text: string): boolean => new RegExp(speltPattern(['12025550100', 'US.a+b'])).test(text);

const wamid = (number: string, before: string): string =>
  `wamid.${Buffer.from(`${before}${number}\x15\x02\xff\xfe`).toString('base64')}`;

describe('the spellings of a recipient', () => {
  test.each([
    '12025550100',
    '+12025550100',
    'For 12025550100.',
    '+1 (202) 555-0100',
    '1.202.555.0100',
    'order-12025550100',
    '12025550100_1.0',
    Buffer.from('12025550100').toString('hex'),
    wamid('12025550100', ''),
    wamid('12025550100', 'a'),
    wamid('12025550100', 'ab'),
    wamid('12025550100', '\x1a\x05\x0b'),
    'to US.a+b',
  ])('are found in %j', text => {
    expect(isSpelt(text)).toBe(true);
  });

  test.each([
    '12025550101',
    '912025550100',
    '120255501001',
    '{"credits": 12025550100}',
    wamid('12025550101', '\x1a\x05\x0b'),
    wamid('12025550101', 'a'),
    wamid('22025550100', 'ab'),
    'USxa+b',
  ])('are not found in %j', text => {
    expect(isSpelt(text)).toBe(false);
  });

  test.each([
    ['5511988887777', '551188887777@s.whatsapp.net'],
    ['551188887777', '+55 11 98888-7777'],
    ['525512345678', wamid('5215512345678', '')],
    ['5215512345678', '+52 55 1234 5678'],
  ])('of %s are found in the form that WhatsApp keeps, %s', (address, text) => {
    expect(new RegExp(speltPattern(formsOf(address))).test(text)).toBe(true);
  });

  test.each(['123456789012345@lid', '123456789012345_reverse', '123456789012345_1.0'])(
    'of a LID are found in %s',
    text => {
      const spelt = (address: string) => new RegExp(speltPattern([address]));
      expect(spelt('123456789012345@lid').test(text)).toBe(true);
      expect(spelt('23456789012345@lid').test(text)).toBe(false);
    },
  );

  test('of a mobile in Brazil are no landline', () => {
    expect(formsOf('5511933334444')).toEqual(['5511933334444']);
  });

  test('are found in JSON as the texts that they are', () => {
    const quoted = new RegExp(quotedPattern(['12025550100']));
    expect(quoted.test('{"to":"+12025550100"}')).toBe(true);
    expect(quoted.test('{"to":"x12025550100"}')).toBe(false);
  });
});

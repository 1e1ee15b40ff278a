import fc from 'fast-check';
import google from 'google-libphonenumber';
import { type CountryCode, getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { maskPhone, parsePhone, requirePhone } from '../../../src/kernel/phone.ts';
import { measureCpu } from '../../support/measure-cpu.ts';
import { assertProperty, runs } from '../../support/runner/properties.ts';

const oracle = google.PhoneNumberUtil.getInstance();

/** How Google's library reads `+digits`: the digits of a possible number, else null. */
function googleDigits(digits: string): string | null {
  try {
    const number = oracle.parse(`+${digits}`);
    const reason = oracle.isPossibleNumberWithReason(number);
    if (reason !== google.PhoneNumberUtil.ValidationResult.IS_POSSIBLE) return null;
    return oracle.format(number, google.PhoneNumberFormat.E164).slice(1);
  } catch {
    return null;
  }
}

const exampleDigits = getCountries().flatMap(country => {
  const example = getExampleNumber(country, examples);
  return example === undefined ? [] : [{ country, digits: example.number.slice(1) }];
});

/** An example with its tail replaced, cut or lengthened. */
function likeExampleOf(examples: readonly (typeof exampleDigits)[number][]) {
  return fc
    .tuple(fc.constantFrom(...examples), fc.nat(12), fc.stringMatching(/^[0-9]{0,9}$/))
    .map(([{ country, digits }, kept, tail]) => {
      const calling = getCountryCallingCode(country);
      return digits.slice(0, calling.length + kept) + tail;
    });
}

const likeExample = likeExampleOf(exampleDigits);

/** Countries of every continent with their own calling code or the leading place in a shared one. */
const ORACLE_COUNTRIES =
  'US BR AR MX CO CL PE DE AT CH FR IT ES NL BE SE PL GB TR UA RU IN CN JP KR ID VN PH TH SG AU NZ ZA NG KE EG IL SA AE'.split(
    ' ',
  );
const likeOracleExample = likeExampleOf(exampleDigits.filter(({ country }) => ORACLE_COUNTRIES.includes(country)));

/** All members of a number that is read: some are found when they are asked for. */
function membersOf(written: string): object {
  const { digits, country, type } = requirePhone('to', written);
  return { digits, country, type };
}

describe('parsePhone', () => {
  test.each([
    ['+12025550100', '12025550100'],
    ['12025550100', '12025550100'],
    ['0012025550100', '12025550100'],
    ['00 1 202 555 0100', '12025550100'],
    ['+1 (202) 555-0100', '12025550100'],
    ['(+1) 202.555.0100', '12025550100'],
    [' +1\u00a0202\u2011555\u20110100 ', '12025550100'],
    ['\u202a+12025550100\u202c', '12025550100'],
    ['＋１２０２５５５０１００', '12025550100'],
    ['+١٢٠٢٥٥٥٠١٠٠', '12025550100'],
    ['+۱۲۰۲۵۵۵۰۱۰۰', '12025550100'],
    ['+49 (0)151 23456789', '4915123456789'],
    ['0049 (0) 151/23456789', '4915123456789'],
    ['+39 06 12345678', '390612345678'],
    ['+54 11 15 2345 6789', '5491123456789'],
  ])('reads %j', (written, digits) => {
    expect(parsePhone(written)?.digits).toBe(digits);
  });

  test.each(Array.from({ length: 9 }, (_, index) => `+1 202 555 010${index}`))('reads the magic number %s', written => {
    expect(membersOf(written)).toEqual({
      digits: written.replace(/\D/g, ''),
      country: 'US',
      type: 'FIXED_LINE_OR_MOBILE',
    });
  });

  test('tells country and type where the number does', () => {
    expect(membersOf('+4915123456789')).toEqual({ digits: '4915123456789', country: 'DE', type: 'MOBILE' });
  });

  test('leaves the country out of a number that belongs to none', () => {
    expect(membersOf('+80012345678')).toEqual({ digits: '80012345678', type: 'TOLL_FREE' });
  });

  test.each([
    ['nothing', ''],
    ['a lone plus', '+'],
    ['blanks', '   '],
    ['a national number', '0151 23456789'],
    ['a number that is too short', '+1202555010'],
    ['a number that is too long', '+120255501000'],
    ['a number longer than any can be dialled from abroad', '+819012345000000000'],
    ['a calling code of nobody', '+999123456789'],
    ['a plus before an exit code', '+0012025550100'],
    ['two pluses', '++12025550100'],
    ['a plus in the middle', '1202+5550100'],
    ['an extension by word', '+1 202 555 0100 ext 5'],
    ['an extension by x', '+12025550100x5'],
    ['an extension by #', '+12025550100#5'],
    ['an extension by commas', '+12025550100,,5'],
    ['an extension of a URI', '+12025550100;ext=5'],
    ['a phone context', '2025550100;phone-context=+1'],
    ['a URI', 'tel:+12025550100'],
    ['letters', '+1-800-FLOWERS'],
    ['a number in a sentence', 'call +12025550100'],
    ['two numbers', '+12025550100 / +12025550101'],
    ['digits of a script that it does not know', '+1202555010\u0966\u0967'],
    ['a NUL', '+12025550100\0'],
    ['digits that would be read as another number', '+97100854004'],
  ])('refuses %s', (_what, written) => {
    expect(parsePhone(written)).toBeNull();
  });

  test('refuses a text that is long beyond any number, at once', async () => {
    const { result, cpuMs } = await measureCpu(() => [`${' '.repeat(65_536)}x`, '1'.repeat(65_536)].map(parsePhone));
    expect(result).toEqual([null, null]);
    expect(cpuMs).toBeLessThan(1_000);
  });

  test.each(exampleDigits.map(({ country, digits }) => [country, digits] as [CountryCode, string]))(
    'reads the example of %s with and without plus or 00',
    (_country, digits) => {
      expect(parsePhone(digits)?.digits).toBe(digits);
      expect(parsePhone(`+${digits}`)?.digits).toBe(digits);
      expect(parsePhone(`00${digits}`)?.digits).toBe(digits);
    },
  );

  test('gives digits that are read as themselves', () => {
    assertProperty(
      fc.property(fc.oneof(likeExample, fc.stringMatching(/^\+?[0-9 ()-]{5,20}$/)), written => {
        const number = parsePhone(written);
        if (number === null) return;
        expect(number.digits).toMatch(/^[1-9][0-9]{4,14}$/);
        expect(parsePhone(number.digits)).toEqual(number);
        expect(parsePhone(`+${number.digits}`)).toEqual(number);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('never throws', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), text => {
        const number = parsePhone(text);
        expect(number === null || /^[0-9]+$/.test(number.digits)).toBe(true);
      }),
    );
  });

  test('calls possible what Google’s library does, as the same number', () => {
    assertProperty(
      fc.property(likeOracleExample, digits => {
        const expected = googleDigits(digits);
        // A number that Google's library reads as another one the second time is refused, as is one longer than E.164: see parsePhone.
        const kept = expected !== null && googleDigits(expected) === expected && expected.length <= 15;
        expect(parsePhone(digits)?.digits ?? null).toBe(kept ? expected : null);
      }),
      { numRuns: runs(2000) },
    );
  });

  // Not the other way round, where countries share a calling code: ours goes by the plan of the country that the digits name. Google's goes
  // by the leading country's plan, e.g. for +290 8, Tristan da Cunha.
  test('calls nothing possible in any country that Google’s library does not', () => {
    assertProperty(
      fc.property(likeExample, digits => {
        const number = parsePhone(digits);
        if (number !== null) expect(googleDigits(digits)).toBe(number.digits);
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('maskPhone', () => {
  test('keeps the last four digits', () => {
    expect(maskPhone('12025550100')).toBe('*******0100');
  });

  test('hides a short number whole', () => {
    expect(maskPhone('1234')).toBe('****');
    expect(maskPhone('')).toBe('');
  });
});

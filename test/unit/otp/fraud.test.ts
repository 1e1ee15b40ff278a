import fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import type { Channel } from '../../../src/kernel/channel.ts';
import { parsePhone } from '../../../src/kernel/phone.ts';
import { numberFault, placesOf, rateFault, type Traffic } from '../../../src/modules/otp/limits/fraud.policy.ts';
import { assertProperty, runs } from '../../support/runner/properties.ts';

function phone(written: string) {
  const read = parsePhone(written);
  if (!read) throw new Error(`${written} is no number`);
  return read;
}

function traffic(given: Partial<Traffic> = {}): Traffic {
  return { place: 'US', sent1h: 0, verified1h: 0, sent24h: 0, verified24h: 0, maxVerifiedDay: 0, ...given };
}

const mobiles = getCountries().flatMap(country => {
  const example = getExampleNumber(country, examples);
  return example === undefined ? [] : [{ country, number: phone(example.number) }];
});

describe('the places of a number', () => {
  test.each([
    ['+12025550100', ['US', '+1202555']],
    ['+4915123456789', ['DE', '+491512345']],
    ['+881612345678', ['+88161234']],
  ])('%s counts for %j', (written, places) => {
    expect(placesOf(phone(written).digits, phone(written).country)).toEqual(places);
  });

  test('the prefix is the same for the 10,000 numbers of a block, and for no other', () => {
    assertProperty(
      fc.property(fc.nat(99_999_999), fc.nat(99_999_999), (a, b) => {
        const [first, second] = [a, b].map(tail => `49${String(tail).padStart(8, '0')}`);
        const isOneBlock = Math.floor(a / 10_000) === Math.floor(b / 10_000);
        expect(placesOf(first ?? '', null)[0] === placesOf(second ?? '', null)[0]).toBe(isOneBlock);
      }),
    );
  });
});

describe('unverified OTPs of 24 hours', () => {
  // The limit is max(20, 0.3 × the best day of 14, 0.3 × verified in 24 hours).
  test.each([
    [0, 0, 20],
    [66, 66, 20],
    [70, 0, 21],
    [0, 70, 21],
    [72, 0, 21],
    [73, 0, 21],
    [74, 0, 22],
    [1_000, 0, 300],
    [1_000, 2_000, 600],
    [2_000, 1_000, 600],
  ])(
    'where the best day has %i and today %i verified, %i pass and one more does not',
    (maxVerifiedDay, verified24h, limit) => {
      const day = (unverified: number): Traffic =>
        traffic({ maxVerifiedDay, verified24h, sent24h: verified24h + unverified });
      expect([rateFault(day(limit - 1), 0), rateFault(day(limit), 0)]).toEqual([null, expect.any(String)]);
    },
  );
});

test('more verified OTPs than were sent neither make room nor take any', () => {
  const given = traffic({ verified1h: 1, verified24h: 1 });
  expect([rateFault(given, 2), rateFault(given, 3)]).toEqual([null, expect.any(String)]);
});

describe('unverified OTPs of an hour', () => {
  // The limit is max(3, 0.2 × the best day of 14 / 6, 0.2 × verified in the hour).
  test.each([
    [0, 0, 3],
    [90, 15, 3],
    [119, 0, 3],
    [120, 0, 4],
    [0, 19, 3],
    [0, 20, 4],
    [3_000, 100, 100],
    [3_000, 1_000, 200],
  ])(
    'where the best day has %i and the hour %i verified, %i pass and one more does not',
    (maxVerifiedDay, verified1h, limit) => {
      const hour = (unverified: number): Traffic => {
        const sent = verified1h + unverified;
        return traffic({ maxVerifiedDay, verified1h, sent1h: sent, verified24h: verified1h, sent24h: sent });
      };
      expect([rateFault(hour(limit - 1), 0), rateFault(hour(limit), 0)]).toEqual([null, expect.any(String)]);
    },
  );
});

describe('the reason', () => {
  test('names place, span and figures of a day', () => {
    expect(rateFault(traffic({ place: '+1202555', sent24h: 26, verified24h: 6 }), 0)).toBe(
      '20 passcodes to +1202555 in the last 24 hours are not verified, and at most 20 may be',
    );
  });

  test('names place, span and figures of an hour', () => {
    expect(rateFault(traffic({ sent1h: 1, sent24h: 1 }), 2)).toBe(
      '3 passcodes to US in the last hour are not verified, and at most 3 may be',
    );
  });
});

/** Traffic as it can be: what was verified was sent, and the hour is part of the day. */
const anyTraffic = fc
  .tuple(fc.nat(2_000), fc.nat(2_000), fc.nat(2_000), fc.nat(2_000), fc.nat(20_000))
  .map(([verified1h, open1h, verifiedBefore, openBefore, maxVerifiedDay]) =>
    traffic({
      verified1h,
      sent1h: verified1h + open1h,
      verified24h: verified1h + verifiedBefore,
      sent24h: verified1h + open1h + verifiedBefore + openBefore,
      maxVerifiedDay,
    }),
  );

describe('the rate', () => {
  test('is the formula, to the last OTP', () => {
    // In whole numbers, multiplied out, so that no rounding of ours can agree with one of the policy.
    assertProperty(
      fc.property(anyTraffic, fc.nat(50), (given, more) => {
        const { sent1h, verified1h, sent24h, verified24h, maxVerifiedDay } = given;
        const day = 10 * (sent24h - verified24h + more + 1) > Math.max(200, 3 * maxVerifiedDay, 3 * verified24h);
        const hour = 30 * (sent1h - verified1h + more + 1) > Math.max(90, maxVerifiedDay, 6 * verified1h);
        expect(rateFault(given, more) !== null).toBe(day || hour);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('refuses every further send once it refuses one', () => {
    assertProperty(
      fc.property(anyTraffic, fc.nat(50), fc.nat(50), (given, more, further) => {
        if (rateFault(given, more) !== null) expect(rateFault(given, more + further)).not.toBeNull();
      }),
    );
  });

  test('counts a send of the same group as one that went out and was not verified', () => {
    assertProperty(
      fc.property(anyTraffic, fc.nat(50), (given, more) => {
        const counted = { ...given, sent1h: given.sent1h + more, sent24h: given.sent24h + more };
        expect(rateFault(given, more)).toBe(rateFault(counted, 0));
      }),
    );
  });

  test('never refuses more because more was verified', () => {
    assertProperty(
      fc.property(anyTraffic, fc.nat(50), (given, verified) => {
        const better = {
          ...given,
          verified1h: Math.min(given.sent1h, given.verified1h + verified),
          verified24h: Math.min(given.sent24h, given.verified24h + verified),
        };
        if (rateFault(given, 0) === null) expect(rateFault(better, 0)).toBeNull();
      }),
    );
  });

  test('stops a flood of a quiet place after 3, whatever the order of its groups', () => {
    assertProperty(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 4, maxLength: 10 }), groups => {
        let sent = 0;
        for (const size of groups) {
          let passed = 0;
          for (let send = 0; send < size; send++) {
            if (rateFault(traffic({ sent1h: sent, sent24h: sent }), passed) === null) passed += 1;
          }
          sent += passed;
        }
        expect(sent).toBe(3);
      }),
    );
  });
});

describe('the country of a number', () => {
  const US = phone('+12025550100');
  const SATELLITE = phone('+881612345678');

  test.each([
    ['a chosen country', US, ['DE', 'US'], null],
    ['a country that is not chosen', US, ['DE'], 'country_not_allowed'],
    ['a country where none is chosen yet', US, null, null],
    ['a country where all are', US, ['*'], null],
    ['a country where the list holds none', US, [], 'country_not_allowed'],
    ['a satellite where a list is chosen', SATELLITE, ['US'], 'country_not_allowed'],
    ['a satellite where none is chosen yet', SATELLITE, null, null],
    ['a satellite where all are', SATELLITE, ['*'], null],
  ])('%s', (_what, number, countries, code) => {
    expect(numberFault(number, { countries }, ['sms'])?.code ?? null).toBe(code);
  });

  test('is refused over chat too', () => {
    expect(numberFault(US, { countries: ['DE'] }, ['chat_qr'])?.code).toBe('country_not_allowed');
  });

  test('is refused with the country and the mend', () => {
    expect(numberFault(US, { countries: ['DE'] }, ['sms'])?.message).toBe(
      'is a number of US, where this account sends no passcodes; add US to the countries of its OTP settings',
    );
  });

  test.each(mobiles)('the example of $country goes where its country is chosen, and nowhere else', ({ number }) => {
    const others = getCountries().filter(country => country !== number.country);
    const codes = [[number.country ?? ''], others].map(countries => numberFault(number, { countries }, ['sms'])?.code);
    expect(codes).toEqual([undefined, 'country_not_allowed']);
  });

  test('is that of the country whose numbers a territory shares', () => {
    const aland = mobiles.find(({ country }) => country === 'AX')?.number ?? US;
    const codes = ['FI', 'AX'].map(chosen => numberFault(aland, { countries: [chosen] }, ['sms'])?.code);
    expect(codes).toEqual([undefined, 'country_not_allowed']);
  });
});

describe('the type of a number', () => {
  const ANY = { countries: null };

  test.each([
    ['premium rate', '+19005550199', 'PREMIUM_RATE'],
    ['toll-free', '+18005550199', 'TOLL_FREE'],
    ['a landline', '+4930123456', 'FIXED_LINE'],
    ['a pager', '+447640123456', 'PAGER'],
    ['a company number', '+443001234567', 'UAN'],
    ['voicemail', '+41860123456789', 'VOICEMAIL'],
    ['shared cost', '+41840123456', 'SHARED_COST'],
  ])('%s is refused by SMS', (_what, written, type) => {
    const number = phone(written);
    expect([number.type, numberFault(number, ANY, ['sms'])?.code]).toEqual([type, 'number_type_refused']);
  });

  test.each([
    ['a mobile number', '+4915123456789', 'MOBILE'],
    ['a number that may be a landline', '+12025550100', 'FIXED_LINE_OR_MOBILE'],
    ['VoIP', '+827012345678', 'VOIP'],
    ['a personal number', '+447012345678', 'PERSONAL_NUMBER'],
    ['a number of an unknown type', '+12425550100', undefined],
  ])('%s passes', (_what, written, type) => {
    const number = phone(written);
    expect([number.type, numberFault(number, ANY, ['sms'])]).toEqual([type, null]);
  });

  test.each<[readonly Channel[], string | null]>([
    [['sms'], 'number_type_refused'],
    [['chat_qr', 'chat_cloud', 'sms'], 'number_type_refused'],
    [['chat_qr', 'chat_cloud'], null],
    [['chat_cloud'], null],
  ])('a landline over %j', (channels, code) => {
    expect(numberFault(phone('+4930123456'), ANY, channels)?.code ?? null).toBe(code);
  });

  test('is refused with what it is and the mend', () => {
    expect(numberFault(phone('+4930123456'), ANY, ['sms'])?.message).toBe(
      'is a landline, which takes no passcode by SMS; give a mobile number',
    );
  });

  test('comes after the country', () => {
    expect(numberFault(phone('+4930123456'), { countries: ['US'] }, ['sms'])?.code).toBe('country_not_allowed');
  });

  test.each(mobiles)('the example of a mobile number of $country is not refused', ({ number }) => {
    expect(numberFault(number, { countries: ['*'] }, ['sms'])).toBeNull();
  });
});

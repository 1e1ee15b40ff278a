import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OtpSettings } from '../../../src/context.ts';
import { OTP_SETTINGS_DEFAULT, readOtpSettings } from '../../../src/modules/accounts/settings/otp-settings.policy.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const OTHER: OtpSettings = {
  cooldownSeconds: 0,
  sendsPerHour: 1,
  sendsPerDay: 100,
  sendsPerAddress: 40,
  wrongCodesPerDay: 1_000,
  wrongCodesPerAddress: 1,
  wrongCodesPerAccount: 2,
  countries: ['DE', 'US'],
  fraudMode: 'block',
  smartEncoding: false,
};

describe('stored OTP settings', () => {
  test('are read completely', () => {
    expect(readOtpSettings(OTHER)).toEqual(OTHER);
  });

  test.each([[null], [undefined], [{}], [[]], ['x'], [7], [[OTHER]]])('%j is read as the defaults', stored => {
    expect(readOtpSettings(stored)).toEqual(OTP_SETTINGS_DEFAULT);
  });

  test.each(Object.entries(OTHER))('get the default of every other member if only %s is set', (member, value) => {
    expect(readOtpSettings({ [member]: value })).toEqual({ ...OTP_SETTINGS_DEFAULT, [member]: value });
  });

  test.each([
    ['cooldownSeconds', -1],
    ['cooldownSeconds', 3_601],
    ['cooldownSeconds', '60'],
    ['sendsPerHour', 0],
    ['sendsPerHour', 2.5],
    ['sendsPerDay', 101],
    ['wrongCodesPerDay', 1_001],
    ['wrongCodesPerAddress', null],
    ['wrongCodesPerAccount', 0],
    ['countries', 'US'],
    ['countries', ['us']],
    ['countries', [1]],
    ['fraudMode', 'BLOCK'],
  ])('get the default of %s if it is %j, and keep the rest', (member, value) => {
    const settings = { ...OTHER, [member]: value };
    const fallback = new Map(Object.entries(OTP_SETTINGS_DEFAULT)).get(member);
    expect(readOtpSettings(settings)).toEqual({ ...OTHER, [member]: fallback });
  });

  test('keep the limit of sends by address off where it was switched off', () => {
    expect(readOtpSettings({ sendsPerAddress: null })).toEqual({ ...OTP_SETTINGS_DEFAULT, sendsPerAddress: null });
  });

  // Falling back would open what the list closes.
  test('keep a country that the numbering plan has dropped', () => {
    expect(readOtpSettings({ countries: ['AN', 'US'] }).countries).toEqual(['AN', 'US']);
  });

  test('are valid settings for any stored value', () => {
    const wild = fc.oneof(fc.jsonValue(), fc.record({ countries: fc.jsonValue(), sendsPerDay: fc.jsonValue() }));
    assertProperty(
      fc.property(wild, stored => {
        const settings = readOtpSettings(stored);
        expect(Object.keys(settings).sort()).toEqual(Object.keys(OTP_SETTINGS_DEFAULT).sort());
        expect(readOtpSettings(settings)).toEqual(settings);
      }),
    );
  });
});

/** The settings of an account's OTPs: their members, ranges and defaults, and how what is stored is read. Pure. */
import { z } from 'zod';
import type { FraudMode, OtpSettings } from '../../context.ts';

/** Every mode of the fraud guard. */
export const FRAUD_MODES = ['off', 'observe', 'block'] as const satisfies readonly FraudMode[];

/** Stands in a list of countries for all of them. */
export const EVERY_COUNTRY = '*';

/** The most countries that a list may name; there are 245. */
export const COUNTRIES_MAX = 300;

/** What holds for an account that has set nothing (contract §5). */
export const OTP_SETTINGS_DEFAULT: OtpSettings = {
  cooldownSeconds: 60,
  sendsPerHour: 5,
  sendsPerDay: 10,
  wrongCodesPerDay: 20,
  wrongCodesPerAddress: 30,
  wrongCodesPerAccount: 60,
  countries: null,
  fraudMode: 'observe',
};

/** The lowest and the highest value of a setting. The database keeps a moment for each send and each wrong code, so they are bounded. */
export const OTP_SETTINGS_RANGES = {
  cooldownSeconds: [0, 3_600],
  sendsPerHour: [1, 100],
  sendsPerDay: [1, 100],
  wrongCodesPerDay: [1, 1_000],
  wrongCodesPerAddress: [1, 1_000],
  wrongCodesPerAccount: [1, 1_000],
} as const;

const whole = ([min, max]: readonly [number, number]) =>
  z.int().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);

/** The rules of each member but `countries`, of which an input must pass more than what is stored. */
export const otpSettingsMembers = {
  cooldownSeconds: whole(OTP_SETTINGS_RANGES.cooldownSeconds),
  sendsPerHour: whole(OTP_SETTINGS_RANGES.sendsPerHour),
  sendsPerDay: whole(OTP_SETTINGS_RANGES.sendsPerDay),
  wrongCodesPerDay: whole(OTP_SETTINGS_RANGES.wrongCodesPerDay),
  wrongCodesPerAddress: whole(OTP_SETTINGS_RANGES.wrongCodesPerAddress),
  wrongCodesPerAccount: whole(OTP_SETTINGS_RANGES.wrongCodesPerAccount),
  fraudMode: z.enum(FRAUD_MODES, `must be one of ${FRAUD_MODES.join(', ')}`),
};

/**
 * A country that a later numbering plan forgets stays in the list, where it matches nothing: else the whole list would fall
 * back to its default, and that is everywhere.
 */
const storedCountries = z
  .array(z.string().regex(/^(\*|[A-Z]{2})$/))
  .max(COUNTRIES_MAX)
  .readonly()
  .nullable();

const storedSettings = z
  .object({
    cooldownSeconds: otpSettingsMembers.cooldownSeconds.catch(OTP_SETTINGS_DEFAULT.cooldownSeconds),
    sendsPerHour: otpSettingsMembers.sendsPerHour.catch(OTP_SETTINGS_DEFAULT.sendsPerHour),
    sendsPerDay: otpSettingsMembers.sendsPerDay.catch(OTP_SETTINGS_DEFAULT.sendsPerDay),
    wrongCodesPerDay: otpSettingsMembers.wrongCodesPerDay.catch(OTP_SETTINGS_DEFAULT.wrongCodesPerDay),
    wrongCodesPerAddress: otpSettingsMembers.wrongCodesPerAddress.catch(OTP_SETTINGS_DEFAULT.wrongCodesPerAddress),
    wrongCodesPerAccount: otpSettingsMembers.wrongCodesPerAccount.catch(OTP_SETTINGS_DEFAULT.wrongCodesPerAccount),
    countries: storedCountries.catch(OTP_SETTINGS_DEFAULT.countries),
    fraudMode: otpSettingsMembers.fraudMode.catch(OTP_SETTINGS_DEFAULT.fraudMode),
  })
  .catch(OTP_SETTINGS_DEFAULT);

/** The settings of what is stored (`accounts.otp_settings`): a member that is absent, or that does not fit, has its default. Never throws. */
export function readOtpSettings(stored: unknown): OtpSettings {
  return storedSettings.parse(stored);
}

/** The OTP settings of an account: their members, ranges and defaults. Pure. */
import { z } from 'zod';
import type { FraudMode, OtpSettings } from '../../../context.ts';
import { intBetween, oneOf } from '../../../kernel/input.ts';

/** Every mode of the fraud guard. */
export const FRAUD_MODES = ['off', 'observe', 'block'] as const satisfies readonly FraudMode[];

/** In a list of countries: every country. */
export const EVERY_COUNTRY = '*';

/** The most countries that a list may name; there are 245. */
export const COUNTRIES_MAX = 300;

/** The settings of an account that has set nothing (contract §5). */
export const OTP_SETTINGS_DEFAULT = {
  cooldownSeconds: 60,
  sendsPerHour: 5,
  sendsPerDay: 10,
  sendsPerAddress: 20,
  wrongCodesPerDay: 20,
  wrongCodesPerAddress: 30,
  wrongCodesPerAccount: null,
  countries: null,
  fraudMode: 'observe',
  smartEncoding: true,
} as const satisfies OtpSettings;

/** The lowest and highest value of a setting. The database stores a time for each send and each wrong code. */
export const OTP_SETTINGS_RANGES = {
  cooldownSeconds: [0, 3_600],
  sendsPerHour: [1, 100],
  sendsPerDay: [1, 100],
  sendsPerAddress: [1, 1_000],
  wrongCodesPerDay: [1, 1_000],
  wrongCodesPerAddress: [1, 1_000],
  wrongCodesPerAccount: [1, 1_000],
} as const;

/** The name of a whole-number setting. */
export type WholeSetting = keyof typeof OTP_SETTINGS_RANGES;

/** The meaning of each whole-number setting, for people. */
export const OTP_SETTINGS_MEANINGS: Readonly<Record<WholeSetting, string>> = {
  cooldownSeconds: 'Seconds before a recipient is sent another OTP',
  sendsPerHour: 'OTPs to one recipient in an hour',
  sendsPerDay: 'OTPs to one recipient in 24 hours',
  sendsPerAddress: "OTPs in an hour for one end user's address, of the sends that name it in `clientIp`",
  wrongCodesPerDay: 'Wrong codes for one recipient in 24 hours, over all of its pins',
  wrongCodesPerAddress: 'Wrong codes from one address in 5 minutes',
  wrongCodesPerAccount: 'Wrong codes of the account in a minute, over all of its tokens, pins and addresses',
};

/** The meaning of `smartEncoding`, for people. */
export const SMART_ENCODING = 'Whether the SMS of OTPs go out with typographic characters as GSM ones';

/** The members of a schema for the whole-number settings, each made from its rule. */
export function wholeSettings<Schema>(
  make: (rule: ReturnType<typeof intBetween>, name: WholeSetting) => Schema,
): Record<WholeSetting, Schema> {
  const names = Object.keys(OTP_SETTINGS_RANGES) as WholeSetting[];
  const members = names.map(name => {
    const [min, max] = OTP_SETTINGS_RANGES[name];
    return [name, make(intBetween(min, max), name)];
  });
  return Object.fromEntries(members) as Record<WholeSetting, Schema>;
}

/** The rule of `fraudMode`. */
export const fraudModeRule = oneOf(FRAUD_MODES);

/** A country that a later numbering plan drops stays and matches nothing: an invalid list would allow every country. */
const storedCountries = z
  .array(z.string().regex(/^(\*|[A-Z]{2})$/))
  .max(COUNTRIES_MAX)
  .readonly()
  .nullable();

const rules = wholeSettings(rule => rule);

const storedSettings = z
  .object({
    cooldownSeconds: rules.cooldownSeconds.catch(OTP_SETTINGS_DEFAULT.cooldownSeconds),
    sendsPerHour: rules.sendsPerHour.catch(OTP_SETTINGS_DEFAULT.sendsPerHour),
    sendsPerDay: rules.sendsPerDay.catch(OTP_SETTINGS_DEFAULT.sendsPerDay),
    sendsPerAddress: rules.sendsPerAddress.nullable().catch(OTP_SETTINGS_DEFAULT.sendsPerAddress),
    wrongCodesPerDay: rules.wrongCodesPerDay.catch(OTP_SETTINGS_DEFAULT.wrongCodesPerDay),
    wrongCodesPerAddress: rules.wrongCodesPerAddress.catch(OTP_SETTINGS_DEFAULT.wrongCodesPerAddress),
    wrongCodesPerAccount: rules.wrongCodesPerAccount.nullable().catch(OTP_SETTINGS_DEFAULT.wrongCodesPerAccount),
    countries: storedCountries.catch(OTP_SETTINGS_DEFAULT.countries),
    fraudMode: fraudModeRule.catch(OTP_SETTINGS_DEFAULT.fraudMode),
    smartEncoding: z.boolean().catch(OTP_SETTINGS_DEFAULT.smartEncoding),
  })
  .catch(OTP_SETTINGS_DEFAULT);

/** Reads `accounts.otp_settings`: an absent or invalid member gets its default. Never throws. */
export function readOtpSettings(stored: unknown): OtpSettings {
  return storedSettings.parse(stored);
}

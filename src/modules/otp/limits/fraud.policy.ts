/** The fraud guard: whether a send looks like SMS pumping (texts to numbers that share their revenue with the attacker). Pure. */
import type { OtpSettings } from '../../../context.ts';
import { type Channel, isSms } from '../../../kernel/channel.ts';
import type { PhoneNumber } from '../../../kernel/phone.ts';
import { EVERY_COUNTRY } from '../../accounts/settings/otp-settings.policy.ts';

/** Counts of the OTPs to one place: a country (`US`), or a prefix (`+1202555`). */
export interface Traffic {
  readonly place: string;
  /** OTPs that went out in the last hour, and how many of them were verified. */
  readonly sent1h: number;
  readonly verified1h: number;
  /** The same of the last 24 hours. */
  readonly sent24h: number;
  readonly verified24h: number;
  /** The most that were verified in one day of the last 14. */
  readonly maxVerifiedDay: number;
}

/** Why the guard finds a send suspicious, as the log names it: for its number, or for what went to its place before. */
export const GUARD_CODES = ['country_not_allowed', 'number_type_refused', 'too_many_unverified'] as const;

/** One of these reasons. */
export type GuardCode = (typeof GUARD_CODES)[number];

/** Why a number is refused, in a word for the log, and as the fault of a field. */
export interface NumberFault {
  readonly code: Exclude<GuardCode, 'too_many_unverified'>;
  readonly message: string;
}

/** Unverified OTPs that every place may have, whatever its history: a new account has none. */
const UNVERIFIED_MIN = { hour: 3, day: 20 } as const;

/** The best day's hour is taken to be a sixth of it: people do not sign in evenly over 24 hours. */
const BUSY_HOURS = 6;

/** A prefix is a number without its last four digits: attackers rent blocks of numbers. */
export const PREFIX_CUT = 4;

/** Types of numbers that get no code by SMS: no phone shows it, or their owner is paid for it. Numbers whose type is not certain pass. */
const REFUSED_TYPES: ReadonlyMap<string, string> = new Map([
  ['PREMIUM_RATE', 'a premium-rate number'],
  ['SHARED_COST', 'a shared-cost number'],
  ['TOLL_FREE', 'a toll-free number'],
  ['FIXED_LINE', 'a landline'],
  ['PAGER', 'a pager'],
  ['UAN', 'a company number (UAN)'],
  ['VOICEMAIL', 'a voicemail number'],
]);

/** The places that an OTP to this number counts for: its country, where it has one, and its prefix. */
export function placesOf(digits: string, country: string | null | undefined): string[] {
  const prefix = `+${digits.slice(0, -PREFIX_CUT)}`;
  return country ? [country, prefix] : [prefix];
}

/** Why one more unverified OTP to this place is too many, with the figures, or null. `more` go there before it and are not counted yet. */
export function rateFault(traffic: Traffic, more: number): string | null {
  const { place, sent1h, verified1h, sent24h, verified24h, maxVerifiedDay } = traffic;
  const windows = [
    { span: '24 hours', unverified: sent24h - verified24h, limit: dayLimit(maxVerifiedDay, verified24h) },
    { span: 'hour', unverified: sent1h - verified1h, limit: hourLimit(maxVerifiedDay, verified1h) },
  ];
  for (const { span, unverified, limit } of windows) {
    // Whatever was counted, verified OTPs never make room beyond the limit itself.
    const before = Math.max(0, unverified) + more;
    if (before + 1 > limit) {
      return `${before} passcodes to ${place} in the last ${span} are not verified, and at most ${Math.floor(limit)} may be`;
    }
  }
  return null;
}

// Whole numbers until the one division, so that a limit which is a whole number is exactly that.
const dayLimit = (maxVerifiedDay: number, verified24h: number): number =>
  Math.max(UNVERIFIED_MIN.day, (3 * maxVerifiedDay) / 10, (3 * verified24h) / 10);

const hourLimit = (maxVerifiedDay: number, verified1h: number): number =>
  Math.max(UNVERIFIED_MIN.hour, maxVerifiedDay / (5 * BUSY_HOURS), verified1h / 5);

/** Why no OTP may go to this number: its country is not a chosen one, or its type takes no SMS; null: it may. */
export function numberFault(
  { country, type }: Pick<PhoneNumber, 'country' | 'type'>,
  { countries }: Pick<OtpSettings, 'countries'>,
  channels: readonly Channel[],
): NumberFault | null {
  if (!isCountryAllowed(country, countries)) {
    const message =
      country === undefined
        ? 'belongs to no country, and this account sends passcodes to chosen countries only; give a number of one of them'
        : `is a number of ${country}, where this account sends no passcodes; add ${country} to the countries of its OTP settings`;
    return { code: 'country_not_allowed', message };
  }
  const refused = channels.some(isSms) && type !== undefined ? REFUSED_TYPES.get(type) : undefined;
  return refused === undefined
    ? null
    : { code: 'number_type_refused', message: `is ${refused}, which takes no passcode by SMS; give a mobile number` };
}

/** Numbers of satellite networks and the like belong to no country, so no list of countries holds them. */
function isCountryAllowed(country: string | undefined, countries: OtpSettings['countries']): boolean {
  if (countries === null || countries.includes(EVERY_COUNTRY)) return true;
  return country !== undefined && countries.includes(country);
}

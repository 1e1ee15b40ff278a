/** Phone numbers by the plans of their countries. The plans are large, so they are loaded after the page. */
import { type CountryCode, getCountries, parsePhoneNumberFromString } from 'libphonenumber-js/min';

const WHOLE = { extract: false } as const;

/** Words without what separates the digits of a number, and without the invisible marks that come along with copies. */
export function withoutMarks(words: string): string {
  return words.replaceAll(/[\s\p{Cf}\p{Pd}()[\]./·]/gu, '').replace('＋', '+');
}

/** A number in digits as its country groups it, with its calling code. */
export function groupedNumber(digits: string): string {
  return parsePhoneNumberFromString(`+${digits}`, WHOLE)?.formatInternational() ?? `+${digits}`;
}

/** A number that words may mean. */
export interface Reading {
  /** Calling code and national number, digits only. */
  readonly digits: string;
  /** ISO 3166-1 alpha-2; null: the number does not tell. */
  readonly country: string | null;
}

/**
 * The numbers that words may mean, the likeliest first. With `+` or `00` there is one; else a national one of each of `countries`, then the
 * digits as they are, with a calling code.
 */
export function readingsOf(words: string, countries: readonly string[]): Reading[] {
  const digits = withoutMarks(words);
  if (!/^\+?\d{6,18}$/.test(digits)) return [];
  const international = readNumber(digits.replace(/^(\+|00)?/, '+'));
  if (/^(\+|00)/.test(digits)) return international ? [international] : [];
  const national = countries.flatMap(country => readNumber(digits, country as CountryCode) ?? []);
  const all = international ? [...national, international] : national;
  return all.filter((one, index) => all.findIndex(({ digits: same }) => same === one.digits) === index);
}

function readNumber(text: string, country?: CountryCode): Reading | null {
  const found = parsePhoneNumberFromString(text, { ...WHOLE, ...(country && { defaultCountry: country }) });
  // A possible length is enough for a whole number: plans change. A national number must be valid in its country.
  const isOne = country ? found?.isValid() : found?.isPossible();
  return found && isOne ? { digits: found.number.slice(1), country: found.country ?? null } : null;
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' });

/** `US` as `United States`. */
export function countryName(code: string): string {
  return NAMES.of(code) ?? code;
}

/** The countries that have numbers, by name. */
export function countriesByName(): { readonly value: string; readonly label: string }[] {
  const named = getCountries().map(value => ({ value, label: countryName(value) }));
  return named.sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

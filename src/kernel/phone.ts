/** Reads a recipient as an international number, with or without its plus, and keeps its digits only (contract §4). */
import {
  isSupportedCountry,
  type PhoneNumber as LibraryNumber,
  parseDigits,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { CHANNEL_FACTS, type Channel } from './channel.ts';
import { invalidInput } from './errors.ts';

/** A possible phone number. */
export interface PhoneNumber {
  /** Country calling code and national number, digits only, at most 15, without a plus: `12025550100`. */
  readonly digits: string;
  /** ISO 3166-1 alpha-2, if the number tells it (satellite networks and the like have none). */
  readonly country?: string;
  /** `MOBILE`, `FIXED_LINE`, `FIXED_LINE_OR_MOBILE`, `TOLL_FREE` …, if the numbering plan tells it. */
  readonly type?: string | undefined;
}

/** ITU-T E.164, 6.2.1. Some plans (Japan, Indonesia) have longer numbers that only their own networks can dial. */
const DIGITS_MAX = 15;

/** Longer than any written number; bounds the work for hostile input. */
export const WRITTEN_LENGTH_MAX = 64;

/**
 * An optional plus, then digits, separators and invisible marks from copying. Only digits that `parseDigits` knows: others are dropped,
 * which leaves another number. No letters, `#`, `;` and `,`: they begin vanity numbers, extensions and URI parameters.
 */
const WRITTEN_PATTERN = /^[\s\p{Cf}([]*[+＋]?[0-9０-９٠-٩۰-۹\s\p{Cf}\p{Pd}()[\]./·]+$/u;
const PLUS_PATTERN = /[+＋]/;

const SENDER_NAME_PATTERN = /^(?:(?! )(?=.*[A-Za-z])[A-Za-z0-9 .\-_&]{1,11}(?<! )|[0-9]{3,15})$/;

/** The digits of a number of the North American plan behind its country code. */
const NANP_DIGITS = 10;

const KEPT_DIGITS = 4;

/** A cache, because one request reads its recipient several times: in the route, the schema and the verb, and its digits for their country. */
const REMEMBERED_MAX = 1_024;
const remembered = new Map<string, PhoneNumber | null>();

/**
 * Reads an international number. Null for one that is not possible anywhere, or has extensions, letters or a leading zero. Null, too, for
 * one whose digits alone read as another number (`+49 00 30…`): the stored digits must name the same recipient when sent back.
 */
export function parsePhone(input: string): PhoneNumber | null {
  if (input.length > WRITTEN_LENGTH_MAX) return null;
  const known = remembered.get(input);
  if (known !== undefined) return known;
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  const read = readPhone(input);
  remembered.set(input, read);
  // The digits name the same number, and are asked for their country.
  if (read !== null) remembered.set(read.digits, read);
  return read;
}

/** The fault of a text that is no phone number. */
export const NO_PHONE = 'must be a phone number with country code, like +12025550100';

/** Reads the phone number that a field has to hold. @throws AppError `invalid_input` on the field */
export function requirePhone(field: string, input: string): PhoneNumber {
  const phone = parsePhone(input);
  if (!phone) throw invalidInput(field, NO_PHONE);
  return phone;
}

/**
 * The address of a sender as it is kept; null for a text that can be none. A chat sender is a phone number. An SMS sender is a number of up to 15 digits, a
 * short code or a name. Carriers accept names of 1 to 11 letters, digits, spaces or `. - _ &`, with at least one letter and no space at its ends.
 */
export function senderAddress(channel: Channel, written: string): string | null {
  if (CHANNEL_FACTS[channel].senderIs === 'name' && SENDER_NAME_PATTERN.test(written)) return written;
  return parsePhone(written)?.digits ?? null;
}

function readPhone(input: string): PhoneNumber | null {
  if (!WRITTEN_PATTERN.test(input)) return null;
  const written = parseDigits(input);
  const international = !PLUS_PATTERN.test(input) && written.startsWith('00') ? written.slice(2) : written;
  const parsed = parseInternational(international);
  if (parsed === null || parsed.digits === international) return parsed;
  // A national prefix was dropped (or the like): accept it only if the result reads as itself.
  return parseInternational(parsed.digits)?.digits === parsed.digits ? parsed : null;
}

/** The country of a number in digits-only form, ISO 3166-1 alpha-2; null where it does not tell. */
export function countryOf(digits: string): string | null {
  return parsePhone(digits)?.country ?? null;
}

/** Whether a text is the code of a country that has numbers: ISO 3166-1 alpha-2 in upper case. */
export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && isSupportedCountry(code);
}

/** The number for a log line, with all but its last four digits hidden; a shorter one is hidden whole. */
export function maskPhone(digits: string): string {
  if (digits.length <= KEPT_DIGITS) return '*'.repeat(digits.length);
  return `${'*'.repeat(digits.length - KEPT_DIGITS)}${digits.slice(-KEPT_DIGITS)}`;
}

/** The number for who may not see it: country code and last two digits stay. Of what is no number, the last two characters. */
export function maskForViewer(digits: string): string {
  const code = parsePhoneNumberFromString(`+${digits}`, { extract: false })?.countryCallingCode ?? '';
  const shown = Math.max(0, digits.length - code.length - 2);
  return `${digits.slice(0, code.length)}${'•'.repeat(shown)}${digits.slice(code.length + shown)}`;
}

/** A text with `…` for what has so many digits or more, in a row or in groups, as people write numbers and codes. */
export function hideDigits(text: string, digitsMin: number): string {
  return text.replaceAll(new RegExp(`[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){${digitsMin - 1},}`, 'g'), '…');
}

function parseInternational(digits: string): PhoneNumber | null {
  const parsed = parsePhoneNumberFromString(`+${digits}`, { extract: false });
  if (parsed === undefined || parsed.ext !== undefined || !parsed.isPossible()) return null;
  // Canada's +1 310 and four digits is reached from within alone; the library keeps no such lengths apart.
  if (parsed.countryCallingCode === '1' && parsed.nationalNumber.length !== NANP_DIGITS) return null;
  const kept = parsed.number.slice(1);
  if (kept.length > DIGITS_MAX) return null;
  return new Parsed(kept, parsed);
}

/** A number as the library read it. */
class Parsed implements PhoneNumber {
  readonly digits: string;
  declare readonly country?: string;
  readonly #parsed: LibraryNumber;
  #type: string | undefined;

  constructor(digits: string, parsed: LibraryNumber) {
    this.digits = digits;
    if (parsed.country !== undefined) this.country = parsed.country;
    this.#parsed = parsed;
  }

  /** Found by a dozen patterns of the plan when it is asked for: only passcodes need it. */
  get type(): string | undefined {
    this.#type ??= this.#parsed.getType();
    return this.#type;
  }
}

/** Readers of option values. A value that they refuse is wrong usage, exit status 2. */
import { InvalidArgumentError } from 'commander';
import { CHANNELS, type Channel } from '../kernel/channel.ts';
import { WEBHOOK_EVENTS, type WebhookEventName } from '../modules/webhooks/events/webhook-events.ts';

/** The names of GraphQL's enum values are the upper-case of ours; absent stays absent. */
export function enumName<Word extends string>(word: Word): Uppercase<Word>;
export function enumName<Word extends string>(word: Word | undefined): Uppercase<Word> | undefined;
export function enumName(word: string | undefined): string | undefined {
  return word?.toUpperCase();
}

/** The words of a switch. */
export const ON_OFF = ['on', 'off'] as const;

/** Whether a switch is on; absent stays absent. */
export function isOn(word: (typeof ON_OFF)[number] | undefined): boolean | undefined {
  return word && word === 'on';
}

/** Channels separated by commas, in order. */
export const readChannels = Object.assign(
  (value: string): Channel[] => readSome(value, CHANNELS, 'separated by commas'),
  { words: CHANNELS },
);

/** Events of webhooks separated by commas, or `*` for every event. */
export const readEvents = Object.assign(
  (value: string): WebhookEventName[] => {
    if (value.trim() === '*') return [...WEBHOOK_EVENTS];
    return readSome(value, WEBHOOK_EVENTS, 'separated by commas, or "*" for every event');
  },
  { words: WEBHOOK_EVENTS },
);

/** Some of these words, separated by commas, in order; `how` says so. */
export function readSome<Word extends string>(value: string, words: readonly Word[], how: string): Word[] {
  return value.split(',').map(part => {
    const word = words.find(name => name === part.trim());
    if (word) return word;
    throw new InvalidArgumentError(`Give some of ${words.join(', ')}, ${how}.`);
  });
}

/** Country codes separated by commas, or `*` for every country. The API checks that they exist. */
export function readCountries(value: string): string[] {
  const countries = value.split(',').map(country => country.trim());
  if (value.trim() !== '*' && !countries.every(country => /^[A-Za-z]{2}$/.test(country)))
    throw new InvalidArgumentError(
      'Give codes of two letters separated by commas, like US,DE, or "*" for every country.',
    );
  return countries.map(country => country.toUpperCase());
}

/** A JSON object, of any type: the API says what is wrong with it. */
export function readObject(value: string) {
  try {
    const read = JSON.parse(value);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read;
  } catch {
    // Told below, as for any other value that is no object.
  }
  throw new InvalidArgumentError('Give a JSON object.');
}

/** Reads a template: `order_sent:en_US`, or a JSON object where it has components. Names of templates have neither colons nor braces. */
export function readTemplate(value: string) {
  const [, name, language] = /^([^:{]+):([^:]+)$/.exec(value) ?? [];
  return name === undefined ? readObject(value) : { name, language };
}

/** A reader of whole numbers from `min` to `max`; `more` says what else may be given. */
export function readWhole(min: number, max: number, more = ''): (value: string) => number {
  return value => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}${more}.`);
  };
}

/** A value that was given, null among them: commander itself would make an empty text of a null. */
export interface Given<Value> {
  readonly value: Value | null;
}

/** A reader of whole numbers other than 0, at most `max` in amount. */
export function readWholeOrNegative(max: number): (value: string) => number {
  return value => {
    const number = /^[+-]?\d{1,10}$/.test(value) ? Number(value) : 0;
    if (number === 0 || Math.abs(number) > max)
      throw new InvalidArgumentError(`Give a whole number from -${max} to ${max}, and not 0.`);
    return number;
  };
}

/** A reader of `none` or whole numbers from `min` to `max`: null, or the number. */
export function readWholeOrNone(min: number, max: number): (value: string) => Given<number> {
  const read = readWhole(min, max, ', or none');
  return value => ({ value: value === 'none' ? null : read(value) });
}

/** `none`, or the seconds of a fallback in time. */
export const readFallbackAfter = readWholeOrNone(15, 3_600);

/** `none`, or requests a second. */
export const readRateLimit = readWholeOrNone(1, 1_000_000);

/** `never`, or a time as `readTime` reads it: null, or the time in UTC. */
export function readPlanEnd(value: string): Given<string> {
  return { value: value === 'never' ? null : readTime(value, ', or never') };
}

/** A time of ISO 8601, in UTC; `more` says what else may be given. A date alone is its midnight in UTC; a time needs its zone. */
export function readTime(value: string, more = ''): string {
  const time = parseTime(value);
  if (time === null) throw new InvalidArgumentError(`Give a time like 2027-01-31T18:00:00Z or 2027-01-31${more}.`);
  return time;
}

/** Milliseconds of the units of a span. */
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The values of `--since` and `--until`, as help names them. */
export const MOMENT = '1h or 2d ago, or a time like 2026-11-21T18:00:00Z or 2026-11-21';

/** A time as `readTime` reads it, or how long ago it is: `30m`, `1h`, `2d`, `1w`. */
export function readMoment(value: string): string {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(value) ?? [];
  if (count === undefined) return readTime(value, ', or how long ago it is, like 30m, 1h or 2d');
  // biome-ignore lint/plugin: Who sits at this machine counts back from the time that it shows.
  return new Date(Date.now() - Number(count) * (UNITS[unit] ?? 0)).toISOString();
}

function parseTime(value: string): string | null {
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i.exec(value) ?? [];
  const time = new Date(value.toUpperCase());
  // JavaScript takes 30 February for 2 March.
  return !day || Number.isNaN(time.getTime()) || !isDay(day) ? null : time.toISOString();
}

function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** Finds targets by the look of the typed words: an id, an error code, a number or a reference. */
import html from '../../../../../docs/errors.md?html';
import { countryName, type Reading, readingsOf } from '../../ui/region/phone-book.ts';
import { sendLink } from '../../ui/send-link.ts';
import { phoneWord } from '../../ui/words.ts';
import type { Target } from './target.ts';

/** The pages of things, by the prefix of their ids. */
const PAGES_OF: Readonly<Record<string, (id: string) => Target[]>> = {
  msg: id => [log('messageId', id, `Message ${id}`)],
  att: id => [log('attemptId', id, `Attempt ${id}`)],
  pin: id => [log('pinId', id, `Passcode ${id}`)],
  whk: id => [{ label: `Endpoint ${id}`, about: 'Webhooks', icon: 'webhooks', go: `/webhooks/${id}` }],
  dlv: id => [{ label: `Delivery ${id}`, about: 'Webhooks', icon: 'webhooks', go: `/webhooks/deliveries/${id}` }],
  tok: id => [{ label: `Token ${id}`, about: 'Tokens', icon: 'tokens', go: '/tokens' }],
  con: id => [{ label: `Connection ${id}`, about: 'Connections', icon: 'connections', go: `/connections?open=${id}` }],
  req: id => [{ label: `Request ${id}`, about: 'Requests', icon: 'requests', go: `/requests?requestId=${id}` }],
  alr: id => [{ label: `Alert rule ${id}`, about: 'Alerts', icon: 'alerts', go: '/alerts' }],
  alt: id => [{ label: `Alert ${id}`, about: 'Alerts', icon: 'alerts', go: '/alerts' }],
  prs: id => [{ label: `Conversation ${id}`, about: 'Inbox', icon: 'inbox', go: `/inbox/${id}` }],
  usr: id => [{ label: `Person ${id}`, about: 'Account', icon: 'account', go: '/account' }],
};

/** Hints for things without a page of their own, by the prefix of their ids. */
const SEEN_IN: Readonly<Record<string, string>> = {
  evt: 'An event is seen in its deliveries: paste the id of one, dlv_….',
};

const ID = /^([a-z]{3})_[0-9a-f]{32}$/;

/** The text where no target is found. */
export function nothingWord(words: string): string {
  const prefix = ID.exec(words)?.[1];
  if (prefix === undefined) return 'Nothing by this name';
  return SEEN_IN[prefix] ?? `No page shows ${prefix}_… ids`;
}

/** The codes that the page of errors explains: its headings, and what begins a row or has the shape of one. */
const CODES = [...html.matchAll(/<(h3|td><code|code) id="([a-z_]+)">/g)]
  .filter(([, place, code = '']) => place !== 'code' || code.includes('_'))
  .map(([, , code = '']) => code);

/** More are no help to who looks for one. */
const CODES_MAX = 5;

/** Fewer letters are part of too many codes. */
const CODE_PART_MIN = 4;

function codesOf(words: string): Target[] {
  const part = words.toLowerCase().replaceAll(' ', '_');
  const found = CODES.filter(code => code === part || (part.length >= CODE_PART_MIN && code.includes(part)));
  return found
    .sort((a, b) => Number(b === part) - Number(a === part))
    .slice(0, CODES_MAX)
    .map(code => ({
      label: code,
      about: 'What this error says, and how to mend it',
      icon: 'book',
      go: `/errors#${code}`,
    }));
}

function log(name: string, value: string, label: string, about = 'In the log of the last 30 days'): Target {
  return { label, about, icon: 'logs', go: `/logs?${new URLSearchParams({ [name]: value, span: '30d' })}` };
}

/** Targets in the log for the numbers that end with the typed digits. */
export function endingTargets(recipients: readonly string[], words: string): Target[] {
  return recipients.map(number => log('recipient', number, `What went to ${phoneWord(number)}`, `Ends with ${words}`));
}

/** The countries that a typed number may belong to. */
export interface Numbers {
  /** The country of the account, ISO 3166-1 alpha-2; null: it has none. */
  readonly country: string | null;
  /** The languages of the browser: `en-US`. */
  readonly languages: readonly string[];
}

/** National numbers of this length and shorter are read as those of another country, too. */
const UNCLEAR_DIGITS_MAX = 10;

function numberTargets(words: string, { country, languages }: Numbers): Target[] {
  const regions = languages.flatMap(language => new Intl.Locale(language).region ?? []);
  const countries = country === null ? [...new Set(regions)] : [country];
  const readings = readingsOf(words, countries);
  const digits = words.replaceAll(/\D/g, '');
  const isWhole = /^\s*(\+|00)/.test(words) || digits.length > UNCLEAR_DIGITS_MAX;
  const isAsked = country === null && !isWhole && digits.length > 6 && /^[\s\d()./-]+$/.test(words);
  const asked: Target = {
    label: 'Of which country is it?',
    about: 'Numbers without a country code are read by the country of the account: set it',
    icon: 'account',
    go: '/account?act=region',
  };
  const [first, ...others] = readings;
  const isNational = first !== undefined && first.digits !== digits;
  return [
    ...(isAsked && !isNational ? [asked] : []),
    ...(first ? [...ways(first, readings.length > 1)] : []),
    ...others.map(one => what(one, true)),
    ...(isAsked && isNational ? [asked] : []),
  ];
}

function what({ digits, country }: Reading, isNamed: boolean): Target {
  const named = isNamed && country ? ` (${countryName(country)})` : '';
  return log('recipient', `+${digits}`, `What went to ${phoneWord(digits)}${named}`);
}

function ways(reading: Reading, isNamed: boolean): Target[] {
  const { digits } = reading;
  return [
    what(reading, isNamed),
    { label: `Send to ${phoneWord(digits)}`, about: 'Send', icon: 'send', go: sendLink({ to: `+${digits}` }) },
    { label: `Conversation with ${phoneWord(digits)}`, about: 'Inbox', icon: 'inbox', go: `/inbox/${digits}` },
    { label: `The phone ${phoneWord(digits)}`, about: 'Sandbox phones', icon: 'phone', go: `/phones/${digits}` },
  ];
}

/** The targets of typed words. A viewer cannot look for numbers (`numbers` is null): digits are a reference then. */
export function targetsOf(words: string, numbers: Numbers | null): Target[] {
  const [, prefix] = ID.exec(words) ?? [];
  // An id is no reference.
  if (prefix) return PAGES_OF[prefix]?.(words) ?? [];
  const isReference = words.length >= 3 && /^[\x21-\x7e]+$/.test(words);
  const found = [...codesOf(words), ...(numbers ? numberTargets(words, numbers) : [])];
  // A number with `+` is no reference either.
  const isNumber = numbers !== null && /^\+\d{7,}$/.test(words);
  return [...found, ...(isReference && !isNumber ? [log('reference', words, `Reference ${words}`)] : [])];
}

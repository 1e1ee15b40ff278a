/** A text as it is read once an encoding is taken off, with where each of its characters was written. */
import { isUtf8 } from 'node:buffer';
import type { Span } from './finder.ts';

/** A text that was read, and for each of its UTF-16 units the range of the original that it stands for. */
export interface Reading {
  readonly text: string;
  readonly written: readonly Span[];
}

/** Takes the encodings off that a rule matches; `decode` answers what a match stands for. */
interface Rule {
  readonly pattern: RegExp;
  decode(match: RegExpMatchArray): string;
}

/** How deep encodings may lie in each other: JSON in a form in HTML. */
const DEPTH_MAX = 3;

/** The meaning of `\n` and the like: a blank. Their letters must not join the word behind them. */
const BLANK = ' ';

/** Marks of letters in names of HTML: `&eacute;` is an `e`, by which words are compared. */
const ACCENTED = /^([a-z])(?:acute|grave|circ|uml|tilde|cedil|ring|caron|slash|macr|ogon|breve)$/i;

/** Letters of HTML that are two. */
const LETTERS: Readonly<Record<string, string>> = { szlig: 'ss', aelig: 'æ', oelig: 'œ', eth: 'ð', thorn: 'þ' };

/** Percent, backslashes and the references of HTML. */
const ESCAPES: Rule = {
  pattern:
    /(?:%[0-9a-f]{2})+|[\\%]u(?<unit>[0-9a-f]{4})|\\x(?<byte>[0-9a-f]{2})|\\[nrtbfv0]|&#x(?<hex>[0-9a-f]{1,6});|&#(?<decimal>[0-9]{1,7});|&(?<name>[a-z]{2,8});/gi,
  decode([whole, ...parts]) {
    const [unit, byte, hex, decimal, name] = parts;
    const code = unit ?? byte ?? hex;
    if (code !== undefined) return characterOf(Number.parseInt(code, 16));
    if (decimal !== undefined) return characterOf(Number(decimal));
    if (name !== undefined) return ACCENTED.exec(name)?.[1] ?? LETTERS[name.toLowerCase()] ?? BLANK;
    return whole.startsWith('%') ? bytesAsText(Buffer.from(whole.replaceAll('%', ''), 'hex')) : BLANK;
  },
};

/** The same, and tags, which stand between words; an attribute of one may hold a quote itself. */
const MARKUP: Rule = { ...ESCAPES, pattern: new RegExp(`<[^<>]{1,200}>|${ESCAPES.pattern.source}`, 'gi') };

/** Quoted-printable (RFC 2045 §6.7), and the words of headers that it or base64 is in (RFC 2047). */
const MAIL: Rule = {
  pattern: /=\?[^?\s]{1,40}\?b\?(?<base64>[a-z0-9+/=]*)\?=|=\?[^?\s]{1,40}\?q\?|\?=|(?:=[0-9a-f]{2})+|=(?=\s)/gi,
  decode([whole, base64]) {
    if (base64 !== undefined) return bytesAsText(Buffer.from(base64, 'base64'));
    return /^(?:=[0-9a-f]{2})+$/i.test(whole) ? bytesAsText(Buffer.from(whole.replaceAll('=', ''), 'hex')) : BLANK;
  },
};

function asWritten(text: string): Reading {
  return { text, written: Array.from({ length: text.length }, (_, at): Span => [at, at + 1]) };
}

/** Every way to read a text: as it stands, and with encodings taken off, three of them at most. */
export function readingsOf(text: string): readonly [Reading, ...Reading[]] {
  const all: [Reading, ...Reading[]] = [asWritten(text)];
  for (let depth = 1, last = 0; depth <= DEPTH_MAX; depth++) {
    const found = all
      .slice(last)
      .flatMap(reading => [MARKUP, ESCAPES, MAIL].flatMap(rule => decoded(reading, rule) ?? []));
    last = all.length;
    for (const reading of found) if (all.every(known => known.text !== reading.text)) all.push(reading);
  }
  return all;
}

/** Bytes as text: UTF-8, or Latin-1 where they are not. */
export function bytesAsText(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

/** Null: there was nothing to take off. */
function decoded({ text, written }: Reading, { pattern, decode }: Rule): Reading | null {
  const pieces: string[] = [];
  const places: Span[] = [];
  let end = 0;
  const keep = (until: number): void => {
    pieces.push(text.slice(end, until));
    for (let at = end; at < until; at++) places.push(written[at] ?? [0, 0]);
  };
  for (const match of text.matchAll(pattern)) {
    keep(match.index);
    end = match.index + match[0].length;
    const meant = decode(match);
    const place: Span = [written[match.index]?.[0] ?? 0, written[end - 1]?.[1] ?? 0];
    pieces.push(meant);
    for (let at = 0; at < meant.length; at++) places.push(place);
  }
  if (end === 0) return null;
  keep(text.length);
  return { text: pieces.join(''), written: places };
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : BLANK;
}

/** Common parts of providers' answers: when to come again, and which of their words may be told. */
import type { z } from 'zod';
import { gatewayTime } from '../../kernel/process/gateway-time.ts';
import type { SendRequest } from '../contract.ts';
import type { SendOutcome } from '../outcome.ts';
import type { Span } from '../words/finder.ts';
import { cut, NUMBER, Quotes } from '../words/quotes.ts';
import type { Answer } from './client.ts';
import { jsonOf } from './json.ts';

/** How long a throttled attempt waits where the provider does not say, in milliseconds. */
const THROTTLED_MS = 1_000;

/** The most that is told of a provider's words, in characters. */
const WORDS_MAX = 200;

/** A text of fewer characters may stand in other words by chance. */
const SHORT = 4;

/** How many of them are looked at: what is told stands at the begin, and the rest is work. */
const READ_MAX = 4_096;

/** The JSON of an answer, as far as the schema reads it; null: it is not that. */
export function readAs<T>(schema: z.ZodType<T>, { body }: Answer): T | null {
  return schema.safeParse(jsonOf(body)).data ?? null;
}

/** How long to wait after `throttled`, in milliseconds: `Retry-After`, as seconds or as a date (RFC 9110 §10.2.3), or a second. */
export function retryAfterMs({ headers }: Answer): number {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1_000;
  // Date.parse alone takes `1` for a year.
  const at = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? THROTTLED_MS : Math.max(0, at - gatewayTime().getTime());
}

/**
 * The meaning of a 5xx where the provider says no more. By RFC 9110 §15.6.4, 503 was not taken: another provider may be asked. The others may follow
 * a message that was taken: its provider failed later (500), or a proxy gave up (502, 504). Such messages are never sent again.
 */
export function serverError(answer: Answer): SendOutcome {
  const told = { code: `http_${answer.status}`, message: `The provider answered ${answer.status}.` };
  return { kind: answer.status === 503 ? 'unavailable' : 'unknown', ...told };
}

/** The meaning of an answer that something was taken, without its id: nobody knows. @param missing the part that it should have held */
export function unreadable({ status }: Answer, missing: string): SendOutcome {
  const message = `The provider answered ${status} without ${missing}.`;
  return { kind: 'unknown', code: 'answer_unreadable', message };
}

/** Why a provider refused. `throttled`: back off. `recipient`: nobody will deliver this text to this number. `down`: it failed. `own`: another connection may. */
export type Refusal = 'throttled' | 'recipient' | 'down' | 'own';

/** The outcome of a message that a provider refused. */
export function refusedAs(
  refusal: Refusal,
  told: { readonly code: string; readonly message: string },
  answer: Answer,
): SendOutcome {
  if (refusal === 'throttled') return { kind: 'throttled', ...told, retryAfterMs: retryAfterMs(answer) };
  if (refusal === 'down') return { kind: 'unavailable', ...told };
  return { kind: 'rejected', ...told, ...(refusal === 'own' ? { isOwn: true } : {}) };
}

/**
 * A provider's words as they may be stored and shown: one line of at most 200 characters. Secrets, the recipient and the text are cut, in each
 * encoding by which servers repeat them. Quotes of the text and digits that could be an OTP are cut, too. @returns empty: nothing is left
 */
export function tellable(
  words: string,
  secrets: readonly string[],
  { text, to }: Pick<SendRequest, 'text' | 'to'>,
): string {
  const line = oneLine(words.slice(0, READ_MAX));
  const spans = [...repeatsIn(line, [...secrets, to], literal), ...repeatsIn(line, [text], alone)];
  const told = cut(line, [...spans, ...new Quotes(text, [to]).in(line)]);
  return told.replaceAll(NUMBER, '…').slice(0, WORDS_MAX).toWellFormed().trim();
}

/** The ranges that repeat what is hidden, in any form. @param patternOf the pattern that finds a form */
function repeatsIn(line: string, hidden: readonly string[], patternOf: (form: string) => string): Span[] {
  const forms = hidden.flatMap(formsOf).sort((a, b) => b.length - a.length);
  if (forms.length === 0) return [];
  const pattern = new RegExp(forms.map(patternOf).join('|'), 'giu');
  return [...line.matchAll(pattern)].map(({ 0: form, index }) => [index, index + form.length]);
}

/** A text as servers write it: as it is, in a URL, in a form, in JSON, in HTML, in base64. */
function formsOf(hidden: string): string[] {
  // The words are one line by now, whatever the server wrote.
  const forms = [hidden, oneLine(hidden)].flatMap(inAllPlaces).map(oneLine);
  return [...new Set(forms)].filter(form => form !== '');
}

function inAllPlaces(text: string): string[] {
  const wellFormed = text.toWellFormed();
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const base64 = Buffer.from(wellFormed).toString('base64');
  return [
    text,
    encodeURIComponent(wellFormed),
    new URLSearchParams([['', wellFormed]]).toString().slice(1),
    JSON.stringify(text).slice(1, -1),
    html,
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    base64,
    base64.replace(/=+$/, ''),
  ];
}

/** A text as a pattern that matches nothing else. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The same, but for a short text only where no letter stands beside it: `is` is a part of many words. */
function alone(text: string): string {
  return text.length < SHORT ? `(?<![\\p{L}\\p{N}])${literal(text)}(?![\\p{L}\\p{N}])` : literal(text);
}

/** One line without the signs that a terminal would obey. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

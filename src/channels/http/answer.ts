/** What providers' answers have in common: when to come again, and what of their words may be told. */
import type { z } from 'zod';
import type { SendOutcome } from '../contract.ts';
import type { Answer } from './client.ts';

/** How long a throttled attempt waits where the provider does not say, in milliseconds. */
const THROTTLED_MS = 1_000;

/** The most that is told of a provider's words, in characters. */
const WORDS_MAX = 200;

/** What could be a passcode, or a number of a phone. */
const NUMBER = /[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){3,}/g;

/** The JSON of an answer, as far as the schema reads it; null: it is not that. */
export function readAs<T>(schema: z.ZodType<T>, { body }: Answer): T | null {
  try {
    return schema.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

/** How long to wait after `throttled`, in milliseconds: `Retry-After`, as seconds or as a date (RFC 9110 §10.2.3), or a second. */
export function retryAfterMs({ headers }: Answer): number {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1_000;
  // Date.parse alone takes `1` for a year.
  const at = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? THROTTLED_MS : Math.max(0, at - Date.now());
}

/**
 * What an answer of 5xx means where the provider says no more. 503 is "currently unable to handle the request" (RFC 9110 §15.6.4): it was not
 * taken, and another provider may be asked. The others may come after the message was taken: from a provider that fell over what follows (500),
 * or from a proxy that waited for it no longer (502, 504). Those are never sent again.
 */
export function serverError(answer: Answer): SendOutcome {
  const told = { code: `http_${answer.status}`, message: `The provider answered ${answer.status}.` };
  return { kind: answer.status === 503 ? 'unavailable' : 'unknown', ...told };
}

/** What an answer means that says that something was taken, and not what: nobody knows. @param missing what it should have held */
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
 * A provider's words as they may be stored and shown: one line of at most 200 characters, without `hidden` (secrets, the text, the recipient)
 * in any of the ways in which a server may repeat them, and without what could be a passcode. @returns empty: nothing is left
 */
export function tellable(words: string, hidden: readonly string[]): string {
  const line = oneLine(words);
  const forms = hidden.flatMap(formsOf).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map(literal).join('|'), 'gi');
  const told = forms.length > 0 ? line.replaceAll(pattern, '…') : line;
  return told.replaceAll(NUMBER, '…').slice(0, WORDS_MAX).toWellFormed().trim();
}

/** A text as servers write it: as it is, in a URL, in a form, in JSON, in HTML, in base64. */
function formsOf(hidden: string): string[] {
  const forms = [hidden, oneLine(hidden)].filter(form => form !== '').flatMap(inAllPlaces);
  return [...new Set(forms)];
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

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

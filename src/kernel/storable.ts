import { z } from 'zod';

/** The fault of a text that cannot be stored. */
export const UNSTORABLE = 'holds a character that cannot be stored';

/** Whether PostgreSQL can store a text. A lone surrogate or a NUL would fail the whole statement. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** A text of somebody else, such as a provider's words, without what PostgreSQL cannot store. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll('\u0000', '');
}

/** Whether every text inside a JSON value can be stored. */
export function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (Array.isArray(value)) return value.every(isStorableJson);
  if (value && typeof value === 'object') {
    return Object.entries(value).every(([key, inner]) => isStorableText(key) && isStorableJson(inner));
  }
  return true;
}

/** The rule of a storable text of 1 to `max` characters. @param base the string before it, such as a trimmed one */
export function textInput(max: number, base = z.string()) {
  return base
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine(isStorableText, UNSTORABLE);
}

/** The rule of a name that people give a thing: one line of 1 to `max` characters. */
export function nameInput(max: number) {
  return textInput(max, z.string().trim()).refine(
    text => !/\p{Cc}/u.test(text),
    'must have no control characters, such as line breaks',
  );
}

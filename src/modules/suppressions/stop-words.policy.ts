/** The words by which people stop what they get, and start it again (contract §15). Pure. */

/** The words that stop, for every account. */
export const STOP_WORDS = [
  'STOP',
  'STOPALL',
  'UNSUBSCRIBE',
  'END',
  'QUIT',
  'CANCEL',
  'REVOKE',
  'OPTOUT',
  'OPT OUT',
  'OPT-OUT',
  'REMOVE',
  'ARRET',
] as const;

/** The words that take back what a word stopped. */
export const START_WORDS = ['START', 'UNSTOP', 'YES'] as const;

/** The words that ask for help. */
export const HELP_WORDS = ['HELP', 'INFO'] as const;

/** Whether a word stops, starts or helps, by everybody's words or an account's own. */
export function isReserved(
  word: string,
  { stopWords, startWords }: { readonly stopWords: readonly string[]; readonly startWords: readonly string[] },
): boolean {
  return [STOP_WORDS, START_WORDS, HELP_WORDS, stopWords, startWords].some((words: readonly string[]) =>
    words.includes(word),
  );
}

/** The longest text that may be a word, in characters: longer ones are sentences. */
export const WORD_MAX = 40;

/** Blanks and punctuation around a word; an apostrophe inside of one stays. */
const AROUND = /^[\p{P}\p{S}\p{Z}\p{C}]+|[\p{P}\p{S}\p{Z}\p{C}]+$/gu;

/** A text as words are compared: without case, surrounding blanks and punctuation. Null: it is empty then, or too long for a word. */
export function wordOf(text: string): string | null {
  if (text.length > 4 * WORD_MAX) return null;
  const word = text.normalize('NFC').replaceAll(AROUND, '').toUpperCase();
  return word === '' || word.length > WORD_MAX ? null : word;
}

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
  'ARRÊT',
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

/** The longest form of such a word that is looked at: marks are parts of characters. */
const LOOKED_AT = 4 * WORD_MAX;

/** Blanks and punctuation around a word; an apostrophe inside of one stays. */
const AROUND = /^[\p{P}\p{S}\p{Z}\p{C}\p{Me}]+|[\p{P}\p{S}\p{Z}\p{C}\p{Me}]+$/gu;

/** A character that is a part of a word. */
const INNER = /[^\p{P}\p{S}\p{Z}\p{C}\p{Me}]/u;

/** Marks that nobody sees: those that choose the look of an emoji, soft hyphens, joiners. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

const DASHES = /[\p{Pd}\u2212]/gu;

const BLANKS = /[\s\p{Z}]+/gu;

/** The Turkish capital of `i`, in both spellings. Its `ı` is `I` in capitals already. */
const DOTTED = /\u0130|I\u0307/g;

/**
 * A text as words are compared: without case, surrounding blanks and punctuation. One word has one form, whatever the keyboard made of its letters, dashes and
 * blanks. Null: it is empty then, or too long for a word.
 */
export function wordOf(text: string): string | null {
  const seen = text.replaceAll(UNSEEN, '');
  const begin = seen.search(INNER);
  // However much stands around it: the end is cut from a short text alone, for that looks at each blank anew.
  if (begin < 0 || INNER.test(seen.slice(begin + LOOKED_AT))) return null;
  const head = seen.slice(begin, begin + LOOKED_AT);
  // Twice: signs like ™ become letters, and full-width ones become blanks and punctuation.
  const inner = head.replaceAll(AROUND, '').normalize('NFKC').replaceAll(AROUND, '');
  const word = inner.replaceAll(DASHES, '-').replaceAll(BLANKS, ' ').toUpperCase().replaceAll(DOTTED, 'I');
  return word === '' || word.length > WORD_MAX ? null : word;
}

/** Words that mean something else on a button or below a picture: an appointment is cancelled, a film is at its end. */
const AMBIGUOUS = ['END', 'QUIT', 'CANCEL', 'REVOKE', 'REMOVE', 'YES'];

/** As `wordOf`, of a caption or of the label of a button. Null: it is no word, or means something else there. */
export function labelWordOf(text: string): string | null {
  const word = wordOf(text);
  return word === null || AMBIGUOUS.includes(word) ? null : word;
}

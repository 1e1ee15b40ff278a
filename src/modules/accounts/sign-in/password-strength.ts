/** Refuses new passwords that others would try first (NIST SP 800-63B). There are no rules on kinds of characters. */
import { type AppError, invalidInput } from '../../../kernel/errors.ts';

/** How much of a password is looked at: the time grows with its square. */
const LOOKED_AT_MAX = 32;

/** The least score that is taken, of 0 to 4: it takes 100 million guesses by somebody who knows how people choose passwords. */
const SCORE_MIN = 3;

/** How many digits and marks a password has beside a common word that has all of its letters: seven are a year and three marks. */
const MARKS_MIN = 8;

/** The name of the gateway, which its people think of first. */
const GATEWAY = 'heliograph';

/** How many letters and digits a password has beside words that everybody knows of its person. */
const OTHERS_MIN = 5;

/** The languages whose months and weekdays are known. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'tr'];

/** Their seasons, of which no library has a list. */
const SEASONS = `spring summer autumn fall winter
  frühling frühjahr sommer herbst printemps été automne hiver primavera verano otoño invierno estate autunno inverno
  verão outono lente zomer herfst wiosna lato jesień zima vår höst ilkbahar yaz sonbahar kış`;

const LITTLE_MORE = "holds little more than the e-mail address or the gateway's name";

/** The fault of a password by the warning of the library; any other password of a low score is made of few common words. */
const FAULTS: Readonly<Record<string, string>> = {
  simpleRepeat: 'repeats itself',
  extendedRepeat: 'repeats itself',
  sequences: 'is a sequence',
  straightRow: 'is a row of keys',
  keyPattern: 'is a pattern of keys',
  userInputs: LITTLE_MORE,
  dates: 'is a date',
  recentYears: 'is a year',
  topTen: 'is one of the commonest passwords',
  topHundred: 'is one of the commonest passwords',
  common: 'is a common password',
  similarToCommon: 'is much like a common password',
};
const OTHERWISE = 'is made of few common words';

const MANGLED = 'is a common word with digits and marks';

const OF_THE_CALENDAR = 'is a season or a month or a weekday with digits and marks';

const MEND = 'choose a sentence, or four words that nobody would expect together';

/** Looks at a password; `words` are of the person and of the gateway. Null: it is hard to guess. */
type FindFault = (password: string, words: readonly string[]) => string | null;

let loading: Promise<FindFault> | null = null;

/** Refuses a password that is easy to guess for somebody who knows the address and what others choose. @throws AppError `invalid_input` on `field` */
export async function requireHardToGuess(password: string, email: string, field: string): Promise<void> {
  const text = password.normalize('NFKC');
  if (text.trim().toLowerCase() === email) throw invalidInput(field, `must not be the e-mail address`);
  const words = [GATEWAY, email, ...email.split(/[^\p{L}\p{N}]+/u)].filter(word => word.length > 2);
  if (lengthBeside(words, text) < OTHERS_MIN) throw easy(field, LITTLE_MORE);
  // 30,000 words take 30 MB and a tenth of a second: most processes never need them.
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  const findFault = await loading;
  const fault = findFault(text.slice(0, LOOKED_AT_MAX), words);
  if (fault !== null) throw easy(field, fault);
}

function easy(field: string, fault: string): AppError {
  return invalidInput(field, `is easy to guess, as it ${fault}: ${MEND}`);
}

/** How many letters and digits of a password are left without these words; infinite: it has none of them. The library counts each word as a guess of its own. */
function lengthBeside(words: readonly string[], password: string): number {
  const text = password.toLowerCase();
  const rest = words.toSorted((a, b) => b.length - a.length).reduce((left, word) => left.replaceAll(word, ''), text);
  return rest === text ? Number.POSITIVE_INFINITY : rest.replaceAll(/[^\p{L}\p{N}]/gu, '').length;
}

async function load(): Promise<FindFault> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const calendar = wordsOfCalendar();
  const zxcvbn = new ZxcvbnFactory({ dictionary: { ...dictionary, calendar: [...calendar] }, graphs: adjacencyGraphs });
  return (password, words) => {
    const { score, feedback, sequence } = zxcvbn.check(password, [...words]);
    if (score < SCORE_MIN) return FAULTS[feedback.warning ?? ''] ?? OTHERWISE;
    // To the library any three pieces are hard to guess, however easy each of them is.
    const worded = sequence.filter(({ token }) => lettersOf(token) !== '');
    const isOfCalendar = worded.every(({ matchedWord }) => calendar.has(lettersOf(matchedWord ?? '')));
    if (worded.length > 0 && isOfCalendar) return OF_THE_CALENDAR;
    const [word, ...others] = worded;
    const isOneWord = word?.pattern === 'dictionary' && others.length === 0;
    return isOneWord && password.length - word.token.length < MARKS_MIN ? MANGLED : null;
  };
}

/** Seasons, months and weekdays in lower case, with and without what stands on their letters. */
function wordsOfCalendar(): Set<string> {
  // The first days of the months of any year fall on all weekdays.
  const days = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month));
  const words = LANGUAGES.flatMap(language =>
    (['month', 'weekday'] as const).flatMap(part => {
      const format = new Intl.DateTimeFormat(language, { [part]: 'long', timeZone: 'UTC' });
      return days.map(day => format.format(day).toLocaleLowerCase(language));
    }),
  );
  const all = [...words, ...SEASONS.split(/\s+/)].flatMap(word => [
    word,
    word.normalize('NFKD').replaceAll(/\p{M}/gu, ''),
  ]);
  return new Set(all.map(lettersOf));
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}]/gu, '');
}

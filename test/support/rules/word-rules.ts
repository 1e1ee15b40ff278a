/** How things are called, and how comments are written: a sentence names its thing first, and is short. */
import { lineAt, parseSource, type Sources, walk } from './sources.ts';

/** Words that stand for a thing in place of its name. */
const NO_NAME = /^(it|that|what|who|where|which)\b/i;

const WORDS_MAX = 25;

/** Written by a generator, or as it was when it ran. */
const LEFT_ALONE = /\.generated\.ts$|^src\/db\/migrations\//;

/** Orders to the linter and the compiler. */
const ORDER = /^\s*(biome-ignore|\/ <reference|@ts-)/;

/** Gives a line for each sentence of a comment that breaks a rule. */
export function findCommentFaults(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => !LEFT_ALONE.test(path))
    .flatMap(([path, text]) =>
      parseSource(path, text)
        .comments.filter(({ value }) => !ORDER.test(value))
        .flatMap(({ value, line }) =>
          sentencesOf(value)
            .flatMap(faultsOf)
            .map(fault => `${path}:${line}: ${fault}`),
        ),
    );
}

/** The sentences of a comment and of its tags; code counts as one word. */
export function sentencesOf(comment: string): string[] {
  return comment
    .replaceAll(/^\s*\*+ ?/gm, '')
    .replaceAll(/`[^`]*`/g, '`code`')
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?])\s+(?=[A-Z`])|(?=@(?:param|returns|throws)\b)/)
    .map(sentence => sentence.replace(/^@(?:param \S+|returns|throws)\s*/, '').trim())
    .filter(sentence => sentence !== '');
}

function faultsOf(sentence: string): string[] {
  const words = sentence.split(' ').length;
  return [
    ...(NO_NAME.test(sentence) ? [`name the thing first: ${sentence}`] : []),
    ...(words > WORDS_MAX ? [`${words} words, at most ${WORDS_MAX}: ${sentence}`] : []),
  ];
}

/** Code says `otp`: *passcode* is a word for people. These are documented members and words of the API. */
const TOLD = new Set(['passcodes', 'passcodes_blocked', 'PASSCODES', 'PASSCODES_BLOCKED']);

/** Gives a line for each name of code, or of a file, that says passcode. */
export function findFormerNames(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const names = [...walk(parseSource(path, text).body)].filter(
      ({ type, name }) => type.endsWith('Identifier') && /passcode/i.test(String(name)) && !TOLD.has(String(name)),
    );
    return [
      ...(/passcode/i.test(path) ? [`${path}: call the file otp`] : []),
      ...names.map(({ name, start }) => `${path}:${lineAt(text, start)}: call ${String(name)} otp`),
    ];
  });
}

/** Words of pages that misled people, and must not come back. */
const MISLEADING: readonly RegExp[] = [
  // A time that is past is no next try: `NextTry` says that it is due.
  /next try(?: is)?(?:\{' '\})?\s+(?:<Time|\$\{)/i,
  /left alone until/,
  /who knows it can report/i,
  /how large a part it gets/i,
  /such a message is lost on every channel/i,
  /belongs into no/i,
  /head: '(?:Made|Again)'/,
  /^\s*(?:MADE|AGAIN): /m,
];

/** Gives a line for each misleading word of a text. */
export function findMisleadingWords(sources: Sources): string[] {
  return linesWith(sources, MISLEADING, 'misleads');
}

/** The two that may format times: all pages show them in one form, in the zone that is chosen. */
const FORMATS_TIMES = ['src/dashboard/app/ui/times.tsx', 'src/dashboard/app/ui/region/region.ts'];

/** Gives a line for each time, date or number that a page formats by itself. */
export function findOwnFormats(sources: Sources): string[] {
  const pages = [...sources].filter(([path]) => path.startsWith('src/dashboard/') && !FORMATS_TIMES.includes(path));
  return linesWith(new Map(pages), [/Intl\.DateTimeFormat/, /\.toLocale\w*String\b/], 'belongs to times.tsx');
}

function linesWith(sources: Sources, words: readonly RegExp[], fault: string): string[] {
  return [...sources].flatMap(([path, text]) =>
    words.flatMap(word => {
      const [found] = word.exec(text) ?? [];
      return found === undefined ? [] : [`${path}: ${found.trim()} ${fault}`];
    }),
  );
}

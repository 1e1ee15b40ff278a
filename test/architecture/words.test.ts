import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY } from '../support/repository.ts';
import { readSources } from '../support/rules/sources.ts';
import {
  findCommentFaults,
  findFormerNames,
  findMisleadingWords,
  findOwnFormats,
  sentencesOf,
} from '../support/rules/word-rules.ts';

const tests = globSync('test/**/*.{ts,tsx}', { cwd: REPOSITORY }).map(
  file => [file.replaceAll(sep, '/'), readFileSync(join(REPOSITORY, file), 'utf8')] as const,
);

test('comments name their thing first, in short sentences, those of tests too', () => {
  expect(findCommentFaults(new Map([...readSources(), ...tests]))).toEqual([]);
});

function faultsOf(comment: string): string[] {
  return findCommentFaults(new Map([['src/db/a.ts', comment]]));
}

const LONG = `/** ${'word '.repeat(25)}more. */`;

describe('the check of comments notices', () => {
  test.each([
    ['/** It is there. */', 'name the thing first: It is there.'],
    ['/** A row. Where it is old, nobody reads it. */', 'name the thing first: Where it is old, nobody reads it.'],
    ['// What is told.', 'name the thing first: What is told.'],
    ['/** A row. @returns what is told */', 'name the thing first: what is told'],
    ['/** A row. @param row which of them */', 'name the thing first: which of them'],
    [LONG, '26 words, at most 25'],
    ['// A row that is\n// read. Who asks?', 'src/db/a.ts:1: name the thing first: Who asks?'],
  ])('%s', (comment, fault) => {
    expect(faultsOf(comment)).toEqual([expect.stringContaining(fault)]);
  });
});

test.each([
  '/** A row that nobody reads, whose time is over. */',
  '// biome-ignore lint/plugin: it is meant',
  LONG.replace('word ', ''),
  '/** `select what it is from who where which` is one word, e.g. for a reader. */',
])('the check of comments allows %s', comment => {
  expect(faultsOf(comment)).toEqual([]);
});

test('the sentences of a comment are those of its text and of its tags', () => {
  const comment = '*\n * One row. Read by `a. B c`!\n * @throws AppError where it is gone\n ';
  expect(sentencesOf(comment)).toEqual(['One row.', 'Read by `code`!', 'AppError where it is gone']);
});

test('code says otp: no name of it, and no file, says passcode', () => {
  expect(findFormerNames(new Map([...readSources(), ...tests]))).toEqual([]);
});

test.each([
  ['src/a.ts', 'const passcodeLength = 6;', 'src/a.ts:1: call passcodeLength otp'],
  ['src/a.ts', 'send({ passcode });', 'src/a.ts:1: call passcode otp'],
  ['src/a.ts', 'export interface PasscodeSent {}', 'src/a.ts:1: call PasscodeSent otp'],
  ['src/passcode.ts', '', 'src/passcode.ts: call the file otp'],
])('the check of names notices %s with %s', (path, text, fault) => {
  expect(findFormerNames(new Map([[path, text]]))).toContain(fault);
});

test('the check of names allows texts, and words that are documented', () => {
  const text = "const label = 'A passcode'; const { passcodes } = lost; // of passcodes";
  expect(findFormerNames(new Map([['src/a.ts', text]]))).toEqual([]);
});

test('no text says what misled people', () => {
  expect(findMisleadingWords(readSources())).toEqual([]);
});

test.each([
  "The next try is{' '}\n<Time at={at} />",
  'Next try <Time at={at} />.',
  'is left alone until now, then one try decides',
  'Who knows it can report, too.',
  'How large a part it gets of the recipients of those with its priority',
  'such a message is lost on every channel',
  'It belongs into no app.',
  "{ head: 'Made', cell }",
  "{ head: 'Again', cell }",
  "  MADE: 'createdAt',",
])('the check of texts notices %j', text => {
  expect(findMisleadingWords(new Map([['src/a.tsx', text]]))).toHaveLength(1);
});

test('pages show times by one part, in the zone that is chosen', () => {
  expect(findOwnFormats(readSources())).toEqual([]);
});

test.each(['new Intl.DateTimeFormat()', 'at.toLocaleString()', 'at.toLocaleTimeString("en")'])(
  'the check of times notices %s',
  text => {
    expect(findOwnFormats(new Map([['src/dashboard/app/features/a.tsx', text]]))).toHaveLength(1);
    expect(findOwnFormats(new Map([['src/dashboard/app/ui/times.tsx', text]]))).toEqual([]);
  },
);

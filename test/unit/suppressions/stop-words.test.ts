import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isReserved,
  START_WORDS,
  STOP_WORDS,
  WORD_MAX,
  wordOf,
} from '../../../src/modules/suppressions/stop-words.policy.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { PLAIN_TEXTS } from '../../support/suppressions/plain-texts.ts';

const WORDS = [...STOP_WORDS, ...START_WORDS];

/** The words of the contract, by hand. */
test('the words that stop are those of the contract', () => {
  expect(STOP_WORDS.join(', ')).toBe(
    'STOP, STOPALL, UNSUBSCRIBE, END, QUIT, CANCEL, REVOKE, OPTOUT, OPT OUT, OPT-OUT, REMOVE, ARRET, ARRÊT',
  );
  expect(START_WORDS.join(', ')).toBe('START, UNSTOP, YES');
});

const AROUND = ['', ' ', '.', '!', '  ', '\n', '"', '…', '\u00a0', '.\n', ' !!! ', '«', '*'];

describe.each(WORDS)('%s', word => {
  test.each(AROUND)('is a word between %j', around => {
    for (const text of [word, word.toLowerCase(), word[0] + word.slice(1).toLowerCase()])
      expect(wordOf(`${around}${text}${around}`)).toBe(word);
  });

  test.each(['12345', 'please', 'it', 'now', 'ped', '?no'])('is none before %s', rest => {
    expect(WORDS).not.toContain(wordOf(`${word} ${rest}`));
  });
});

test.each([' ', '!', '\u200b', '\n', '🙂'])('a word is one with 1,000 of %j on each side', around => {
  const many = around.repeat(1_000);
  expect(wordOf(`${many}stop${many}`)).toBe('STOP');
  expect(wordOf(`${many}stop${many}12345`)).not.toBe('STOP');
});

test('a sentence that holds a word is none', async () => {
  const around = fc.string({ unit: 'grapheme', minLength: 1 }).filter(text => /[\p{L}\p{N}]/u.test(text));
  await assertProperty(
    fc.property(fc.constantFrom(...WORDS), around, (word, other) => {
      for (const text of [`${word} ${other}`, `${other} ${word}`]) {
        const read = wordOf(text);
        // "OPT OUT" is a word, and "OPT" none.
        expect(read === null || read !== word).toBe(true);
      }
    }),
  );
});

test.each(['', '   ', '...', '\u0000', 'x'.repeat(WORD_MAX + 1)])('%j is no word', text => {
  expect(wordOf(text)).toBeNull();
});

test.each(PLAIN_TEXTS)('%j neither stops, starts nor helps', text => {
  expect(isReserved(wordOf(text) ?? '', { stopWords: [], startWords: [] })).toBe(false);
});

test.each([
  ['STOP❗️', 'STOP'],
  ['STOP ‼️', 'STOP'],
  ['🛑️ Stop™', 'STOP'],
  ['ＳＴＯＰ！', 'STOP'],
  ['st\u00adop', 'STOP'],
  ['\ufeffSTOP\u200b', 'STOP'],
  ['OPT\u2011OUT', 'OPT-OUT'],
  ['OPT–OUT', 'OPT-OUT'],
  ['opt\u2212out', 'OPT-OUT'],
  ['OPT  OUT', 'OPT OUT'],
  ['opt\u00a0out', 'OPT OUT'],
  ['opt\tout', 'OPT OUT'],
  ['opt\u3000out', 'OPT OUT'],
  ['Arre\u0302t', 'ARRÊT'],
])('%j is %s', (text, word) => {
  expect(wordOf(text)).toBe(word);
  expect(isReserved(word, { stopWords: [], startWords: [] })).toBe(true);
});

test.each(['İptal', 'iptal', 'IPTAL', 'ıptal', 'i\u0307ptal'])('%j is one word with or without its dots', text => {
  expect(wordOf(text)).toBe('IPTAL');
});

test('words of other scripts are words', () => {
  expect(['стоп', ' Durdur!', '停止', 'arrêt'].map(wordOf)).toEqual(['СТОП', 'DURDUR', '停止', 'ARRÊT']);
});

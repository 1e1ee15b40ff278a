import { expect, test } from 'vitest';
import { isCode, OWN_CODES, publicMessage, sentenceOf } from '../../../src/kernel/attempt-errors.ts';
import { readPage } from '../../support/rules/docs.ts';

const UNKNOWN = 'The provider refused it.';

test.each([
  // As true where a connection serves other countries as where there is none.
  ['no_route', 'No connection takes this.'],
  ['timeout', 'The provider did not answer in time.'],
  ['http_503', 'The provider answered 503.'],
  ['twilio_21211', 'Twilio refused it with its error 21211.'],
  ['vonage_6', 'Vonage refused it with its status 6.'],
  ['vonage_dlr_5', 'Vonage reports its error 5.'],
  ['esme_rinvdstadr', 'The SMSC answered ESME_RINVDSTADR.'],
  ['0x00000400', 'The SMSC answered 0x00000400.'],
  ['absent_subscriber', UNKNOWN],
  ['http_dear', UNKNOWN],
  ['__proto__', UNKNOWN],
  [null, UNKNOWN],
])('the sentence of the code %s is ours', (code, sentence) => {
  expect(sentenceOf(code)).toBe(sentence);
});

test('what we say ourselves is public as it is, and nothing that a provider says', () => {
  const reachable = { code: 'connection_failed', message: 'The provider cannot be reached (ECONNREFUSED).' };
  expect(publicMessage(reachable)).toBe(reachable.message);
  expect(publicMessage({ code: 'http_500', message: 'Dear Ada' })).toBe('The provider answered 500.');
  expect(publicMessage({ code: 'odd', message: 'Dear Ada' })).toBe(UNKNOWN);
});

test.each([
  ['000', true],
  ['vendor.reason:12-b', true],
  ['Dear Ada', false],
  ['', false],
  ['x'.repeat(65), false],
])('%j is a code: %s', (word, is) => {
  expect(isCode(word)).toBe(is);
});

test('every code of our own is explained', () => {
  const { text } = readPage('docs/errors.md');
  expect(OWN_CODES.filter(code => !text.includes(`\`${code}\``) && !text.includes(`### ${code}\n`))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { noRoute } from '../../../src/channels/no-route.ts';
import type { Considered, Verdict, Wanted } from '../../../src/channels/providers.ts';

const wanted = (more: Partial<Wanted> = {}): Wanted => ({
  accountId: 'acc_1',
  channel: 'sms',
  purpose: 'message',
  recipient: '12025550142',
  country: () => 'US',
  ...more,
});

const considered = (name: string, verdict: Verdict, countries: readonly string[] | null = null): Considered => ({
  connectionId: `con_${name}`,
  name,
  provider: 'http-sms',
  countries,
  verdict,
  reason: null,
});

const sentenceOf = (all: readonly Considered[], more: Partial<Wanted> = {}): string => {
  const outcome = noRoute({ sentBy: 'nobody', considered: all }, wanted(more));
  expect(outcome).toMatchObject({ kind: 'rejected', code: 'no_route' });
  return outcome.kind === 'accepted' ? '' : outcome.message;
};

describe('the sentence of no_route', () => {
  test.each<[string, readonly Considered[], Partial<Wanted>, string]>([
    ['nothing is connected', [], {}, 'No provider is connected for this channel.'],
    [
      'a connection serves another country',
      [considered('Main carrier', 'country', ['SE'])],
      {},
      'No connection serves US: Main carrier serves SE.',
    ],
    [
      'the country of the number is not known',
      [considered('Main carrier', 'country', ['SE', 'NO'])],
      { country: () => null },
      'No connection serves this number: Main carrier serves SE, NO.',
    ],
    [
      'one is paused and one cannot be read',
      [considered('A', 'paused'), considered('B', 'unusable')],
      {},
      'No connection sends messages over SMS: A is paused; the config of B cannot be read.',
    ],
    [
      'a connection is for messages alone',
      [considered('A', 'purpose')],
      { purpose: 'otp' },
      'No connection sends passcodes over SMS: A is for messages alone.',
    ],
    [
      'there are more than three',
      ['A', 'B', 'C', 'D', 'E'].map(name => considered(name, 'country', ['SE'])),
      {},
      'No connection serves US: A serves SE; B serves SE; C serves SE; 2 more do not fit either.',
    ],
  ])('says what there is where %s', (_when, all, more, sentence) => {
    expect(sentenceOf(all, more)).toBe(sentence);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SenderRule } from '../../../src/kernel/channel.ts';
import { CHANNELS } from '../../../src/kernel/channel.ts';
import {
  ALPHANUMERIC_RULES,
  applySenderRules as applyRules,
  type RuledAttempt,
} from '../../../src/modules/sender-rules/sender-rule.policy.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const NUMBER = '15550100199';

const rule = (
  country: string,
  alphanumeric: SenderRule['alphanumeric'],
  connectionId: string | null = null,
): SenderRule => ({
  country,
  connectionId,
  alphanumeric,
  numericSender: alphanumeric === 'replaced' ? NUMBER : null,
});

const applySenderRules = (rules: readonly SenderRule[], attempt: RuledAttempt) =>
  applyRules({ byCountry: Map.groupBy(rules, ({ country }) => country) }, attempt);

const US: RuledAttempt = { channel: 'sms', sender: 'ACME', recipient: '12025550100' };

describe('applySenderRules', () => {
  test('leaves the sender without a rule', () => {
    expect(applySenderRules([], US)).toEqual({ sender: 'ACME', refusal: null });
    expect(applySenderRules([rule('CA', 'refused')], US)).toEqual({ sender: 'ACME', refusal: null });
  });

  test('puts the number of the rule in the place of a name', () => {
    expect(applySenderRules([rule('US', 'replaced')], US)).toEqual({ sender: NUMBER, refusal: null });
  });

  test('refuses a name, and says why and what to do', () => {
    expect(applySenderRules([rule('US', 'refused')], US)).toEqual({
      sender: 'ACME',
      refusal: {
        kind: 'rejected',
        code: 'sender_not_possible',
        message: 'An SMS to US cannot come from a name. Send it from a number, or over another channel.',
      },
    });
  });

  test.each([
    ['the United States', '12025550100', 'US'],
    ['Canada', '14165550100', 'CA'],
    ['Puerto Rico', '17875550100', 'PR'],
    ['China', '8613812345678', 'CN'],
  ])('reads the country from the number: %s', (_where, recipient, country) => {
    expect(applySenderRules([rule(country, 'refused')], { ...US, recipient }).refusal).not.toBeNull();
    const others = ['US', 'CA', 'PR', 'CN'].filter(other => other !== country).map(other => rule(other, 'refused'));
    expect(applySenderRules(others, { ...US, recipient }).refusal).toBeNull();
  });

  test('takes the country that is known rather than that of the number', () => {
    expect(applySenderRules([rule('PR', 'refused')], { ...US, country: 'PR' }).refusal).not.toBeNull();
    expect(applySenderRules([rule('US', 'refused')], { ...US, country: 'PR' }).refusal).toBeNull();
  });

  test('has no rule for a number of no country', () => {
    const everywhere = ['US', 'CA', 'PR', 'CN'].map(country => rule(country, 'refused'));
    expect(applySenderRules(everywhere, { ...US, recipient: '870773111632' }).refusal).toBeNull();
  });

  test.each([
    ['a number', { ...US, sender: NUMBER }],
    ['a short code', { ...US, sender: '72345' }],
    ['a chat', { ...US, channel: 'chat_qr' as const }],
    ['a sender that is not known', { ...US, sender: null }],
  ])('leaves %s', (_what, attempt) => {
    expect(applySenderRules([rule('US', 'refused')], attempt)).toEqual({ sender: attempt.sender, refusal: null });
  });

  test.each(['A', 'A 1', '1-800 go', 'a.b_c&d'])('takes %j for a name', sender => {
    expect(applySenderRules([rule('US', 'replaced')], { ...US, sender }).sender).toBe(NUMBER);
  });

  describe('with a rule of a connection', () => {
    const rules = [rule('US', 'refused'), rule('US', 'allowed', 'con_1'), rule('US', 'replaced', 'con_2')];

    test('it goes before the rule of all, for that connection', () => {
      const by = (connectionId: string | null) => applySenderRules(rules, { ...US, connectionId });
      expect(by('con_1')).toEqual({ sender: 'ACME', refusal: null });
      expect(by('con_2')).toEqual({ sender: NUMBER, refusal: null });
      expect(by('con_3').refusal).not.toBeNull();
      expect(by(null).refusal).not.toBeNull();
    });

    test('a refusal is its own: another one may send it', () => {
      const own = applySenderRules([rule('US', 'refused', 'con_1')], { ...US, connectionId: 'con_1' });
      expect(own.refusal).toMatchObject({ kind: 'rejected', code: 'sender_not_possible', isOwn: true });
      expect(applySenderRules(rules, { ...US, connectionId: 'con_3' }).refusal).not.toHaveProperty('isOwn');
    });
  });

  test('makes the same of what it has made: an attempt that is resumed goes out as it began', () => {
    const country = fc.constantFrom('US', 'DE');
    const connectionId = fc.constantFrom(null, 'con_1', 'con_2');
    const rules = fc.array(
      fc.tuple(country, fc.constantFrom(...ALPHANUMERIC_RULES), connectionId).map(parts => rule(...parts)),
    );
    const attempts = fc.record({
      channel: fc.constantFrom(...CHANNELS),
      sender: fc.constantFrom('ACME', '72345', NUMBER, null),
      recipient: fc.constantFrom('12025550100', '4915112345678'),
      country: fc.option(country),
      connectionId,
    });
    assertProperty(
      fc.property(rules, attempts, (given, attempt) => {
        const once = applySenderRules(given, attempt);
        expect(applySenderRules(given, { ...attempt, sender: once.sender })).toEqual(once);
        // A refused attempt keeps its sender, for the words of the refusal.
        if (once.refusal) expect(once.sender).toBe(attempt.sender);
      }),
    );
  });
});

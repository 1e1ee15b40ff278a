import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ALL_COUNTRIES,
  type Counted,
  ENOUGH,
  farBelow,
  judge,
  type Share,
  sicknessOf,
  triesSick,
} from '../../../src/modules/connections/health/health.policy.ts';
import { type Ailment, wellFirst } from '../../../src/modules/connections/live/choose.policy.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const share = (good: number, of: number): Share => ({ good, of });
const ALL_GOOD = { taken: share(500, 500), delivered: share(460, 500) };

const counted = (more: Partial<Counted>): Counted => ({
  connectionId: 'con_a',
  country: 'US',
  recent: ALL_GOOD,
  usual: ALL_GOOD,
  wasSick: false,
  ...more,
});

const recent = (taken: Share, delivered: Share) => ({ taken, delivered });

describe('a connection is sick', () => {
  test.each<[what: string, row: Partial<Counted>, reason: string]>([
    [
      'where it delivers far less than within its day',
      { recent: recent(share(20, 20), share(2, 20)) },
      '10 % of its newest texts to US were delivered in time; 92 % are usual.',
    ],
    [
      'where its provider takes far less than within its day',
      { recent: recent(share(3, 20), share(0, 0)) },
      'The provider took 15 % of its newest texts to US; 100 % are usual.',
    ],
    [
      'for all countries, which its reason does not name',
      { country: ALL_COUNTRIES, recent: recent(share(20, 20), share(0, 20)) },
      '0 % of its newest texts were delivered in time; 92 % are usual.',
    ],
  ])('%s', (_what, row, reason) => {
    expect(sicknessOf(counted(row), [])).toBe(reason);
  });

  test('where others deliver the same country, though it never did', () => {
    const never = { recent: recent(share(40, 40), share(0, 40)), usual: recent(share(400, 400), share(0, 400)) };
    const [row, other] = judge([counted(never), counted({ connectionId: 'con_b' })], () => 'group');
    expect(row?.reason).toBe('0 % of its newest texts to US were delivered in time; 92 % are usual.');
    expect(other?.reason).toBeNull();
  });

  test.each<[what: string, other: Partial<Counted>, groupOf: (id: string) => string]>([
    ['another country', { country: 'DE' }, () => 'group'],
    ['another account', {}, id => id],
  ])('not by what others deliver for %s', (_what, other, groupOf) => {
    const never = { recent: recent(share(40, 40), share(0, 40)), usual: recent(share(400, 400), share(0, 400)) };
    const rows = judge([counted(never), counted({ connectionId: 'con_b', ...other })], groupOf);
    expect(rows.map(({ reason }) => reason)).toEqual([null, null]);
  });

  test('over all countries by itself alone, as others may serve other countries', () => {
    const never = { recent: recent(share(40, 40), share(0, 40)), usual: recent(share(400, 400), share(0, 400)) };
    const all = { country: ALL_COUNTRIES };
    const rows = judge([counted({ ...never, ...all }), counted({ connectionId: 'con_b', ...all })], () => 'group');
    expect(rows.map(({ reason }) => reason)).toEqual([null, null]);
  });
});

const aShare = fc
  .tuple(fc.nat(2_000), fc.nat(2_000))
  .map(([one, other]) => share(Math.min(one, other), Math.max(one, other)));

describe('a judgement', () => {
  test('is not passed on fewer attempts than are enough', () => {
    assertProperty(
      fc.property(fc.integer({ min: 0, max: ENOUGH - 1 }), fc.array(aShare), (of, usual) => {
        expect(farBelow(share(0, of), usual)).toBeNull();
      }),
    );
  });

  test('leaves whoever does at least half of what is usual', () => {
    assertProperty(
      fc.property(aShare, fc.array(aShare), (now, usual) => {
        const best = Math.max(0, ...usual.map(({ good, of }) => (of === 0 ? 0 : good / of)));
        fc.pre(now.of > 0 && now.good / now.of >= best / 2);
        expect(farBelow(now, usual)).toBeNull();
      }),
    );
  });

  test('finds whoever does nothing where others do all of it', () => {
    assertProperty(
      fc.property(fc.integer({ min: ENOUGH, max: 2_000 }), fc.array(aShare), (of, usual) => {
        expect(farBelow(share(0, of), [...usual, share(of, of)])).not.toBeNull();
      }),
    );
  });

  test('turns better only with what becomes better', () => {
    assertProperty(
      fc.property(aShare, fc.array(aShare), fc.nat(50), (now, usual, more) => {
        fc.pre(farBelow(now, usual) === null);
        expect(farBelow(share(now.good + more, now.of + more), usual)).toBeNull();
      }),
    );
  });

  test('stays as it was between half of what is usual and three quarters, so that it does not change with each count', () => {
    const usual = [share(1_000, 1_000)];
    const between = share(60, 100);
    expect(farBelow(between, usual, false)).toBeNull();
    expect(farBelow(between, usual, true)).not.toBeNull();
    expect(farBelow(share(80, 100), usual, true)).toBeNull();
  });

  test('of one that was sick is never milder than of one that was well', () => {
    assertProperty(
      fc.property(aShare, fc.array(aShare), (now, usual) => {
        fc.pre(farBelow(now, usual, false) !== null);
        expect(farBelow(now, usual, true)).not.toBeNull();
      }),
    );
  });

  test('forgets bad attempts as good ones take their place', () => {
    expect(farBelow(share(0, 20), [ALL_GOOD.delivered])).not.toBeNull();
    expect(farBelow(share(7, 20), [ALL_GOOD.delivered])).toBeNull();
  });
});

/** A connection of the order: how it is, and whether this recipient would try it. */
interface Ordered {
  readonly id: number;
  readonly ailment: Ailment | null;
}

const ordered = fc
  .array(fc.constantFrom<(Ailment | null)[]>(null, { verdict: 'sick' }, { verdict: 'trial' }, { verdict: 'down' }), {
    maxLength: 8,
  })
  .map(all => all.map((ailment, id): Ordered => ({ id, ailment })));

const orderOf = (all: readonly Ordered[]) => wellFirst(all, ({ ailment }) => ailment);
const ids = (all: readonly Ordered[]) => all.map(({ id }) => id);

describe('the order of connections', () => {
  test('has each of them once, so that a sick one is still asked where the others cannot send', () => {
    assertProperty(
      fc.property(ordered, all => {
        expect(ids(orderOf(all)).sort((a, b) => a - b)).toEqual(ids(all));
      }),
    );
  });

  test('is that of priority where all are well, where all are sick, and where all are down', () => {
    assertProperty(
      fc.property(ordered, fc.constantFrom('sick', 'down', null), (all, verdict) => {
        const same = all.map(({ id }): Ordered => ({ id, ailment: verdict && { verdict } }));
        expect(orderOf(same)).toEqual(same);
      }),
    );
  });

  test('is that of priority among the sick and among those that are down, which come last, where none is healthy', () => {
    assertProperty(
      fc.property(ordered, all => {
        const ill = all.filter(({ ailment }) => ailment?.verdict === 'sick' || ailment?.verdict === 'down');
        const like = (verdict: string) => ill.filter(({ ailment }) => ailment?.verdict === verdict);
        expect(orderOf(ill)).toEqual([...like('sick'), ...like('down')]);
      }),
    );
  });

  test('never puts a sick connection, or one that is down, before one that is well', () => {
    assertProperty(
      fc.property(ordered, all => {
        const after = orderOf(all);
        const lastWell = after.findLastIndex(({ ailment }) => ailment === null);
        const isBehind = ({ ailment }: Ordered): boolean => ailment?.verdict === 'sick' || ailment?.verdict === 'down';
        expect(after.slice(0, Math.max(0, lastWell)).filter(isBehind)).toEqual([]);
      }),
    );
  });

  test('keeps the order of priority among those that are well or on trial', () => {
    assertProperty(
      fc.property(ordered, all => {
        const keeps = ({ ailment }: Ordered): boolean => ailment === null || ailment.verdict === 'trial';
        expect(orderOf(all).filter(keeps)).toEqual(all.filter(keeps));
      }),
    );
  });
});

describe('a sick connection', () => {
  const recipients = Array.from({ length: 4_000 }, (_, index) => `1202555${index}`);

  test('is tried by one recipient of twenty, in every round', () => {
    assertProperty(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (connectionId, round) => {
        const tries = recipients.filter(recipient => triesSick(connectionId, recipient, round)).length;
        expect(tries / recipients.length).toBeGreaterThan(0.03);
        expect(tries / recipients.length).toBeLessThan(0.075);
      }),
      // Each asks for thousands of recipients.
      { numRuns: rounds({ usual: 20, long: 500 }) },
    );
  });

  test('is never starved: of any recipient it gets something in time', () => {
    assertProperty(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (connectionId, recipient) => {
        const rounds = Array.from({ length: 1_000 }, (_, round) => String(round));
        const first = rounds.findIndex(round => triesSick(connectionId, recipient, round));
        expect(first).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('does not meet the same recipient again and again', () => {
    const unlucky = recipients.filter(recipient => triesSick('con_a', recipient, '1'));
    const again = unlucky.filter(recipient => triesSick('con_a', recipient, '2'));
    expect(again.length).toBeLessThan(unlucky.length / 5);
  });
});

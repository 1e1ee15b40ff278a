import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { ConcurrencyLimit, type Place } from '../../../src/rest/overload/concurrency-limit.ts';

let nowMs = 10_000;
beforeEach(() => {
  nowMs = 10_000;
});

/** Lets a request of a caller come; null: it was refused. `answeredAtMs` is when its connection was last answered. */
function ask(limit: ConcurrencyLimit, caller: string, answeredAtMs = 0): Place | null {
  return limit.enter(caller, answeredAtMs, () => undefined);
}

function askMany(limit: ConcurrencyLimit, caller: string, count: number, answeredAtMs = 0): (Place | null)[] {
  return Array.from({ length: count }, () => ask(limit, caller, answeredAtMs));
}

/** Ends a request, or what it waits for. */
function leave(limit: ConcurrencyLimit, place: Place | null | undefined): void {
  if (place) limit.leave(place);
}

function stepAside(limit: ConcurrencyLimit, place: Place | null | undefined): void {
  if (place) limit.stepAside(place);
}

const open = (bound: number): ConcurrencyLimit => new ConcurrencyLimit(bound, () => nowMs);

/** What became of requests: working (b for begun), waiting, away, over, refused. */
const fates = (asked: readonly (Place | null)[]): string =>
  asked
    .map(place => ({ working: 'b', waiting: 'w', away: 'a', over: 'o', refused: 'r' })[place?.state ?? 'refused'])
    .join('');

describe('one caller', () => {
  test('begins as many as the bound says, and the rest waits', () => {
    expect(fates(askMany(open(2), 'a', 4))).toBe('bbww');
  });

  test('who waits begins when somebody leaves, the oldest first', () => {
    const limit = open(2);
    const asked = askMany(limit, 'a', 4);
    leave(limit, asked[1]);
    expect(fates(asked)).toBe('bobw');
  });

  test('a place is given back once, however often its holder leaves', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 3);
    leave(limit, asked[0]);
    leave(limit, asked[0]);
    expect(fates(asked)).toBe('obw');
  });

  test('who went away while waiting is passed over', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 3);
    leave(limit, asked[1]);
    leave(limit, asked[0]);
    expect(fates(asked)).toBe('oob');
  });

  test('a burst waits to its end, however long that takes', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 20);
    for (const place of asked) {
      nowMs += 1_000;
      expect(place?.state).toBe('working');
      leave(limit, place);
    }
  });

  test('what is more than may wait is refused, and what waits goes on waiting', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 66);
    expect(fates(asked)).toBe(`b${'w'.repeat(64)}r`);
    leave(limit, asked[0]);
    expect(fates(asked)).toBe(`ob${'w'.repeat(63)}r`);
  });

  test('a connection that asks again while others still wait makes an overload of it', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 4);
    nowMs += 10;
    leave(limit, asked[0]);
    expect(fates([...asked, ask(limit, 'a', nowMs)])).toBe('obwwr');
  });

  test('a connection that asks again where few wait does not, however long they do', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 3);
    nowMs += 10_000;
    leave(limit, asked[0]);
    expect(fates([...asked, ask(limit, 'a', nowMs)])).toBe('obww');
  });

  test('a connection that asks for the first time, or was answered before the queue began, does not', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 4);
    nowMs += 501;
    expect(fates([...asked, ask(limit, 'a'), ask(limit, 'a', 9_999)])).toBe('bwwwww');
  });

  test('in an overload all that cannot begin is refused, for five seconds', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 66);
    for (const place of asked.slice(1)) leave(limit, place);
    nowMs += 4_999;
    expect([limit.refuses('a'), ask(limit, 'a')]).toEqual([true, null]);
    nowMs += 1;
    expect([limit.refuses('a'), ask(limit, 'a')?.state]).toEqual([false, 'waiting']);
  });

  test('is refused nothing in an overload where there is a free place', () => {
    const limit = open(1);
    for (const place of askMany(limit, 'a', 66)) leave(limit, place);
    expect([limit.refuses('a'), ask(limit, 'a')?.state]).toEqual([false, 'working']);
  });
});

describe('several callers', () => {
  test('take turns', () => {
    const limit = open(1);
    const flood = askMany(limit, 'a', 4);
    const modest = ask(limit, 'b');
    leave(limit, flood[0]);
    const first = [fates(flood), modest?.state];
    leave(limit, flood[1]);
    expect([first, fates(flood), modest?.state]).toEqual([['obww', 'waiting'], 'ooww', 'working']);
  });

  test('share the bound: nobody has more than his part', () => {
    const limit = open(8);
    const modest = ask(limit, 'b');
    const flood = askMany(limit, 'a', 10);
    expect([modest?.state, fates(flood)]).toEqual(['working', 'bbbbwwwwww']);
  });

  test('do not share with who has nothing here any more', () => {
    const limit = open(8);
    leave(limit, ask(limit, 'b'));
    expect(fates(askMany(limit, 'a', 9))).toBe('bbbbbbbbw');
  });

  test('in an overload who has less than his share waits for the next place', () => {
    const limit = open(4);
    const flood = askMany(limit, 'a', 4 + 257);
    const modest = ask(limit, 'b');
    expect([limit.refuses('b'), modest?.state]).toEqual([false, 'waiting']);
    for (const place of flood.slice(0, 3)) leave(limit, place);
    expect([modest?.state, ask(limit, 'a')]).toEqual(['working', null]);
  });
});

describe('who waits for a provider', () => {
  test('is no work', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 2);
    stepAside(limit, asked[0]);
    expect(fates(asked)).toBe('ab');
  });

  test('does not come back, and gives its place once', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 4);
    for (let index = 0; index < 3; index++) stepAside(limit, asked[0]);
    leave(limit, asked[0]);
    expect(fates(asked)).toBe('obww');
  });

  test('gives nothing any more once it has left', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 4);
    leave(limit, asked[0]);
    stepAside(limit, asked[0]);
    expect(fates(asked)).toBe('obww');
  });

  test('is work where too many do, until one of them is over', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 50);
    for (const place of asked) stepAside(limit, place);
    expect(fates(asked)).toBe(`${'a'.repeat(48)}bw`);
    leave(limit, asked[0]);
    stepAside(limit, asked[48]);
    expect(fates(asked)).toBe(`o${'a'.repeat(48)}b`);
  });
});

test('whatever comes and goes, no more is worked on than the bound says, nobody is lost, and at the end nothing is left', () => {
  const command = fc.record({
    caller: fc.constantFrom('a', 'b', 'c'),
    leaves: fc.nat({ max: 60 }),
    goes: fc.nat({ max: 60 }),
    passMs: fc.nat({ max: 700 }),
    isRepeated: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(command, { maxLength: 120 }), (bound, commands) => {
      const limit = open(bound);
      const here: (Place | null)[] = [];
      const count = (state: Place['state']): number => here.filter(place => place?.state === state).length;
      for (const { caller, leaves, goes, passMs, isRepeated } of commands) {
        nowMs += passMs;
        here.push(ask(limit, caller, isRepeated ? nowMs : 0));
        leave(limit, here[leaves]);
        stepAside(limit, here[goes]);
        expect(count('working')).toBeLessThanOrEqual(bound);
        expect(limit.waiting).toBe(count('waiting'));
        // Somebody is worked on wherever somebody waits.
        if (limit.waiting > 0) expect(count('working')).toBeGreaterThan(0);
      }
      for (const place of here) leave(limit, place);
      expect(limit.waiting).toBe(0);
      nowMs += 5_001;
      expect(fates(askMany(limit, 'd', bound + 1))).toBe(`${'b'.repeat(bound)}w`);
    }),
  );
});

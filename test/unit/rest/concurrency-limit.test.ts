import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { ConcurrencyLimit, type Place } from '../../../src/rest/overload/concurrency-limit.ts';
import { assertProperty } from '../../support/runner/properties.ts';

let nowMs = 10_000;
beforeEach(() => {
  nowMs = 10_000;
});

/** A request, and what became of it. */
interface Asked {
  readonly place: Place;
  isRefused: boolean;
}

/** Lets a request of a caller come; `answeredAtMs` is when its connection was last answered. */
function ask(limit: ConcurrencyLimit, caller: string, answeredAtMs = 0): Asked {
  let isRefused = false;
  const place = limit.enter(
    caller,
    answeredAtMs,
    () => undefined,
    () => {
      isRefused = true;
    },
  );
  return {
    place,
    get isRefused() {
      return isRefused;
    },
  };
}

function askMany(limit: ConcurrencyLimit, caller: string, count: number, answeredAtMs = 0): Asked[] {
  return Array.from({ length: count }, () => ask(limit, caller, answeredAtMs));
}

/** Ends a request, or what it waits for. */
function leave(limit: ConcurrencyLimit, asked: Asked | undefined): void {
  if (asked) limit.leave(asked.place);
}

function stepAside(limit: ConcurrencyLimit, asked: Asked | undefined): void {
  if (asked) limit.stepAside(asked.place);
}

const open = (bound: number): ConcurrencyLimit => new ConcurrencyLimit(bound, () => nowMs);

const LETTERS = { working: 'b', waiting: 'w', away: 'a', over: 'o' };

/** The states of requests: begun, waiting, away, over, refused. */
const fates = (asked: readonly Asked[]): string =>
  asked.map(({ place, isRefused }) => (isRefused ? 'r' : LETTERS[place.state])).join('');

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
    for (const one of asked) {
      nowMs += 1_000;
      expect(fates([one])).toBe('b');
      leave(limit, one);
    }
  });

  test('what is more than may wait is refused, with all that waits', () => {
    expect(fates(askMany(open(1), 'a', 66))).toBe(`b${'r'.repeat(65)}`);
  });

  test('a connection that asks again while others still wait makes an overload of it', () => {
    const limit = open(1);
    const asked = askMany(limit, 'a', 4);
    nowMs += 10;
    leave(limit, asked[0]);
    expect(fates([...asked, ask(limit, 'a', nowMs)])).toBe('obrrr');
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
    askMany(limit, 'a', 66);
    nowMs += 4_999;
    expect([limit.refuses('a'), fates([ask(limit, 'a')])]).toEqual([true, 'r']);
    nowMs += 1;
    expect([limit.refuses('a'), fates([ask(limit, 'a')])]).toEqual([false, 'w']);
  });

  test('is refused nothing in an overload where there is a free place', () => {
    const limit = open(1);
    leave(limit, askMany(limit, 'a', 66)[0]);
    expect([limit.refuses('a'), fates([ask(limit, 'a')])]).toEqual([false, 'b']);
  });
});

describe('several callers', () => {
  test('take turns', () => {
    const limit = open(1);
    const flood = askMany(limit, 'a', 4);
    const modest = ask(limit, 'b');
    leave(limit, flood[0]);
    leave(limit, flood[1]);
    expect(fates([...flood, modest])).toBe('oowwb');
  });

  test('share the bound where more than an eighth of it is used: nobody has more than his part', () => {
    const limit = open(8);
    const modest = ask(limit, 'b');
    expect(fates([modest, ...askMany(limit, 'a', 10)])).toBe('bbbbbwwwwww');
  });

  test('do not share with who was not here for a second', () => {
    const limit = open(8);
    leave(limit, ask(limit, 'b'));
    nowMs += 1_000;
    expect(fates(askMany(limit, 'a', 9))).toBe('bbbbbbbbw');
  });

  test('share with who was here a moment ago', () => {
    const limit = open(8);
    leave(limit, ask(limit, 'b'));
    nowMs += 900;
    expect(fates(askMany(limit, 'a', 9))).toBe('bbbbwwwww');
  });

  test('in an overload who has less than his share waits for the next place', () => {
    const limit = open(4);
    const flood = askMany(limit, 'a', 4 + 257);
    const modest = ask(limit, 'b');
    expect([limit.refuses('b'), fates([modest])]).toEqual([false, 'w']);
    leave(limit, flood[0]);
    expect(fates([modest, ask(limit, 'a')])).toBe('br');
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
    for (const one of asked) stepAside(limit, one);
    expect(fates(asked)).toBe(`${'a'.repeat(48)}bw`);
    leave(limit, asked[0]);
    stepAside(limit, asked[48]);
    expect(fates(asked)).toBe(`o${'a'.repeat(48)}b`);
  });

  test('is work where its client has as many as are left for all others, who may still do so', () => {
    const limit = open(2);
    const outOf = (caller: string, count: number): Asked[] =>
      Array.from({ length: count }, () => {
        const one = ask(limit, caller);
        stepAside(limit, one);
        return one;
      });
    const greedy = outOf('a', 97);
    expect(fates(greedy)).toBe(`${'a'.repeat(96)}b`);
    leave(limit, greedy[96]);
    // A client that has done nothing for a while still has what it waits for.
    nowMs += 5_000;
    expect(fates(outOf('b', 49))).toBe(`${'a'.repeat(48)}b`);
    expect(fates(outOf('a', 1))).toBe('b');
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
  assertProperty(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(command, { maxLength: 120 }), (bound, commands) => {
      const limit = open(bound);
      const here: Asked[] = [];
      const count = (state: Place['state']): number => here.filter(({ place }) => place.state === state).length;
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
      for (const one of here) leave(limit, one);
      expect(limit.waiting).toBe(0);
      nowMs += 5_001;
      expect(fates(askMany(limit, 'd', bound + 1))).toBe(`${'b'.repeat(bound)}w`);
    }),
  );
});

describe('strangers', () => {
  test('have one share together, however many they are', () => {
    const limit = open(64);
    const strangers = Array.from({ length: 200 }, (_, index) => ask(limit, `address 10.0.0.${index}`));
    for (const stranger of strangers) leave(limit, stranger);
    expect(fates(askMany(limit, 'acc_1', 32))).toBe('b'.repeat(32));
  });

  test('share the bound among themselves while nobody else is there', () => {
    const limit = open(16);
    const [one, other] = [askMany(limit, 'address 10.0.0.1', 16), askMany(limit, 'address 10.0.0.2', 16)];
    for (const asked of one.slice(0, 8)) leave(limit, asked);
    expect(other.filter(({ place }) => place.state === 'working')).toHaveLength(8);
  });
});

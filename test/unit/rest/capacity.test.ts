import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { Capacity, type Place } from '../../../src/rest/capacity.ts';

let nowMs = 10_000;
beforeEach(() => {
  nowMs = 10_000;
});

/** A request, and what became of it. */
interface Asked {
  readonly place: Place;
  fate: 'waiting' | 'begun' | 'refused';
}

/** Lets a request of a caller come; `answeredAtMs` is when its connection was last answered. */
function ask(capacity: Capacity, caller: string, answeredAtMs = 0): Asked {
  let fate: Asked['fate'] = 'waiting';
  const place = capacity.enter(caller, answeredAtMs, {
    begin() {
      fate = 'begun';
    },
    refuse() {
      fate = 'refused';
    },
  });
  return {
    place,
    get fate() {
      return fate;
    },
  };
}

function askMany(capacity: Capacity, caller: string, count: number, answeredAtMs = 0): Asked[] {
  return Array.from({ length: count }, () => ask(capacity, caller, answeredAtMs));
}

const open = (bound: number): Capacity => new Capacity(bound, () => nowMs);
const fates = (asked: readonly Asked[]): string => asked.map(({ fate }) => fate[0]).join('');

describe('one caller', () => {
  test('begins as many as the bound says, and the rest waits', () => {
    expect(fates(askMany(open(2), 'a', 4))).toBe('bbww');
  });

  test('who waits begins when somebody leaves, the oldest first', () => {
    const asked = askMany(open(2), 'a', 4);
    asked[1]?.place.leave();
    expect(fates(asked)).toBe('bbbw');
  });

  test('a place is given back once, however often its holder leaves', () => {
    const asked = askMany(open(1), 'a', 3);
    asked[0]?.place.leave();
    asked[0]?.place.leave();
    expect(fates(asked)).toBe('bbw');
  });

  test('who went away while waiting is passed over', () => {
    const asked = askMany(open(1), 'a', 3);
    asked[1]?.place.leave();
    asked[0]?.place.leave();
    expect(fates(asked)).toBe('bwb');
  });

  test('a burst waits to its end, however long that takes', () => {
    const capacity = open(1);
    const asked = askMany(capacity, 'a', 20);
    for (const { place } of asked) {
      nowMs += 1_000;
      place.leave();
    }
    expect(fates(asked)).toBe('b'.repeat(20));
  });

  test('what is more than may wait is refused, with all that waits', () => {
    const asked = askMany(open(1), 'a', 66);
    expect(fates(asked)).toBe(`b${'r'.repeat(65)}`);
  });

  test('a connection that asks again while others wait makes a flood of it', () => {
    const capacity = open(1);
    const asked = askMany(capacity, 'a', 4);
    nowMs += 400;
    asked[0]?.place.leave();
    nowMs += 101;
    expect(fates([...asked, ask(capacity, 'a', 10_400)])).toBe('bbrrr');
  });

  test('nor does one where few wait, however long', () => {
    const capacity = open(1);
    const asked = askMany(capacity, 'a', 3);
    nowMs += 400;
    asked[0]?.place.leave();
    nowMs += 10_000;
    expect(fates([...asked, ask(capacity, 'a', 10_400)])).toBe('bbww');
  });

  test('a connection that asks for the first time does not', () => {
    const capacity = open(1);
    const asked = askMany(capacity, 'a', 3);
    nowMs += 501;
    expect(fates([...asked, ask(capacity, 'a')])).toBe('bwww');
  });

  test('a flood ends though a few ask again as soon as they are refused', () => {
    const capacity = open(1);
    askMany(capacity, 'a', 66);
    const later = [600, 500, 501].map(ms => {
      nowMs += ms;
      return ask(capacity, 'a').fate;
    });
    expect(later).toEqual(['refused', 'refused', 'waiting']);
  });

  test('in a flood all that cannot begin is refused, until little had to be for a second', () => {
    const capacity = open(1);
    askMany(capacity, 'a', 66);
    expect(ask(capacity, 'a').fate).toBe('refused');
    nowMs += 999;
    expect(ask(capacity, 'a').fate).toBe('refused');
    nowMs += 1_001;
    expect(ask(capacity, 'a').fate).toBe('waiting');
  });
});

describe('several callers', () => {
  test('take turns', () => {
    const capacity = open(1);
    const flood = askMany(capacity, 'a', 4);
    const modest = ask(capacity, 'b');
    flood[0]?.place.leave();
    flood[1]?.place.leave();
    expect([fates(flood), modest.fate]).toEqual(['bbww', 'begun']);
  });

  test('share the bound where more than an eighth of it is used: nobody has more than his part', () => {
    const capacity = open(8);
    const modest = ask(capacity, 'b');
    const flood = askMany(capacity, 'a', 10);
    expect([modest.fate, fates(flood)]).toEqual(['begun', 'bbbbwwwwww']);
  });

  test('who was not here for a second does not share any more', () => {
    const capacity = open(8);
    ask(capacity, 'b').place.leave();
    nowMs += 1_000;
    expect(fates(askMany(capacity, 'a', 9))).toBe('bbbbbbbbw');
  });

  test('in a flood who has less than his share waits for the next place', () => {
    const capacity = open(4);
    const flood = askMany(capacity, 'a', 4 + 257);
    const modest = ask(capacity, 'b');
    expect(modest.fate).toBe('waiting');
    flood[0]?.place.leave();
    expect([modest.fate, ask(capacity, 'a').fate]).toEqual(['begun', 'refused']);
  });
});

describe('who waits for others', () => {
  test('is no work', () => {
    const asked = askMany(open(1), 'a', 2);
    asked[0]?.place.goAbroad();
    expect(fates(asked)).toBe('bb');
  });

  test('is work again when that is over', () => {
    const asked = askMany(open(1), 'a', 3);
    const back = asked[0]?.place.goAbroad();
    back?.();
    asked[0]?.place.leave();
    expect(fates(asked)).toBe('bbw');
  });

  test('gives one place, however many it waits for', () => {
    const asked = askMany(open(1), 'a', 4);
    for (let index = 0; index < 3; index++) asked[0]?.place.goAbroad();
    expect(fates(asked)).toBe('bbww');
  });

  test('is abroad until the last of them is back', () => {
    const asked = askMany(open(1), 'a', 4);
    const back = asked[0]?.place.goAbroad();
    asked[0]?.place.goAbroad();
    back?.();
    asked[1]?.place.leave();
    expect(fates(asked)).toBe('bbbw');
  });

  test('gives nothing any more once it has left', () => {
    const asked = askMany(open(1), 'a', 4);
    const back = asked[0]?.place.goAbroad();
    asked[0]?.place.leave();
    back?.();
    expect(fates(asked)).toBe('bbww');
  });

  test('is known by what runs for it', async () => {
    const capacity = open(1);
    const asked = Promise.withResolvers<void>();
    capacity.enter('a', 0, {
      begin: () => void asked.promise.then(() => capacity.goAbroad()),
      refuse: () => undefined,
    });
    const next = ask(capacity, 'a');
    asked.resolve();
    await asked.promise;
    expect(next.fate).toBe('begun');
  });

  test('is nobody where no request asks, such as a job', () => {
    const capacity = open(1);
    const asked = askMany(capacity, 'a', 2);
    capacity.goAbroad()();
    expect(fates(asked)).toBe('bw');
  });

  test('is work where too many do', () => {
    const capacity = open(1);
    const asked = askMany(capacity, 'a', 49);
    for (const { place } of asked) place.goAbroad();
    asked[48]?.place.goAbroad();
    expect([fates(asked), ask(capacity, 'a').fate]).toEqual(['b'.repeat(49), 'waiting']);
  });
});

test('whatever comes and goes, no more is worked on than the bound says, nobody is lost, and at the end nothing is left', () => {
  const command = fc.record({
    caller: fc.constantFrom('a', 'b', 'c'),
    leaves: fc.nat({ max: 60 }),
    goes: fc.nat({ max: 60 }),
    returns: fc.nat({ max: 60 }),
    passMs: fc.nat({ max: 700 }),
    isRepeated: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(command, { maxLength: 120 }), (bound, commands) => {
      const capacity = open(bound);
      const here: Asked[] = [];
      const abroad: { readonly who: Asked; readonly back: () => void }[] = [];
      const countWork = (): number =>
        here.filter(one => one.fate === 'begun' && !abroad.some(({ who }) => who === one)).length;
      for (const { caller, leaves, goes, returns, passMs, isRepeated } of commands) {
        nowMs += passMs;
        // Who comes back is work at once; nobody begins then until it is not too much any more.
        abroad.splice(returns, 1)[0]?.back();
        const most = Math.max(bound, countWork());
        here.push(ask(capacity, caller, isRepeated ? nowMs : 0));
        here.splice(leaves, 1)[0]?.place.leave();
        const who = here[goes];
        if (who?.fate === 'begun') abroad.push({ who, back: who.place.goAbroad() });
        expect(countWork()).toBeLessThanOrEqual(most);
        expect(capacity.waiting).toBe(here.filter(({ fate }) => fate === 'waiting').length);
        // Somebody is worked on wherever somebody waits.
        if (capacity.waiting > 0) expect(here.some(({ fate }) => fate === 'begun')).toBe(true);
      }
      for (const { place } of here) place.leave();
      expect(capacity.waiting).toBe(0);
      nowMs += 1_001;
      expect(fates(askMany(capacity, 'd', bound + 1))).toBe(`${'b'.repeat(bound)}w`);
    }),
  );
});

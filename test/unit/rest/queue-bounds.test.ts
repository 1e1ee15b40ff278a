import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConcurrencyLimit, type Place } from '../../../src/rest/overload/concurrency-limit.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const CALLERS = ['a', 'b', 'c'] as const;
type Caller = (typeof CALLERS)[number];

const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask' as const), caller: fc.constantFrom(...CALLERS) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('leave' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('later' as const), ms: fc.integer({ min: 1, max: 6_000 }) }) },
);

/** The load of a limit after a request came. */
interface Held {
  /** The most that one caller has in work and waiting. */
  readonly most: number;
  readonly waiting: number;
  /** Whether something was refused as that request came: there is an overload. */
  readonly hasRefused: boolean;
}

/** Plays events, and calls `look` after each request. */
function play(
  bound: number,
  events: readonly (typeof event extends fc.Arbitrary<infer Event> ? Event : never)[],
  look: (held: Held) => void,
): void {
  let nowMs = 10_000;
  const limit = new ConcurrencyLimit(bound, () => nowMs);
  const places: { readonly caller: Caller; readonly place: Place }[] = [];
  for (const one of events) {
    if (one.kind === 'later') nowMs += one.ms;
    else if (one.kind === 'leave') {
      const [gone] = places.splice(one.at % Math.max(1, places.length), 1);
      if (gone) limit.leave(gone.place);
    } else {
      let hasRefused = false;
      const refuse = (): void => {
        hasRefused = true;
      };
      const place = limit.enter(
        one.caller,
        nowMs,
        () => undefined,
        () => refuse(),
      );
      places.push({ caller: one.caller, place });
      const own = Object.values(Object.groupBy(places, ({ caller }) => caller)).map(
        (mine = []) => mine.filter(({ place: { state } }) => state === 'working' || state === 'waiting').length,
      );
      look({ most: Math.max(...own), waiting: limit.waiting, hasRefused });
    }
  }
}

const runs = (bound: number) => fc.array(event, { maxLength: 80 * bound, size: 'max' });

test('of all callers, 64 requests at most wait for each one in work', () => {
  assertProperty(
    fc.property(
      fc.integer({ min: 1, max: 3 }).chain(bound => fc.tuple(fc.constant(bound), runs(bound))),
      ([bound, events]) => {
        play(bound, events, ({ waiting }) => expect(waiting).toBeLessThanOrEqual(bound * 64));
      },
    ),
  );
});

test('where something is refused, no caller has more than the bound', () => {
  let overloads = 0;
  assertProperty(
    fc.property(
      fc.integer({ min: 1, max: 3 }).chain(bound => fc.tuple(fc.constant(bound), runs(bound))),
      ([bound, events]) => {
        play(bound, events, ({ most, hasRefused }) => {
          if (!hasRefused) return;
          overloads += 1;
          expect(most).toBeLessThanOrEqual(bound);
        });
      },
    ),
  );
  expect(overloads).toBeGreaterThan(100);
});

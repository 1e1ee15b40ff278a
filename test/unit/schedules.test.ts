import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Subscription } from '../../src/db/feeds/subscription.ts';
import { shared } from '../../src/kernel/process/shared.ts';
import { Isolation } from '../../src/modules/webhooks/deliveries/isolation.ts';
import { assertProperty, expectFound } from '../support/runner/properties.ts';

const anySchedule = (run: (scheduler: fc.Scheduler) => Promise<void>) => fc.asyncProperty(fc.scheduler(), run);

describe('calls that share what is under way, in any order', () => {
  /** Calls of which each changes something first, and must hear of nothing older than what was there when the run that it shares began. */
  const propertyOf = (share: (run: () => Promise<number>) => () => Promise<number>) =>
    anySchedule(async scheduler => {
      let [runs, underWay, begun] = [0, 0, 0];
      const ask = share(async () => {
        underWay += 1;
        begun = ++runs;
        if (underWay > 1) throw new Error('two are under way');
        const mine = begun;
        await scheduler.schedule(Promise.resolve(), 'run');
        underWay -= 1;
        return mine;
      });
      const calls = Array.from({ length: 6 }, async (_, index) => {
        await scheduler.schedule(Promise.resolve(), `call ${index}`);
        const [before, isShared] = [runs, underWay > 0];
        const heard = await ask();
        if (heard < (isShared ? before : before + 1)) throw new Error('an old result was heard');
      });
      await scheduler.waitFor(Promise.all(calls));
    });

  test('run one at a time, and hear of no run that was over when they came', async () => {
    await assertProperty(propertyOf(shared));
  });

  test('are found out where each runs by itself', () =>
    expectFound(
      propertyOf(run => run),
      /two are under way/,
    ));

  test('are found out where the first result is kept', () => {
    const once = (run: () => Promise<number>) => {
      let first: Promise<number> | null = null;
      return () => {
        first ??= run();
        return first;
      };
    };
    return expectFound(propertyOf(once), /an old result was heard/);
  });
});

describe('suspects of a worker, in any order', () => {
  interface Door {
    enter(alone: boolean): Promise<void>;
    leave(): void;
  }
  const propertyOf = (open: (scheduler: fc.Scheduler) => Door) =>
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      async (scheduler, suspects) => {
        const door = open(scheduler);
        const inside = new Set<{ readonly alone: boolean }>();
        let tried = 0;
        const all = suspects.map(async (alone, index) => {
          await scheduler.schedule(Promise.resolve(), `suspect ${index}`);
          await door.enter(alone);
          const self = { alone };
          inside.add(self);
          if (inside.size > 1 && [...inside].some(each => each.alone)) throw new Error('one was not alone');
          await scheduler.schedule(Promise.resolve(), `try ${index}`);
          inside.delete(self);
          tried += 1;
          door.leave();
        });
        await scheduler.waitFor(Promise.all(all));
        expect(tried).toBe(suspects.length);
      },
    );

  test('are tried by themselves where they must be, and every one is tried', async () => {
    await assertProperty(propertyOf(() => new Isolation()));
  });

  test('are found out where a door looks first and enters then', () => {
    const open = (scheduler: fc.Scheduler): Door => {
      let [inside, isAlone] = [0, false];
      return {
        async enter(alone) {
          while (isAlone || (alone && inside > 0)) await scheduler.schedule(Promise.resolve(), 'wait');
          await scheduler.schedule(Promise.resolve(), 'enter');
          inside += 1;
          isAlone = alone;
        },
        leave() {
          inside -= 1;
          isAlone = false;
        },
      };
    };
    return expectFound(propertyOf(open), /one was not alone/);
  });
});

describe('a follower and its feed, in any order', () => {
  const propertyOf = (follow: (read: AsyncIterator<{ id: string }>) => AsyncIterator<{ id: string }>) =>
    anySchedule(async scheduler => {
      const gone = new AbortController();
      const interest = { accountId: 'acc_1', matches: () => true };
      const subscription = new Subscription(interest, gone.signal, { since: new Date(), onEnd: () => undefined });
      const heard: string[] = [];
      const reader = follow(subscription);
      const ids = Array.from({ length: 6 }, (_, index) => String(index));
      const reading = (async () => {
        while (heard.length < ids.length) {
          await scheduler.schedule(Promise.resolve(), 'read');
          const { value } = await reader.next();
          if (value) heard.push(value.id);
        }
      })();
      const feeding = (async () => {
        for (const id of ids) {
          await scheduler.schedule(Promise.resolve(), `row ${id}`);
          subscription.push({ id, accountId: 'acc_1' });
        }
      })();
      await scheduler.waitFor(Promise.all([reading, feeding]));
      if (heard.join() !== ids.join()) throw new Error(`it heard ${heard}`);
      gone.abort();
    });

  test('hears each row once and in order', async () => {
    await assertProperty(propertyOf(reader => reader));
  });

  test('is found out where it hears a row twice', () =>
    expectFound(
      propertyOf(reader => {
        let last: IteratorResult<{ id: string }> | null = null;
        return {
          async next() {
            const again = last;
            last = again ? null : await reader.next();
            return again ?? last ?? reader.next();
          },
        };
      }),
      /it heard/,
    ));
});

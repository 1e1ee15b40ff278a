import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Apply, type Batch, defineStatementBatch } from '../../../src/db/batch.ts';
import { LiveReading } from '../../../src/db/feeds/live-reading.ts';
import type { Database } from '../../../src/db/orm.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { assertProperty, expectFound } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

/** How many schedules are tried: each waits for turns of the event loop or for a database. */
const RUNS = rounds({ usual: 60, long: 500 });

const t = setUpServices();

describe('items of a batch, in any order', () => {
  type Make = (apply: Apply<number, number>, isSerial: boolean) => Batch<number, number>;

  const batchOf: Make = (apply, isSerial) => defineStatementBatch('scheduled', apply, { isSerial })(t.database);

  const propertyOf = (make: Make) =>
    fc.asyncProperty(
      fc.scheduler(),
      fc.boolean(),
      fc.integer({ min: 1, max: 12 }),
      async (scheduler, isSerial, count) => {
        const most = isSerial || t.database.engine.kind === 'pglite' ? 1 : 2;
        const applied: number[] = [];
        let underWay = 0;
        const batch = make(async (_sql, items) => {
          underWay += 1;
          if (underWay > most) throw new Error('too many groups are under way');
          applied.push(...items);
          await scheduler.schedule(Promise.resolve(), `commit of ${items.length}`);
          underWay -= 1;
          return items.map(item => (item % 5 === 4 ? new AppError('not_found') : item * 2));
        }, isSerial);
        const calls = Array.from({ length: count }, async (_, item) => {
          await scheduler.schedule(Promise.resolve(), `item ${item}`);
          const heard = await batch(item).catch((error: unknown) =>
            error instanceof AppError ? error.code : String(error),
          );
          if (heard !== (item % 5 === 4 ? 'not_found' : item * 2)) throw new Error(`item ${item} heard ${heard}`);
        });
        await scheduler.waitFor(Promise.all(calls));
        expect(applied.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, item) => item));
      },
    );

  test(
    'are applied once each, hear of themselves alone, and are in no more groups than may be under way',
    async () => {
      await assertProperty(propertyOf(batchOf), { numRuns: RUNS });
    },
    60_000 + RUNS * 500,
  );

  test('are found out where groups are not held back', () =>
    expectFound(
      propertyOf(apply => async item => {
        const [result] = await apply(t.database.prepared.sql(), [item], '', t.database);
        if (result instanceof Error) throw result;
        return result ?? Number.NaN;
      }),
      /too many groups|heard/,
    ));

  test('are found out where results are handed out in another order', () =>
    expectFound(
      propertyOf((apply, isSerial) =>
        batchOf(async (sql, items, by, database) => (await apply(sql, items, by, database)).toReversed(), isSerial),
      ),
      /heard/,
    ));
});

describe('readings of what seldom changes, in any order', () => {
  interface Readings {
    refresh(): Promise<void>;
    close(): Promise<void>;
  }
  type Open = (read: () => Promise<void>) => Promise<Readings>;

  const openLive: Open = async read => {
    const reading = new LiveReading({
      // Nothing is announced: whoever changes something asks for a reading.
      database: { ...t.database, listen: async () => async () => undefined },
      channel: 'heliograph_test',
      read,
      onError: () => undefined,
    });
    await reading.open();
    return reading;
  };

  const propertyOf = (open: Open) =>
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 8 }), async (scheduler, changes) => {
      let [stored, kept, underWay] = [0, 0, 0];
      let isOpen = false;
      const reading = await open(async () => {
        underWay += 1;
        if (underWay > 1) throw new Error('two readings are under way');
        const found = stored;
        if (isOpen) await scheduler.schedule(Promise.resolve(), 'reading');
        kept = found;
        underWay -= 1;
      });
      isOpen = true;
      const all = Array.from({ length: changes }, async (_, index) => {
        await scheduler.schedule(Promise.resolve(), `change ${index}`);
        stored += 1;
        const mine = stored;
        await reading.refresh();
        if (kept < mine) throw new Error(`change ${mine} is not known: ${kept}`);
      });
      await scheduler.waitFor(Promise.all(all));
      await reading.close();
    });

  test('know of every change that was made before they were asked for, one reading at a time', async () => {
    await assertProperty(propertyOf(openLive), { numRuns: RUNS });
  });

  test('are found out where a call joins the reading that is under way', () => {
    const joining: Open = async read => {
      let underWay: Promise<void> | null = null;
      await read();
      return {
        refresh() {
          underWay ??= read().finally(() => {
            underWay = null;
          });
          return underWay;
        },
        close: async () => undefined,
      };
    };
    return expectFound(propertyOf(joining), /is not known/);
  });

  test('are found out where each call reads by itself', () =>
    expectFound(
      propertyOf(async read => {
        await read();
        return { refresh: read, close: async () => undefined };
      }),
      /two readings are under way/,
    ));
});

describePostgres('those who listen to one channel, coming and going in any order', () => {
  type Listen = Database['listen'];

  const propertyOf = (open: () => Listen) =>
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      async (scheduler, leaving) => {
        channels += 1;
        const channel = `heliograph_scheduled_${channels}`;
        const listen = open();
        const heard = leaving.map(() => 0);
        const ends: (() => Promise<void>)[] = [];
        const all = leaving.map(async (leaves, index) => {
          await scheduler.schedule(Promise.resolve(), `come ${index}`);
          const end = await listen(
            channel,
            () => heard.splice(index, 1, (heard[index] ?? 0) + 1),
            () => undefined,
          );
          await scheduler.schedule(Promise.resolve(), `stay ${index}`);
          if (leaves) await end();
          else ends.push(end);
        });
        await scheduler.waitFor(Promise.all(all));
        const last = Promise.withResolvers<void>();
        // The last listener hears last, by whatever connection the others listen.
        ends.push(
          await t.database.listen(
            channel,
            () => setImmediate(last.resolve),
            () => undefined,
          ),
        );
        await t.sql('select pg_notify($1, $2)', [channel, 'now']);
        await last.promise;
        for (const end of ends) await end();
        if (heard.join() !== leaving.map(leaves => (leaves ? 0 : 1)).join()) throw new Error(`they heard ${heard}`);
      },
    );

  let channels = 0;

  test(
    'hear each notice once as long as they stay',
    async () => {
      await assertProperty(
        propertyOf(() => t.database.listen.bind(t.database)),
        { numRuns: RUNS },
      );
    },
    60_000 + RUNS * 500,
  );

  test('are found out where the first who leaves ends it for all', () =>
    expectFound(
      propertyOf(() => {
        const ends: (() => Promise<void>)[] = [];
        return async (...given) => {
          ends.push(await t.database.listen(...given));
          return async () => {
            for (const end of ends.splice(0)) await end();
          };
        };
      }),
      /they heard/,
    ));
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptedProviders } from '../../support/app.ts';
import { SEQUENCES } from '../../support/billing/ledger-model.ts';
import { actByPlan, connectedByPlan } from '../../support/billing/ledger-providers.ts';
import { runSequence } from '../../support/billing/ledger-run.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { createTestServices, type TestServices } from '../../support/services.ts';

/** How many sequences are run. */
const RUNS = rounds({ usual: 6, long: 300 });

/** A deliberate fault is found within so many sequences. */
const BROKEN_RUNS = 100;

const t = setUpServices({ providers: scriptedProviders(actByPlan) });

test(
  `whatever happens to an account, its money adds up (${RUNS} sequences)`,
  async () => {
    await assertProperty(
      fc.asyncProperty(SEQUENCES, async sequence => {
        expect(await runSequence(t, sequence)).toEqual([]);
      }),
      // Concurrent steps run in another order the next time: a smaller sequence may well pass.
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  RUNS * 2_000 + 60_000,
);

const connected = setUpServices({ providers: connectedByPlan() });

test(
  `it adds up where another connection takes over (${RUNS} sequences)`,
  async () => {
    await assertProperty(
      fc.asyncProperty(SEQUENCES, async sequence => {
        expect(await runSequence(connected, sequence)).toEqual([]);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    const [{ count = 0 } = {}] = await connected.sql<{ count: number }>(
      `select count(*)::int as count from attempts where error_code = 'connection_failed'`,
    );
    expect(count).toBeGreaterThan(0);
  },
  RUNS * 2_000 + 60_000,
);

describe('sequences find out', () => {
  /** Breaks the money of a database of its own. */
  async function expectFound(breakMoney: (broken: TestServices) => Promise<unknown>, fault: RegExp): Promise<void> {
    const broken = await createTestServices({ providers: scriptedProviders(actByPlan) });
    try {
      await breakMoney(broken);
      const faults: string[] = [];
      for (const sequence of fc.sample(SEQUENCES, BROKEN_RUNS)) {
        faults.push(...(await runSequence(broken, sequence)));
        if (faults.some(found => fault.test(found))) break;
      }
      expect(faults.find(found => fault.test(found))).toBeDefined();
    } finally {
      await broken.close();
    }
  }

  /** Has a function of the database run with another body. */
  const rewrite = (name: string, from: string, to: string) => (broken: TestServices) =>
    broken.sql(
      `do $$ declare source text := pg_get_functiondef('${name}'::regproc); begin
         if position('${from}' in source) = 0 then raise exception 'nothing to break'; end if;
         execute replace(source, '${from}', '${to}');
       end $$`,
    );

  test('a balance that counts only one of the equal entries of a statement', async () => {
    await expectFound(rewrite('book_ledger', 'sum(held) as', 'sum(distinct held) as'), /entries sum to/);
  });

  /** Has every change of an account end as it should not. */
  const spoil =
    (change: string) =>
    async ({ sql }: TestServices) => {
      await sql(`create function spoil() returns trigger language plpgsql as $$ begin ${change} return new; end $$`);
      await sql('create trigger spoil before update on accounts for each row execute function spoil()');
    };

  test('a spend of the day that forgets what was released', async () => {
    await expectFound(spoil('new.spent = greatest(new.spent, old.spent);'), /has spent/);
  });

  test('releases that are lost', async () => {
    const lose = spoil(
      'if new.held < old.held and new.credits > old.credits then new.held = old.held; new.credits = old.credits; end if;',
    );
    await expectFound(lose, /credits are held, and nothing is under way/);
  });

  test('charges that come again', async () => {
    const again = async ({ sql }: TestServices) => {
      await sql('drop index ledger_attempt_id_step_unique');
      await sql(
        `create function again() returns trigger language plpgsql as $$ begin
           insert into ledger select (jsonb_populate_record(new, jsonb_build_object('id', gen_random_uuid()))).*;
           return null;
         end $$`,
      );
      await sql(
        `create trigger again after insert on ledger for each row when (new.kind = 'charge' and pg_trigger_depth() = 0) execute function again()`,
      );
    };
    await expectFound(again, /is charged 2 times/);
  });
});

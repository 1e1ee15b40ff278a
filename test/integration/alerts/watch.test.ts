import { beforeEach, describe, expect, test } from 'vitest';
import { runSql, type Sql } from '../../../src/db/statements/sql.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { NOTE_READING, TELL_DUE } from '../../../src/modules/alerts/judge-alerts.sql.ts';
import { deleteAlertRule, updateAlertRule } from '../../../src/modules/alerts/manage-alert-rules.ts';
import { alertsOf } from '../../support/alerts/alert-fixture.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { besideLocks, lockOf } from '../../support/databases/lock-order.ts';
import { setUpOtherProcess, setUpServices } from '../../support/fixtures.ts';
import { makeAccount, type TestAccount } from '../../support/services.ts';

const on = setUpServices();
const alerts = alertsOf(on);
let account: TestAccount;

const LOW = 'The balance is 49 credits, below 50.';
const WELL = 'The balance is no longer below 50 credits.';

beforeEach(async () => {
  account = await makeAccount(on, { credits: 100 });
});

const rule = (times: { lastingMinutes?: number; quietMinutes?: number } = {}) =>
  alerts.rule(account, { kind: 'balance_low', threshold: 50, ...times });

const fall = () => alerts.add(account, -51);
const rise = () => alerts.add(account, 51);

describe('a rule', () => {
  test('waits until it has lasted for long enough', async () => {
    const { id } = await rule({ lastingMinutes: 5 });
    await fall();
    await alerts.watch();
    await alerts.age(id, 4);
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([]);
    await alerts.age(id, 1);
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([LOW]);
  });

  test('is looked at as soon as it is made', async () => {
    const count = async () => {
      const [row] = await on.sql<{ count: number }>(
        `select count(*)::int as count from pgboss.job where name = 'watch-alerts'`,
      );
      return row?.count ?? 0;
    };
    const before = await count();
    await rule();
    expect(await count()).toBe(before + 1);
  });

  test('begins to wait anew where it was well in between, of which nothing is told', async () => {
    const { id } = await rule({ lastingMinutes: 5 });
    await fall();
    await alerts.watch();
    await alerts.age(id, 4);
    await rise();
    await alerts.watch();
    await fall();
    await alerts.watch();
    await alerts.age(id, 4);
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([]);
  });

  test('is quiet about what comes back soon, tells that it is well at once, and tells it again after the quiet', async () => {
    const { id } = await rule({ quietMinutes: 60 });
    await fall();
    await alerts.watch();
    await rise();
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([LOW, WELL]);
    await fall();
    await alerts.watch();
    await rise();
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([LOW, WELL]);
    await fall();
    await alerts.watch();
    await alerts.age(id, 60);
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([LOW, WELL, LOW]);
  });

  test('says nothing more while it stays ill, however long', async () => {
    const { id } = await rule();
    await fall();
    await alerts.watch();
    await alerts.age(id, 10_000);
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([LOW]);
  });

  test('says nothing while it is paused, and looks anew when it goes on', async () => {
    const { id } = await rule();
    const ctx = () => on.ctxFor(account.operator);
    await updateAlertRule(ctx(), { ruleId: id, paused: true });
    await fall();
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([]);
    await updateAlertRule(ctx(), { ruleId: id, paused: false });
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([LOW]);
  });

  test('that is deleted tells nothing more, and what it told stays', async () => {
    const { id } = await rule();
    await fall();
    await alerts.watch();
    await deleteAlertRule(on.ctxFor(account.operator), id);
    await rise();
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([LOW]);
  });
});

test('an old look changes nothing of a newer one', async () => {
  const { id } = await rule();
  const [clock] = await on.sql<{ at: string }>('select clock_timestamp()::text as at');
  await fall();
  await alerts.watch();
  const old = { kind: 'balance_low', at: clock?.at ?? '', unclear: [] };
  await NOTE_READING.run(on.database.sql(), { ...old, ill: [] });
  await TELL_DUE.run(on.database.sql());
  expect(await alerts.told(account)).toEqual([LOW]);
  await rise();
  await alerts.watch();
  const ill = [{ rule: toUuid(id), subject: '', name: null, value: 1, since: null }];
  await NOTE_READING.run(on.database.sql(), { ...old, ill });
  await TELL_DUE.run(on.database.sql());
  expect(await alerts.told(account)).toEqual([LOW, WELL]);
});

describePostgres('two processes', () => {
  const other = setUpOtherProcess(on);

  /** Tells first what it has found, and changes the state then. */
  async function tellBroken(sql: Sql, ruleId: string): Promise<number> {
    const due = await runSql(sql, 'select from alert_states where rule_id = $1 and raised_at is null', [
      toUuid(ruleId),
    ]);
    await runSql(sql, 'update alert_states set raised_at = now() where rule_id = $1', [toUuid(ruleId)]);
    return due.length;
  }

  async function makeDue(): Promise<string> {
    const { id } = await rule({ lastingMinutes: 5 });
    await fall();
    await alerts.watch();
    await alerts.age(id, 5);
    return id;
  }

  /** Runs both while a third one has the state in hand, so that each has begun before either can end. */
  async function race(ruleId: string, tell: (sql: Sql) => Promise<number>): Promise<number> {
    let runs: Promise<number>[] = [];
    await on.database.fork().transactional(async em => {
      await runSql(em.getKysely(), 'select from alert_states where rule_id = $1 for update', [toUuid(ruleId)]);
      runs = [on.database.sql(), other.sql()].map(tell);
      // Both wait for the lock.
      await expect
        .poll(
          async () => {
            const [row] = await on.sql<{ waiting: number }>(
              `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
            );
            return row?.waiting;
          },
          { timeout: 30_000 },
        )
        .toBe(2);
    });
    return (await Promise.all(runs)).reduce((total, told) => total + told, 0);
  }

  test('tell a thing once', async () => {
    const id = await makeDue();
    const told = await race(id, async sql => {
      const told = await TELL_DUE.run(sql);
      return told.filter(({ account: of }) => of === toUuid(account.accountId)).length;
    });
    expect(told).toBe(1);
    expect(await alerts.told(account)).toEqual([LOW]);
  });

  test('would tell it twice if they looked first and changed it then', async () => {
    const id = await makeDue();
    expect(await race(id, sql => tellBroken(sql, id))).toBe(2);
  });

  /** Makes states of a rule: the first is about a thing that is well again, and each of the others about one that is ill. */
  async function makeStates(subjects: readonly string[]): Promise<string> {
    await on.sql('delete from alert_states');
    const { id } = await rule();
    for (const [index, subject] of subjects.entries())
      await on.sql(
        `insert into alert_states (rule_id, subject, ill_since, raised_at, told_since, noted_at)
         values ($1, $2, case when $3 then null else now() - interval '1 hour' end, case when $3 then now() end,
           case when $3 then now() end, now() - interval '1 minute')`,
        [toUuid(id), subject, index === 0],
      );
    return id;
  }

  const stateOf = (ruleId: string, subject: string) =>
    lockOf('alert_states', 'rule_id = $1 and subject = $2', [toUuid(ruleId), subject]);

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('lock states in one order: of what is told, made in the order %s %s', async (...subjects) => {
    const id = await makeStates(subjects);
    await besideLocks(on, stateOf(id, 'a'), () => TELL_DUE.run(other.prepared.sql()), stateOf(id, 'b'));
    const raised = await on.sql(
      'select 1 from alert_states where rule_id = $1 and (ill_since is null) = (raised_at is null)',
      [toUuid(id)],
    );
    expect(raised).toHaveLength(2);
  });

  test.each(['a', 'b'])('lock states in one order: of a reading, where %s is well', async well => {
    const id = await makeStates(['', 'a', 'b']);
    const ill = ['b', 'a']
      .filter(subject => subject !== well)
      .map(subject => ({ rule: toUuid(id), subject, name: null, value: 1, since: null }));
    const [clock] = await on.sql<{ at: string }>('select clock_timestamp()::text as at');
    const reading = { kind: 'balance_low', at: clock?.at ?? '', ill, unclear: [] };
    await besideLocks(on, stateOf(id, 'a'), () => NOTE_READING.run(other.prepared.sql(), reading), stateOf(id, 'b'));
    expect(
      await on.sql(`select subject from alert_states where rule_id = $1 and subject <> '' and ill_since is null`, [
        toUuid(id),
      ]),
    ).toEqual([{ subject: well }]);
  });

  test('lock states in one order: of two readings', async () => {
    const id = await makeStates(['', 'a', 'b']);
    const ill = ['b', 'a'].map(subject => ({ rule: toUuid(id), subject, name: null, value: 1, since: null }));
    const [clock] = await on.sql<{ at: string }>('select clock_timestamp()::text as at');
    const reading = { kind: 'balance_low', at: clock?.at ?? '', ill, unclear: [] };
    await besideLocks(on, stateOf(id, 'a'), () => NOTE_READING.run(other.prepared.sql(), reading), stateOf(id, 'b'));
  });
});

import { beforeEach, expect, test, vi } from 'vitest';
import { newId, toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { dropMonths } from '../../../src/modules/retention/drop-months.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { makeMessage } from '../../support/logs/log-rows.ts';
import { OPERATOR } from '../../support/services.ts';

const DAY = 86_400_000;
const TABLES = [
  'messages',
  'attempts',
  'inbound_messages',
  'webhook_events',
  'webhook_deliveries',
  'webhook_tries',
] as const;

const on = setUpServices();
const account = setUpAccount(on);
const ctx = () => on.ctxFor(OPERATOR);
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY);

/** The month of a day, from its first moment, and the name of its partitions. */
function monthOf(day: Date) {
  const from = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1));
  const to = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1));
  return { from, to, suffix: `_p${from.toISOString().slice(0, 7).replace('-', '')}` };
}

/** Makes the partitions of a month that is over, of every table. */
async function makeMonth(day: Date): Promise<string[]> {
  const { from, to, suffix } = monthOf(day);
  for (const table of TABLES)
    await on.sql(
      `create table ${table}${suffix} partition of ${table} for values from ('${uuidFloor(from)}') to ('${uuidFloor(to)}')`,
    );
  return TABLES.map(table => `${table}${suffix}`).sort();
}

const people = async (): Promise<string[]> =>
  (await on.sql<{ name: string }>('select name from people order by name')).map(({ name }) => name);

/** A person who wrote last so many days ago, with a number. */
async function makePerson(name: string, days: number | null, more: { readonly learnedDaysAgo?: number } = {}) {
  const at = (of: number): string => uuidFloor(daysAgo(of)).replace(/0000$/, '0001');
  const id = toUuid(newId('prs'));
  const newest = days === null ? null : at(days);
  await on.sql('insert into people (id, account_id, name, newest, last_message_id) values ($1, $2, $3, $4, $4)', [
    id,
    toUuid(account.accountId),
    name,
    newest,
  ]);
  await on.sql(
    `insert into person_addresses (account_id, value, kind, person_id, learned_at) values ($1, $2, 'user_id', $3, $4)`,
    [toUuid(account.accountId), `US.${name}`, id, daysAgo(more.learnedDaysAgo ?? days ?? 0)],
  );
  return id;
}

beforeEach(async () => {
  for (const table of ['person_notes', 'person_addresses', 'people']) await on.sql(`delete from ${table}`);
});

test('drops the months that are over by RETENTION_DAYS, of every table, and no younger one', async () => {
  const over = await makeMonth(daysAgo(800));
  // Its last day may be younger than a year.
  const kept = await makeMonth(daysAgo(365));
  const old = makeMessage(account.accountId, { createdAt: monthOf(daysAgo(800)).from });
  await on.database.fork().persist(old).flush();
  await expect(dropMonths(ctx())).resolves.toEqual(over);
  await expect(dropMonths(ctx())).resolves.toEqual([]);
  await expect(on.sql('select id from messages where id = $1', [toUuid(old.id)])).resolves.toEqual([]);
  for (const name of kept) await on.sql(`drop table ${name}`);
});

/** Fills the month with 100,000 entries of the log. */
async function fillMonth(day: Date): Promise<void> {
  await makeMonth(day);
  await on.sql(
    `insert into attempts (id, account_id, area, type, recipient, status, segments, started_at)
    select ($1 || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2, 'unified', 'message_attempt', '12025550100', 'sent', 1, now()
    from generate_series(1, 100000) n`,
    [uuidFloor(monthOf(day).from).slice(0, 13), toUuid(account.accountId)],
  );
}

test('drops a full month without a change of its rows', async () => {
  const written = async (): Promise<number> => {
    const [row] = await on.sql<{ bytes: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
    );
    return row?.bytes ?? 0;
  };
  // The server counts what all of its databases write, so another file may add to it. One quiet moment is enough.
  await vi.waitFor(
    async () => {
      await fillMonth(daysAgo(800));
      const before = await written();
      await dropMonths(ctx());
      // To delete the rows writes more than 50 bytes for each.
      expect((await written()) - before).toBeLessThan(4_000_000);
    },
    { timeout: 60_000, interval: 0 },
  );
});

test('forgets who wrote before that, with addresses and notes, and nobody else', async () => {
  const gone = await makePerson('gone', 400);
  await makePerson('wrote since', 100);
  await makePerson('told of since', null, { learnedDaysAgo: 100 });
  await makePerson('told of before', null, { learnedDaysAgo: 400 });
  await on.sql(
    `insert into people (id, account_id, name, newest, merged_into) values ($1, $2, 'became gone', null, $3)`,
    [toUuid(newId('prs')), toUuid(account.accountId), gone],
  );
  await dropMonths(ctx());
  expect(await people()).toEqual(['told of since', 'wrote since']);
  await expect(on.sql('select count(*)::int as count from person_addresses')).resolves.toEqual([{ count: 2 }]);
});

test('keeps a person for a note, who is not unread any more', async () => {
  const noted = await makePerson('noted', 400);
  await on.sql(
    `insert into person_notes (id, account_id, person_id, text, author, created_at) values ($1, $2, $3, 'Call back', 'ada', now())`,
    [toUuid(newId('not')), toUuid(account.accountId), noted],
  );
  await dropMonths(ctx());
  await expect(on.sql('select name, last_message_id from people')).resolves.toEqual([
    { name: 'noted', last_message_id: null },
  ]);
});

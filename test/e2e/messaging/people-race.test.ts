import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpServices } from '../../support/fixtures.ts';
import type { Written } from '../../support/inbound/write-process.ts';
import { makeAccount } from '../../support/services.ts';

const PEOPLE = 250;
const WRITER = fileURLToPath(new URL('../../support/inbound/write-process.ts', import.meta.url));

const t = setUpServices();

/** A process that takes messages: resolves when it is ready for them. */
async function openWriter(url: string): Promise<(written: Written) => Promise<string[]>> {
  const child = spawn(process.execPath, [WRITER, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return async written => {
    child.stdin.end(JSON.stringify(written));
    return JSON.parse(await text(child.stdout));
  };
}

/** The outcome of a race of people. */
interface Raced {
  readonly failed: readonly string[];
  readonly people: number;
  /** How many people have both addresses. */
  readonly whole: number;
  /** How many of these stopped by both. */
  readonly stopped: number;
}

/**
 * Each of the people writes to two processes at once: to one by the number, and to the other by the id, then by both. A third message stops it, or the account
 * suppresses the number.
 */
async function race(): Promise<Raced> {
  if (t.testDatabase.kind !== 'postgres') throw new Error('needs several processes');
  const { url } = t.testDatabase;
  const { accountId } = await makeAccount(t.services);
  const bringer = { id: null, accountId, providerId: 'chat', channel: 'chat_cloud' as const };
  const people = Array.from({ length: PEOPLE }, (_unused, index): Written['steps'][] => {
    const [from, userId] = [`1202556${String(index).padStart(4, '0')}`, `US.${index}`];
    const message = { providerMessageId: null, from, to: '15550000002', type: 'text', text: 'Hello' };
    const byId = { ...message, from: userId };
    const both = { ...message, userId };
    // The account suppresses by the number just when the person tells both.
    if (index % 3 === 0) return [[message, { suppress: from }, both], [byId]];
    const stop = { ...(index % 3 === 1 ? message : byId), text: 'STOP' };
    return [
      [message, stop],
      [byId, both],
    ];
  });
  const writers = await Promise.all([openWriter(url), openWriter(url)]);
  const failed = await Promise.all(
    writers.map((write, odd) => write({ bringer, steps: people.flatMap(steps => steps[odd] ?? []) })),
  );
  const [counted] = await t.sql<Omit<Raced, 'failed'>>(
    `with people as (
       select person_id, count(*) as addresses, count(s.person) as stopped
       from person_addresses a left join suppressions s on s.account_id = a.account_id and s.person = a.value
       where a.account_id = $1 group by person_id)
     select count(*)::int as people, count(*) filter (where addresses = 2)::int as whole, count(*) filter (where stopped = 2)::int as stopped
     from people`,
    [toUuid(accountId)],
  );
  return { failed: failed.flat(), people: 0, whole: 0, stopped: 0, ...counted };
}

const KEPT: Raced = { failed: [], people: PEOPLE, whole: PEOPLE, stopped: PEOPLE };

/** Takes its time over a suppression, so that others come between. */
async function slowDown(): Promise<void> {
  await t.sql(
    `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.02); return new; end'`,
  );
  await t.sql(
    `create trigger slow before insert on suppressions for each row when (new.origin = 'account') execute function slow()`,
  );
}

describePostgres('a thousand messages of people with two addresses each, over two processes', () => {
  beforeAll(slowDown);

  test('make each one person, whom a stop by one address stops by both', async () => {
    expect(await race()).toEqual(KEPT);
  });

  test('do not, where nothing keeps the processes apart', async () => {
    await t.sql('create schema unlocked');
    await t.sql(
      `create function unlocked.pg_advisory_xact_lock(bigint) returns void language plpgsql as 'begin null; end'`,
    );
    await t.sql(
      `do $$ begin execute format('alter database %I set search_path = unlocked, pg_catalog, public', current_database()); end $$`,
    );
    try {
      expect(await race()).not.toEqual(KEPT);
    } finally {
      await t.sql(`do $$ begin execute format('alter database %I reset search_path', current_database()); end $$`);
    }
  });
});

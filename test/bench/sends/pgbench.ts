/**
 * The baseline: the least that any gateway must commit for a send, one at a time, run by pgbench. The tables are bare and the statements
 * prepared. A send is two commits: a message with a unique reference, an attempt, a change of status and two events.
 */
import { access, constants, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { uuidFloor } from '../../../src/kernel/ids.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { runChild } from '../kit/children.ts';
import { type Cost, costEach, costOf } from '../kit/costs.ts';
import { type Figures, summarise } from '../kit/figures.ts';

const DEBIAN_ROOT = '/usr/lib/postgresql';

/** One of so many latencies is written down, so that writing costs nothing. */
const SAMPLING_RATE = 0.1;

const TABLES = `
create table bench_messages (id uuid primary key, account_id uuid not null, reference text not null, recipient text not null,
  sender text not null, text text not null, status text not null, created_at timestamptz not null, unique (account_id, reference));
create table bench_attempts (id uuid primary key, message_id uuid not null, channel text not null, provider text not null,
  status text not null, started_at timestamptz not null);
create table bench_events (id uuid primary key, message_id uuid not null, event text not null, created_at timestamptz not null);
`;

/**
 * Ids as the gateway makes them: their time in front, so that they land at the end of an index. The time is that of the start of
 * the run; a count of each client stands for what passes after it.
 */
const IDS = `
\\set n :n + 1
\\set m 100000000000000000 + :n * 100000000000 + :client_id * 1000000000 + random(0, 999999999)
\\set a 100000000000000000 + :n * 100000000000 + :client_id * 1000000000 + random(0, 999999999)
\\set e 100000000000000000 + :n * 100000000000 + :client_id * 1000000000 + random(0, 499999999)
\\set f :e + 500000000
\\set phone random(12026000000, 12028999999)
`;
const [MESSAGE, ATTEMPT, ACCEPTED, SENT] = ['m', 'a', 'e', 'f'].map(name => `(:prefix || :${name})::uuid`);

const SEND = `
begin;
insert into bench_messages values (${MESSAGE}, :account::uuid, :prefix || '-' || :m, :phone::text, :sender, :text, 'pending', now());
insert into bench_attempts values (${ATTEMPT}, ${MESSAGE}, 'sms', 'sandbox', 'sent', now());
insert into bench_events values (${ACCEPTED}, ${MESSAGE}, 'message.accepted', now());
commit;
begin;
update bench_messages set status = 'sent' where id = ${MESSAGE};
insert into bench_events values (${SENT}, ${MESSAGE}, 'message.sent', now());
commit;
`;

/** How to run it. */
export interface BaselinePlan {
  readonly databaseUrl: string;
  readonly clients: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly text: string;
}

/** Runs the baseline on an empty database; `answered` counts the whole run, warm-up included. */
export async function runBaseline(plan: BaselinePlan): Promise<Figures & { readonly answered: number; cost: Cost }> {
  const pgbench = await findPgbench();
  const folder = await mkdtemp(join(tmpdir(), 'heliograph-bench-'));
  try {
    await runSql(plan.databaseUrl, TABLES);
    const script = join(folder, 'send.sql');
    await writeFile(script, IDS + SEND);
    const warmUp = await runOnce(pgbench, plan, script, plan.warmUpSeconds, []);
    const log = ['--log', `--log-prefix=${join(folder, 'log')}`, `--sampling-rate=${SAMPLING_RATE}`];
    const [measured, cost] = await costOf([], plan.databaseUrl, () =>
      runOnce(pgbench, plan, script, plan.seconds, log),
    );
    const { p50Ms, p99Ms } = summarise(await readLatencies(folder), plan.seconds);
    const sendsPerSecond = measured / plan.seconds;
    return { sendsPerSecond, p50Ms, p99Ms, answered: warmUp + measured, cost: costEach(cost, measured) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Answers how many sends it made. */
async function runOnce(
  pgbench: string,
  plan: BaselinePlan,
  script: string,
  seconds: number,
  more: readonly string[],
): Promise<number> {
  const variables: Record<string, string> = {
    n: '0',
    prefix: `${uuidFloor(new Date()).replaceAll('-', '').slice(0, 12)}70`,
    account: '00000000-0000-7000-8000-000000000000',
    text: plan.text,
    sender: 'BENCH',
  };
  const report = await runChild(pgbench, [
    '--no-vacuum',
    '--protocol=prepared',
    `--client=${plan.clients}`,
    '--jobs=2',
    `--time=${seconds}`,
    `--file=${script}`,
    ...more,
    ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
    plan.databaseUrl,
  ]);
  const count = /transactions actually processed: (\d+)/.exec(report)?.[1];
  if (count === undefined) throw new Error(`pgbench reported no count:\n${report}`);
  return Number(count);
}

/** The sampled latencies. The third field of a line is in microseconds. */
async function readLatencies(folder: string): Promise<number[]> {
  const files = (await readdir(folder)).filter(file => file.startsWith('log'));
  const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')));
  return texts.flatMap(text => text.trimEnd().split('\n')).map(line => Number(line.split(' ')[2]) / 1_000);
}

async function findPgbench(): Promise<string> {
  const versions = await readdir(DEBIAN_ROOT).catch((): string[] => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a)).map(version => join(DEBIAN_ROOT, version, 'bin'));
  for (const folder of [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...newestFirst]) {
    const path = join(folder, 'pgbench');
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw new Error('pgbench was not found on PATH or under /usr/lib/postgresql; it comes with PostgreSQL');
}

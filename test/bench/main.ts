/**
 * `npm run bench`: what the hot path carries, in ratios to what the database does alone and to committing each change alone.
 * All variants run in turn on one PostgreSQL with default settings, each on a database of its own, and each ends by counting
 * rows: what was answered is what is stored, or no figure is shown. Exit status 0 where the rows agree, else 1.
 */
import { randomUUID } from 'node:crypto';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { openJobs } from '../../src/queue/kit.ts';
import { JOB_DEFINITIONS } from '../../src/worker/jobs.ts';
import { startCluster } from '../support/cluster.ts';
import { migrateDatabase } from '../support/migrated.ts';
import { databaseUrl, runSql, uniqueName } from '../support/postgres.ts';
import { type Figures, medianFigures, table } from './figures.ts';
import { type GatewayKind, SENDER, startGateway } from './gateway.ts';
import { type BaselineKind, runBaseline } from './pgbench.ts';
import { type LoadResult, runCeiling, runLoad } from './run-load.ts';

const IS_QUICK = process.argv.includes('--quick');
const SECONDS = IS_QUICK ? 3 : 10;
const WARM_UP_SECONDS = IS_QUICK ? 2 : 3;
const CONNECTIONS = 64;
const PGBENCH_CLIENTS = 32;
const TEXT = 'Your parcel 4711 is on its way and arrives today between 14:00 and 16:00.';
const PATH = '/api/omni/send';

type Variant = GatewayKind | BaselineKind;

/** In turn, so that a noisy minute of the machine falls on all of them alike. */
const ROUND: readonly Variant[] = ['grouped', 'same-sql', 'ungrouped', 'without-notify', 'without-provider'];
const ROUNDS = 2;

const TITLES: Readonly<Record<Variant, string>> = {
  grouped: 'gateway, commits in groups',
  ungrouped: 'gateway, each change committed alone',
  'same-sql': 'pgbench, the same SQL (accept, provider, settle)',
  'without-notify': 'pgbench, the same without NOTIFY',
  'without-provider': 'pgbench, without NOTIFY and provider',
};

const say = (line = ''): void => console.info(line);

interface Run extends Figures {
  readonly answered: number;
}

const loadPlan = {
  path: PATH,
  token: 'none',
  sender: SENDER,
  text: TEXT,
  connections: CONNECTIONS,
  warmUpSeconds: WARM_UP_SECONDS,
  seconds: SECONDS,
};

/** Runs a variant on a database of its own, and counts what it left. */
async function runVariant(variant: Variant, clusterUrl: string): Promise<Run> {
  const name = uniqueName('heliograph_bench');
  await runSql(clusterUrl, `create database "${name}"`);
  const url = databaseUrl(clusterUrl, name);
  try {
    const run =
      variant === 'grouped' || variant === 'ungrouped' ? await loadGateway(variant, url) : await baseline(variant, url);
    await checkRows(url, variant, run.answered);
    return run;
  } finally {
    await runSql(clusterUrl, `drop database if exists "${name}" with (force)`);
  }
}

async function loadGateway(kind: GatewayKind, url: string): Promise<LoadResult> {
  const gateway = await startGateway(kind, url);
  try {
    return await runLoad({ ...loadPlan, url: gateway.url, token: gateway.token, runId: randomUUID() });
  } finally {
    await gateway.stop();
  }
}

async function baseline(kind: BaselineKind, url: string): Promise<Run> {
  await migrateDatabase(url);
  const onError = (error: Error): never => {
    throw error;
  };
  const jobs = await openJobs({ engine: { url }, definitions: JOB_DEFINITIONS, maintain: false, onError });
  await jobs.stop(5_000);
  return runBaseline({
    kind,
    databaseUrl: url,
    clients: PGBENCH_CLIENTS,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: SECONDS,
    text: TEXT,
  });
}

/** What was answered is what is stored: as many messages, attempts and references, all of them settled. @throws RowFault */
async function checkRows(url: string, variant: Variant, answered: number): Promise<void> {
  const [stored] = await runSql(
    url,
    `select
       (select count(*)::int from messages) as messages,
       (select count(*)::int from messages where status in ('sent', 'delivered') and lease_until is null) as "messages settled",
       (select count(*)::int from attempts) as attempts,
       (select count(*)::int from attempts where status in ('sent', 'delivered') and finished_at is not null) as "attempts settled",
       (select count(*)::int from idempotency_keys) as "references",
       (select count(*)::int from idempotency_keys where answer is not null) as "references answered"`,
  );
  const wrong = Object.entries(stored ?? {}).filter(([, count]) => count !== answered);
  if (!stored || wrong.length > 0) {
    const found = wrong.map(([what, count]) => `${what}: ${count}`).join(', ');
    throw new RowFault(`${TITLES[variant]}: answered ${answered}, but stored ${found}`);
  }
}

/** Rows that are not what was answered. */
class RowFault extends Error {}

/** Runs everything; answers the exit status. */
async function main(): Promise<number> {
  const cluster = await startCluster({ settings: 'default' });
  if (!cluster) {
    say('The bench needs a PostgreSQL (15 or newer) installed, or one in TEST_DATABASE_URL.');
    return 1;
  }
  try {
    const [version] = await runSql(cluster.url, "select current_setting('server_version') as text");
    say(
      `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${loadavg()[0]?.toFixed(1)}; Node ${process.versions.node}; ` +
        `PostgreSQL ${String(version?.text)}, default settings; ${CONNECTIONS} connections (pgbench ${PGBENCH_CLIENTS}); ${SECONDS} s after ${WARM_UP_SECONDS} s, ${ROUNDS} runs each`,
    );
    const ceiling = await runCeiling({ ...loadPlan, warmUpSeconds: 1, seconds: 2, runId: randomUUID() });
    say(
      `The load alone, against a server that does nothing: ${ceiling.sendsPerSecond.toFixed(0)} requests/s, ${percent(ceiling.coreShare)} of a core`,
    );
    const runs = new Map<Variant, Run[]>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const variant of ROUND) {
        const run = await runVariant(variant, cluster.url);
        say(
          `  ${TITLES[variant]}: ${run.sendsPerSecond.toFixed(0)} sends/s; ${run.answered} answered, ${run.answered} stored`,
        );
        runs.set(variant, [...(runs.get(variant) ?? []), run]);
      }
    }
    report(runs);
    return 0;
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    say(`No figures: ${error.message}`);
    return 1;
  } finally {
    await cluster.stop();
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function report(runs: ReadonlyMap<Variant, readonly Run[]>): void {
  const figures = new Map([...runs].map(([variant, list]) => [variant, medianFigures(list)]));
  say();
  say(
    table([
      ['POST /api/omni/send (sms, unique references)', 'sends/s', 'p50 ms', 'p99 ms'],
      ...[...figures].map(([variant, { sendsPerSecond, p50Ms, p99Ms }]) => [
        TITLES[variant],
        sendsPerSecond.toFixed(0),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
      ]),
    ]),
  );
  const ratio = (to: Variant): string =>
    `${((figures.get('grouped')?.sendsPerSecond ?? 0) / (figures.get(to)?.sendsPerSecond ?? 0)).toFixed(2)} ×`;
  say();
  say(`Gateway to pgbench, the same SQL:            ${ratio('same-sql')}`);
  say(`Gateway to pgbench, the same without NOTIFY: ${ratio('without-notify')}`);
  say(`Gateway to pgbench, without provider too:    ${ratio('without-provider')}`);
  say(`In groups to each change alone:              ${ratio('ungrouped')}`);
  say();
  say(
    'The same SQL is three transactions: accept (reference, message, attempt), the sandbox provider (its message, its job) and\n' +
      "settle (message, attempt, reference, NOTIFY). The gateway's worker also reports every status while the load runs (two more\n" +
      'updates a send, in groups), which pgbench does not. NOTIFY lets PostgreSQL commit one such transaction at a time, which a\n' +
      'commit for each send feels and a commit for a group does not; hence the line without it. In every run, messages, attempts, references and answers were equal in number.',
  );
}

process.exitCode = await main();

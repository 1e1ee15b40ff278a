/** The variants of plain sends: gateways, and pgbench with what a send commits. */
import { randomUUID } from 'node:crypto';
import { postgresConnections } from '../../src/db/postgres/postgres.ts';
import { openJobs } from '../../src/queue/kit.ts';
import { JOBS } from '../../src/worker/jobs.ts';
import { migrateDatabase } from '../support/databases/migrated.ts';
import { checkRows, withDatabase } from './databases.ts';
import { type Figures, medianFigures, table } from './figures.ts';
import { type Gateway, SENDER, withGateway } from './gateway.ts';
import { type BaselineKind, runBaseline } from './pgbench.ts';
import { type LoadPlan, type LoadResult, runCeiling, runLoad } from './run-load.ts';

/** A way to send. */
export type Variant = 'grouped' | 'unlimited' | 'ungrouped' | BaselineKind;

/** In turn, so that a noisy minute of the machine falls on all of them alike. */
export const VARIANTS: readonly Variant[] = [
  'grouped',
  'unlimited',
  'same-sql',
  'ungrouped',
  'without-notify',
  'without-provider',
];

const TITLES: Readonly<Record<Variant, string>> = {
  grouped: 'gateway, commits in groups',
  unlimited: 'gateway, no requests counted',
  ungrouped: 'gateway, each change committed alone',
  'same-sql': 'pgbench, the same SQL (accept, provider, settle)',
  'without-notify': 'pgbench, the same without NOTIFY',
  'without-provider': 'pgbench, without NOTIFY and provider',
};

const PATH = '/api/omni/send';
const TEXT = 'Your parcel 4711 is on its way and arrives today between 14:00 and 16:00.';
const PGBENCH_CLIENTS = 32;

/** How sends are run: `connections` are the gateway's. */
export type SendTimes = Pick<LoadPlan, 'connections' | 'warmUpSeconds' | 'seconds'>;

/** A run of a variant. */
export interface SendRun extends Figures {
  /** Sends that were answered, warm-up included. */
  readonly answered: number;
}

/** Runs a variant on a database of its own, and counts what it left. @throws RowFault */
export function measureSends(variant: Variant, clusterUrl: string, times: SendTimes): Promise<SendRun> {
  return withDatabase(clusterUrl, async url => {
    const isGateway = variant === 'grouped' || variant === 'unlimited' || variant === 'ungrouped';
    const run = await (isGateway ? loadGateway(variant, url, times) : baseline(variant, url, times));
    await checkSends(url, TITLES[variant], run.answered);
    return run;
  });
}

/** What the load itself can do, in two seconds. */
export function measureCeiling(connections: number): Promise<LoadResult> {
  return runCeiling({ ...loadPlan(), token: 'none', connections, warmUpSeconds: 1, seconds: 2 });
}

/** What a load of sends is told whatever it is for. */
export function loadPlan() {
  return { path: PATH, sender: SENDER, text: TEXT, runId: randomUUID() };
}

function loadGateway(
  variant: 'grouped' | 'unlimited' | 'ungrouped',
  databaseUrl: string,
  times: SendTimes,
): Promise<LoadResult> {
  const load = ({ url, token }: Gateway) => runLoad({ ...loadPlan(), ...times, url, token });
  return variant === 'unlimited'
    ? withGateway('grouped', databaseUrl, load, null)
    : withGateway(variant, databaseUrl, load);
}

async function baseline(kind: BaselineKind, url: string, { warmUpSeconds, seconds }: SendTimes): Promise<SendRun> {
  await migrateDatabase(url);
  const onError = (error: Error): never => {
    throw error;
  };
  const engine = postgresConnections({ url }, 'heliograph-queue');
  const jobs = await openJobs({ engine, definitions: JOBS, maintain: false, onError });
  await jobs.stop(5_000);
  return runBaseline({ kind, databaseUrl: url, clients: PGBENCH_CLIENTS, warmUpSeconds, seconds, text: TEXT });
}

/** What was answered is what is stored: as many messages, attempts and references, all of them settled. @throws RowFault */
export function checkSends(url: string, run: string, answered: number): Promise<void> {
  return checkRows(url, run, {
    messages: [answered, 'messages'],
    'messages settled': [answered, "messages where status in ('sent', 'delivered') and lease_until is null"],
    attempts: [answered, 'attempts'],
    'attempts settled': [answered, "attempts where status in ('sent', 'delivered') and finished_at is not null"],
    references: [answered, 'idempotency_keys'],
    'references answered': [answered, 'idempotency_keys where answer is not null'],
  });
}

/** A line for a run. */
export function sendLine(variant: Variant, { sendsPerSecond, answered }: SendRun): string {
  return `  ${TITLES[variant]}: ${sendsPerSecond.toFixed(0)} sends/s; ${answered} answered, ${answered} stored`;
}

/** The medians of the runs, and the ratios of the gateway to the others. */
export function sendReport(runs: ReadonlyMap<Variant, readonly SendRun[]>, { connections }: SendTimes): string {
  const figures = new Map([...runs].map(([variant, list]) => [variant, medianFigures(list)]));
  const ratio = (to: Variant): string =>
    `${((figures.get('grouped')?.sendsPerSecond ?? 0) / (figures.get(to)?.sendsPerSecond ?? 0)).toFixed(2)} ×`;
  return [
    table([
      [`POST ${PATH} (sms, unique references)`, 'sends/s', 'p50 ms', 'p99 ms'],
      ...[...figures].map(([variant, { sendsPerSecond, p50Ms, p99Ms }]) => [
        TITLES[variant],
        sendsPerSecond.toFixed(0),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
      ]),
    ]),
    '',
    `Gateway to pgbench, the same SQL:            ${ratio('same-sql')}`,
    `Gateway to pgbench, the same without NOTIFY: ${ratio('without-notify')}`,
    `Gateway to pgbench, without provider too:    ${ratio('without-provider')}`,
    `In groups to each change alone:              ${ratio('ungrouped')}`,
    `Each request counted to none counted:        ${ratio('unlimited')}`,
    '',
    `The gateways had ${connections} connections, pgbench ${PGBENCH_CLIENTS}. The same SQL is three transactions: accept (reference, message,\n` +
      "attempt), the sandbox provider (its message, its job) and settle (message, attempt, reference, NOTIFY). The gateway's worker\n" +
      'also reports every status while the load runs (two more updates a send, in groups), which pgbench does not. NOTIFY lets\n' +
      'PostgreSQL commit one such transaction at a time, which a commit for each send feels and a commit for a group does not; hence\n' +
      'the line without it. In every run, messages, attempts, references and answers were equal in number.',
  ].join('\n');
}

/**
 * `npm run bench`: what the hot paths carry. Plain sends, in ratios to what the database does alone and to committing each change
 * alone, and OTP pairs beside them: all of them in turn on one PostgreSQL with default settings, each on a database of its own.
 * Then what the time of a verify tells, and what it costs to refuse a flood of them; hostile GraphQL requests; then webhooks. Each run
 * ends by counting rows: what was answered is what is stored, or no figure is shown. `--quick` takes less time; `--embedded`,
 * `--hostile`, `--overload`, `--slow-clients`, `--verify` and `--webhooks` measure nothing but that.
 * Exit status 0 where the rows agree, else 1.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { startCluster } from '../support/databases/cluster.ts';
import { runSql } from '../support/databases/postgres.ts';
import { RowFault, withDatabase } from './databases.ts';
import { embeddedReport, measureEmbedded } from './embedded.ts';
import { type EqualWork, equalWorkReport, measureEqualWork } from './equal-work.ts';
import { medianFigures, percent } from './figures.ts';
import { type FloodCost, floodReport, measureFloods } from './floods.ts';
import { withGateway } from './gateway.ts';
import { hostileReport, measureHostile } from './hostile.ts';
import { fairReport, measureFairness, measureOverload, type OverloadPlan, overloadReport } from './overload.ts';
import { measurePairs, type PairRun, pairLine, pairReport } from './pairs.ts';
import { measureCeiling, measureSends, type SendRun, sendLine, sendReport, VARIANTS, type Variant } from './sends.ts';
import { measureSlowClients, slowReport } from './slow-clients.ts';
import { measureWebhooks, type WebhookPlan, webhookReport } from './webhooks.ts';

const IS_QUICK = process.argv.includes('--quick');
const ROUNDS = 2;
const EMBEDDED_ROUNDS = IS_QUICK ? 2 : 4;
const TIMES = { warmUpSeconds: IS_QUICK ? 2 : 3, seconds: IS_QUICK ? 3 : 10 };
const SENDS = { ...TIMES, connections: 64 };
const PAIRS = { ...TIMES, connections: 32 };
const EQUAL_WORK_CALLS = IS_QUICK ? 500 : 5_000;
const WEBHOOKS: WebhookPlan = {
  rounds: ROUNDS,
  deliveries: IS_QUICK ? 12_000 : 45_000,
  sends: SENDS,
  delays: IS_QUICK ? { singleEvents: 100, seconds: 10 } : { singleEvents: 300, seconds: 20 },
};

/** The gateway works on so many requests at once: that is its normal load, and ten times as many are too much. */
const OVERLOAD: OverloadPlan = {
  normalSeconds: IS_QUICK ? 5 : 20,
  overloadSeconds: IS_QUICK ? 20 : 60,
  fairSeconds: IS_QUICK ? 5 : 15,
  connections: 64,
};
const SLOW_CLIENTS = { clients: 1_000, seconds: 20, rate: 100 };

const say = (line = ''): void => console.info(line);

/** Says what the figures were measured on, and what the load itself can do. */
async function introduce(clusterUrl: string): Promise<void> {
  const [version] = await runSql(clusterUrl, "select current_setting('server_version') as text");
  say(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${loadavg()[0]?.toFixed(1)}; Node ${process.versions.node}; ` +
      `PostgreSQL ${String(version?.text)}, default settings; ${TIMES.seconds} s after ${TIMES.warmUpSeconds} s, ${ROUNDS} runs each`,
  );
  const ceiling = await measureCeiling(SENDS.connections);
  say(
    `The load alone, against a server that does nothing: ${ceiling.sendsPerSecond.toFixed(0)} requests/s, ${percent(ceiling.coreShare)} of a core`,
  );
}

/** Runs plain sends and OTP pairs in turn, and reports them. @throws RowFault */
async function compareLoads(clusterUrl: string): Promise<void> {
  const sends = new Map<Variant, SendRun[]>(VARIANTS.map(variant => [variant, []]));
  const pairs: PairRun[] = [];
  const plain: SendRun[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [variant, runs] of sends) {
      const run = await measureSends(variant, clusterUrl, SENDS);
      say(sendLine(variant, run));
      runs.push(run);
      if (variant !== 'grouped') continue;
      // Right after one another, from as many callers: the one is compared with the other.
      plain.push(await measureSends(variant, clusterUrl, PAIRS));
      const pairRun = await measurePairs(clusterUrl, PAIRS);
      say(pairLine(pairRun));
      pairs.push(pairRun);
    }
  }
  say();
  say(sendReport(sends, SENDS));
  say();
  say(pairReport(pairs, PAIRS, medianFigures(plain).sendsPerSecond));
}

/** Asks one gateway what cannot be a load: the time of single verifies, and the cost of floods. @throws RowFault */
async function probeVerify(clusterUrl: string): Promise<void> {
  const [equalWork, floods] = await withDatabase(clusterUrl, url =>
    withGateway('grouped', url, async (gateway): Promise<[EqualWork, FloodCost[]]> => {
      const medians = await measureEqualWork(gateway, url, EQUAL_WORK_CALLS);
      return [medians, await measureFloods(gateway, url)];
    }),
  );
  say();
  say(equalWorkReport(equalWork, EQUAL_WORK_CALLS));
  say();
  say(floodReport(floods));
}

/** Measures hostile GraphQL requests, and reports them. @throws RowFault */
async function probeHostile(clusterUrl: string): Promise<void> {
  const run = await withDatabase(clusterUrl, url => withGateway('grouped', url, measureHostile));
  say();
  say(hostileReport(run));
}

/** Measures webhooks, and reports them. @throws RowFault */
async function probeWebhooks(clusterUrl: string): Promise<void> {
  const runs = await measureWebhooks(clusterUrl, WEBHOOKS, say);
  say();
  say(webhookReport(runs));
}

/** Asks for ten times too much, and lets one account flood others; reports what became of it. */
async function probeOverload(clusterUrl: string): Promise<void> {
  const overload = await measureOverload(clusterUrl, OVERLOAD);
  say(overloadReport(overload));
  say();
  say(fairReport(await measureFairness(clusterUrl, overload.normal.sendsPerSecond, OVERLOAD)));
}

/** Lets clients be slow, and reports it. */
async function probeSlowClients(clusterUrl: string): Promise<void> {
  say(slowReport(await measureSlowClients(clusterUrl, SLOW_CLIENTS)));
}

/** Sends on the embedded database, which needs no server; reports them. @throws RowFault */
async function probeEmbedded(): Promise<void> {
  say(embeddedReport(await measureEmbedded(EMBEDDED_ROUNDS, SENDS, say), SENDS));
}

/** What is measured, in turn. */
const EVERYTHING = [compareLoads, probeVerify, probeHostile, probeWebhooks];

/** What can be measured alone, by its flag. */
const ALONE: Readonly<Record<string, (clusterUrl: string) => Promise<void>>> = {
  '--embedded': probeEmbedded,
  '--hostile': probeHostile,
  '--overload': probeOverload,
  '--slow-clients': probeSlowClients,
  '--verify': probeVerify,
  '--webhooks': probeWebhooks,
};

/** Runs everything, or what is asked for alone; answers the exit status. */
async function main(): Promise<number> {
  const cluster = await startCluster({ settings: 'default' });
  if (!cluster) {
    say('The bench needs a PostgreSQL (15 or newer) installed, or one in TEST_DATABASE_URL.');
    return 1;
  }
  try {
    await introduce(cluster.url);
    const alone = Object.entries(ALONE).filter(([flag]) => process.argv.includes(flag));
    for (const probe of alone.length > 0 ? alone.map(([, probe]) => probe) : EVERYTHING) await probe(cluster.url);
    return 0;
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    say(`No figures: ${error.message}`);
    return 1;
  } finally {
    await cluster.stop();
  }
}

process.exitCode = await main();

/**
 * `npm run bench`: the rates and the costs of the hot paths, in parts that can be run alone by their flags (`--help` lists them). Each part
 * takes turns with its baseline, on one throwaway PostgreSQL with default settings and databases of its own. Most parts end by counting
 * rows: the stored rows match the answers, or no figure is shown. `--quick` takes less time. Exit status 0 where the rows agree, 1 where
 * they do not, 2 where an option is unknown.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { startCluster } from '../support/databases/cluster.ts';
import { runSql } from '../support/databases/postgres.ts';
import { graphqlPart } from './http/graphql.ts';
import { refusalsPart } from './http/refusals.ts';
import { waitPart } from './http/wait-for-code.ts';
import { inboundPart } from './inbound/flood.ts';
import { RowFault } from './kit/databases.ts';
import { table } from './kit/figures.ts';
import { type Goal, goalTable } from './kit/goals.ts';
import type { Bench, Part } from './kit/part.ts';
import { neighboursPart } from './neighbours/neighbours.ts';
import { verifyPart } from './overload/equal-work.ts';
import { hostilePart } from './overload/hostile.ts';
import { overloadPart } from './overload/overload.ts';
import { slowClientsPart } from './overload/slow-clients.ts';
import { coresPart } from './processes/cores.ts';
import { memoryPart } from './processes/memory.ts';
import { startsPart } from './processes/starts.ts';
import { suppressedPart } from './processes/suppressed.ts';
import { twoProcessesPart } from './processes/two-processes.ts';
import { embeddedPart } from './sends/embedded.ts';
import { logPart } from './sends/log-page.ts';
import { overviewPart } from './sends/overview.ts';
import { pacedPart } from './sends/paced-sends.ts';
import { pairsPart } from './sends/pairs.ts';
import { purgePart } from './sends/purge.ts';
import { sendsPart } from './sends/sends.ts';
import { suppressedSendsPart } from './sends/suppressed-sends.ts';
import { receiptsPart } from './smpp/receipts.ts';
import { smppPart } from './smpp/smpp-sends.ts';
import { delayPart } from './webhooks/delay.ts';
import { ratePart } from './webhooks/rate.ts';
import { subscribedPart } from './webhooks/subscribed-sends.ts';
import { whatsAppPart } from './whatsapp/cloud-sends.ts';

/** The parts, in the order in which they run. */
const PARTS: readonly Part[] = [
  sendsPart,
  refusalsPart,
  graphqlPart,
  waitPart,
  pairsPart,
  ratePart,
  subscribedPart,
  delayPart,
  pacedPart,
  logPart,
  overviewPart,
  embeddedPart,
  startsPart,
  memoryPart,
  suppressedPart,
  suppressedSendsPart,
  twoProcessesPart,
  coresPart,
  verifyPart,
  hostilePart,
  purgePart,
  overloadPart,
  slowClientsPart,
  neighboursPart,
  smppPart,
  receiptsPart,
  inboundPart,
  whatsAppPart,
];

const QUICK = '--quick';
const HELP = '--help';

const say = (line = ''): void => console.info(line);

function help(): string {
  return [
    'npm run bench -- [options]   measures everything, or what is asked for alone',
    '',
    table([
      ...PARTS.map(({ flag, about, isApart }) => [
        `  ${flag.padEnd(16)}${about}${isApart ? ' (only when asked for)' : ''}`,
      ]),
      [`  ${QUICK.padEnd(16)}shorter rounds`],
      [`  ${HELP.padEnd(16)}this text`],
    ]),
  ].join('\n');
}

/** Says what the figures are measured on. */
async function introduce({ clusterUrl, times, rounds }: Bench): Promise<void> {
  const [version] = await runSql(clusterUrl, "select current_setting('server_version') as text");
  say(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${loadavg()[0]?.toFixed(1)}; Node ${process.versions.node}; ` +
      `PostgreSQL ${String(version?.text)}, default settings; ${times.seconds} s after ${times.warmUpSeconds} s, ${rounds} runs each`,
  );
}

/** Runs parts one after another, and shows their goals. @throws RowFault */
async function runParts(parts: readonly Part[], isQuick: boolean, clusterUrl: string): Promise<void> {
  const times = { warmUpSeconds: isQuick ? 2 : 3, seconds: isQuick ? 3 : 10 };
  const bench: Bench = { clusterUrl, isQuick, rounds: 2, times, say };
  await introduce(bench);
  const goals: Goal[] = [];
  for (const part of parts) {
    say(`\n${part.flag}: ${part.about}`);
    const reached = await part.run(bench);
    if (reached.length > 0) say(`\n${goalTable(reached)}`);
    goals.push(...reached);
  }
  if (parts.length > 1) say(`\nAll goals\n${goalTable(goals)}`);
}

/** Runs everything, or what is asked for alone; answers the exit status. */
async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter(arg => arg !== QUICK && arg !== HELP && !PARTS.some(part => part.flag === arg));
  if (unknown.length > 0 || args.includes(HELP)) {
    if (unknown.length > 0) say(`Unknown: ${unknown.join(' ')}\n`);
    say(help());
    return unknown.length > 0 ? 2 : 0;
  }
  const cluster = await startCluster({ settings: 'default' });
  if (!cluster) {
    say('The bench needs a PostgreSQL (15 or newer) installed, or one in TEST_DATABASE_URL.');
    return 1;
  }
  try {
    const alone = PARTS.filter(part => args.includes(part.flag));
    const parts = alone.length > 0 ? alone : PARTS.filter(part => !part.isApart);
    await runParts(parts, args.includes(QUICK), cluster.url);
    return 0;
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    say(`No figures: ${error.message}`);
    return 1;
  } finally {
    await cluster.stop();
  }
}

process.exitCode = await main(process.argv.slice(2));

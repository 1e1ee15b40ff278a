/** The rate of the embedded database, and the price of waiting for the disk at each commit. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../../src/db/embedded/embedded.ts';
import { RowFault } from '../kit/databases.ts';
import { medianFigures, table } from '../kit/figures.ts';
import { withGatewayOn } from '../kit/gateway.ts';
import { atLeast } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { runLoad } from '../load/run-load.ts';
import { CALLERS, loadPlan, type SendRun, type SendTimes } from './sends.ts';

/** Twice what it was when the hot path was first measured by its CPU. */
const GOAL = 500;

const DURABILITIES = ['full', 'relaxed'] as const;

/** The runs of each durability. */
type EmbeddedRuns = Readonly<Record<(typeof DURABILITIES)[number], SendRun[]>>;

/** Sends by one caller and by many, with each durability in turn. @throws RowFault */
async function measureEmbedded(
  rounds: number,
  times: SendTimes,
  say: (line: string) => void,
): Promise<readonly [one: EmbeddedRuns, many: EmbeddedRuns]> {
  const one: EmbeddedRuns = { full: [], relaxed: [] };
  const many: EmbeddedRuns = { full: [], relaxed: [] };
  for (let round = 0; round < rounds; round++) {
    for (const durability of DURABILITIES) {
      for (const [runs, connections] of [
        [one, 1],
        [many, times.connections],
      ] as const) {
        const run = await measure(durability, { ...times, connections });
        say(
          `  ${durability}, ${connections} at a time: ${run.sendsPerSecond.toFixed(0)} sends/s; ${run.answered} answered and stored`,
        );
        runs[durability].push(run);
      }
    }
  }
  return [one, many];
}

async function measure(durability: (typeof DURABILITIES)[number], times: SendTimes): Promise<SendRun> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-bench-'));
  try {
    const run = await withGatewayOn(dataDir, 'grouped', { EMBEDDED_DURABILITY: durability }, ({ url, token }) =>
      runLoad({ ...loadPlan(), ...times, url, token }),
    );
    await checkRows(dataDir, run.answered);
    return run;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function checkRows(dataDir: string, answered: number): Promise<void> {
  const pglite = await openEmbedded(dataDir, 'relaxed');
  const { rows } = await pglite.query<{ stored: number }>(
    "select count(*)::int as stored from messages where status in ('sent', 'delivered')",
  );
  await pglite.close();
  if (rows[0]?.stored !== answered) throw new RowFault(`embedded: answered ${answered}, but stored ${rows[0]?.stored}`);
}

/** The medians of the runs, and what waiting for the disk leaves of them. */
function embeddedReport(
  [one, many]: readonly [one: EmbeddedRuns, many: EmbeddedRuns],
  { connections }: SendTimes,
): string {
  const row = (callers: number, runs: EmbeddedRuns): string[][] => {
    const full = medianFigures(runs.full);
    const relaxed = medianFigures(runs.relaxed);
    return [
      [
        `relaxed, ${callers} at a time`,
        relaxed.sendsPerSecond.toFixed(0),
        relaxed.p50Ms.toFixed(1),
        relaxed.p99Ms.toFixed(1),
        '',
      ],
      [
        `full, ${callers} at a time`,
        full.sendsPerSecond.toFixed(0),
        full.p50Ms.toFixed(1),
        full.p99Ms.toFixed(1),
        `${(full.sendsPerSecond / relaxed.sendsPerSecond).toFixed(2)} ×`,
      ],
    ];
  };
  return table([
    ['embedded database', 'sends/s', 'p50 ms', 'p99 ms', 'full to relaxed'],
    ...row(1, one),
    ...row(connections, many),
  ]);
}

/** Sends on the embedded database, which needs no server. */
export const embeddedPart: Part = {
  flag: '--embedded',
  about: 'sends on the embedded database, waiting for the disk and not',
  async run({ isQuick, times, say }) {
    const plan = { ...times, connections: CALLERS };
    const runs = await measureEmbedded(isQuick ? 2 : 4, plan, say);
    say();
    say(embeddedReport(runs, plan));
    const [, many] = runs;
    return [atLeast('embedded database, durable: sends', medianFigures(many.full).sendsPerSecond, GOAL, 'a second')];
  },
};

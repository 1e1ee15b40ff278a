/** How soon sends are answered where there is room: at half of what a gateway can do. */
import { withDatabase } from '../kit/databases.ts';
import { median, table } from '../kit/figures.ts';
import { withGateway } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { runLoad, runPaced } from '../load/run-load.ts';
import { CALLERS, loadPlan } from './sends.ts';

/** The share of the highest rate that is asked for. */
const SHARE = 0.5;

/** The latency at half the highest rate. */
export const pacedPart: Part = {
  flag: '--paced',
  about: 'how soon sends are answered at half the highest rate',
  async run({ clusterUrl, rounds, times, say }) {
    const runs: { highest: number; offered: number; p50Ms: number; p99Ms: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const run = await withDatabase(clusterUrl, databaseUrl =>
        withGateway('grouped', databaseUrl, async ({ url, token }) => {
          const load = { ...loadPlan(), url, connections: CALLERS };
          const { sendsPerSecond } = await runLoad({ ...load, ...times, token });
          const rate = SHARE * sendsPerSecond;
          const paced = await runPaced({ ...load, ...loadPlan(), tokens: [token], rate, seconds: times.seconds });
          if (paced.accepted.count !== paced.offered)
            say(
              `  of ${paced.offered} offered, ${paced.unsent} found no connection, ${paced.refused.count} were refused`,
            );
          return { highest: sendsPerSecond, offered: rate, ...paced.accepted };
        }),
      );
      say(`  at ${run.offered.toFixed(0)} sends/s: p50 ${run.p50Ms.toFixed(1)} ms, p99 ${run.p99Ms.toFixed(1)} ms`);
      runs.push(run);
    }
    const medianOf = (of: (run: (typeof runs)[number]) => number): number => median(runs.map(of));
    say();
    say(
      table([
        ['POST /api/omni/send at half the highest rate', 'sends/s', 'p50 ms', 'p99 ms'],
        [
          `of ${medianOf(run => run.highest).toFixed(0)} sends/s`,
          medianOf(run => run.offered).toFixed(0),
          medianOf(run => run.p50Ms).toFixed(1),
          medianOf(run => run.p99Ms).toFixed(1),
        ],
      ]),
    );
    return [
      atMost(
        'p99 at half the highest rate',
        medianOf(run => run.p99Ms),
        40,
        'ms',
      ),
    ];
  },
};

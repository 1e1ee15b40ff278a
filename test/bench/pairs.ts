/** OTP pairs: how many sends with their verifies a gateway carries, beside the plain sends of the same run. */
import { checkRows, countRows, withDatabase } from './databases.ts';
import { medianPairFigures, table } from './figures.ts';
import { SENDER, withGateway } from './gateway.ts';
import { type PairPlan, type PairResult, runPairs } from './run-load.ts';

const TITLE = 'gateway, OTP pairs (send, then verify)';

/** What the project wants on two quiet cores. */
const GOAL = { pairsPerSecond: 1_200, toPlainSends: 0.4 };

/** How pairs are run; which gateway, is for the run to say. */
export type PairTimes = Pick<PairPlan, 'connections' | 'warmUpSeconds' | 'seconds'>;

/** A run of pairs. */
export interface PairRun extends PairResult {
  /** Sends that the fraud guard would have refused in the mode `block`: too many to one place were not verified yet. */
  readonly flagged: number;
}

/** Runs pairs on a database of its own, and counts what they left. @throws RowFault */
export function measurePairs(clusterUrl: string, times: PairTimes): Promise<PairRun> {
  return withDatabase(clusterUrl, async url => {
    const result = await loadGateway(url, times);
    const { answered } = result;
    // The decoy is there from the start: it belongs to no account, and no pair made it.
    const otps = "otps where area <> 'management'";
    const verified = "status = 'verified' and verified_at is not null and lease_until is null";
    const settled = "status in ('sent', 'delivered') and finished_at is not null";
    await checkRows(url, TITLE, {
      otps: [answered, otps],
      verified: [answered, `${otps} and ${verified}`],
      'sends settled': [answered, `attempts where type = 'otp_attempt' and ${settled}`],
      'verifies logged': [answered, "attempts where type = 'otp_verified'"],
      'entries of the log': [2 * answered, "attempts where type <> 'otp_flagged'"],
    });
    return { ...result, flagged: await countRows(url, "attempts where type = 'otp_flagged'") };
  });
}

function loadGateway(databaseUrl: string, times: PairTimes): Promise<PairResult> {
  return withGateway('tapped', databaseUrl, ({ url, token, codes }) =>
    runPairs({ ...times, url, token, codes, sender: SENDER }),
  );
}

/** A line for a run. */
export function pairLine({ pairsPerSecond, answered, flagged }: PairRun): string {
  return `  ${TITLE}: ${pairsPerSecond.toFixed(0)} pairs/s; ${answered} answered, ${answered} stored; ${flagged} flagged by the fraud guard`;
}

/** The medians of the runs, and their ratio to the plain sends of the gateway from as many callers. */
export function pairReport(runs: readonly PairRun[], { connections }: PairTimes, plainSendsPerSecond: number): string {
  const { pairsPerSecond, send, verify } = medianPairFigures(runs);
  return [
    table([
      [`POST /api/omni/otp/send and /verify (sms, ${connections} callers)`, 'pairs/s', 'p50 ms', 'p99 ms'],
      [TITLE, pairsPerSecond.toFixed(0), '', ''],
      ['  the send', '', send.p50Ms.toFixed(1), send.p99Ms.toFixed(1)],
      ['  the verify', '', verify.p50Ms.toFixed(1), verify.p99Ms.toFixed(1)],
    ]),
    '',
    `OTP pairs to plain sends of as many callers (${plainSendsPerSecond.toFixed(0)}/s): ${(pairsPerSecond / plainSendsPerSecond).toFixed(2)} × ` +
      `(goal on two quiet cores: ${GOAL.toPlainSends} ×, and ${GOAL.pairsPerSecond} pairs/s)`,
  ].join('\n');
}

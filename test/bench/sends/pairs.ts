/** OTP pairs: how many sends with their verifies a gateway carries, beside the plain sends of the same run. */
import { checkRows, countRows, withDatabase } from '../kit/databases.ts';
import { medianFigures, medianPairFigures, table } from '../kit/figures.ts';
import { SENDER, withGateway } from '../kit/gateway.ts';
import { atLeast } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { type PairPlan, type PairResult, runPairs } from '../load/run-load.ts';
import { measurePlain, type SendRun } from './sends.ts';

const TITLE = 'gateway, OTP pairs (send, then verify)';

/** Callers of the pairs, and of the plain sends that they are compared with. */
const CALLERS = 32;

/** How pairs are run; which gateway, is for the run to say. */
type PairTimes = Pick<PairPlan, 'connections' | 'warmUpSeconds' | 'seconds'>;

/** A run of pairs. */
interface PairRun extends PairResult {
  /** Sends that the fraud guard would have refused in the mode `block`: too many to one place were not verified yet. */
  readonly flagged: number;
}

/** Runs pairs on a database of its own, and counts what they left. @throws RowFault */
function measurePairs(clusterUrl: string, times: PairTimes): Promise<PairRun> {
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

/** OTP pairs, in turn with plain sends of as many callers. */
export const pairsPart: Part = {
  flag: '--pairs',
  about: "pairs of a passcode's send and verify, beside plain sends from as many callers",
  async run({ clusterUrl, rounds, times, say }) {
    const plan = { ...times, connections: CALLERS };
    const plain: SendRun[] = [];
    const pairs: PairRun[] = [];
    for (let round = 0; round < rounds; round++) {
      plain.push(await measurePlain(clusterUrl, plan));
      const run = await measurePairs(clusterUrl, plan);
      say(
        `  ${TITLE}: ${run.pairsPerSecond.toFixed(0)} pairs/s; ${run.answered} answered and stored; ${run.flagged} flagged by the fraud guard`,
      );
      pairs.push(run);
    }
    const { pairsPerSecond, send, verify } = medianPairFigures(pairs);
    const plainPerSecond = medianFigures(plain).sendsPerSecond;
    say();
    say(
      table([
        [`POST /api/omni/otp/send and /verify (sms, ${CALLERS} callers)`, 'a second', 'p50 ms', 'p99 ms'],
        ['plain sends', plainPerSecond.toFixed(0), '', ''],
        [TITLE, pairsPerSecond.toFixed(0), '', ''],
        ['  the send', '', send.p50Ms.toFixed(1), send.p99Ms.toFixed(1)],
        ['  the verify', '', verify.p50Ms.toFixed(1), verify.p99Ms.toFixed(1)],
      ]),
    );
    return [
      atLeast('OTP pairs to plain sends of as many callers', pairsPerSecond / plainPerSecond, 0.55),
      atLeast('OTP pairs, on two quiet cores', pairsPerSecond, 1_500, 'a second'),
    ];
  },
};

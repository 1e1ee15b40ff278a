/** A flood of callbacks of Meta with statuses of messages that were sent. */
import { join } from 'node:path';
import { runChild } from '../kit/children.ts';
import { type Cost, costEach, costOf } from '../kit/costs.ts';
import { countRows, RowFault, withDatabase } from '../kit/databases.ts';
import { table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atLeast, atMost, type Goal } from '../kit/goals.ts';
import type { Bench } from '../kit/part.ts';
import type { AskPlan, AskResult } from '../load/paced-asks.ts';
import { runPaced, withServer } from '../load/run-load.ts';
import { CALLERS, loadPlan } from '../sends/sends.ts';
import { connectCloud, GRAPH, TEMPLATE } from './connect.ts';

/** Callbacks a second. */
const FLOOD = 1_000;

/** How long, in seconds; `--quick`: the seconds of the other parts. */
const SECONDS = 30;

/** Messages a second that are sent before; the number lets 900 through. */
const RATE = 800;

/** The connections that Meta has open. */
const CONNECTIONS = 64;

/** How many callbacks lie between two statuses of a message. */
const LAG = 500;

/** The arguments of the load. */
export interface CallbackPlan extends AskPlan {
  /** The address of callbacks. */
  readonly callbackUrl: string;
  /** The database to read the sent messages from. */
  readonly databaseUrl: string;
  /** How many of them are passed over: other callbacks were about them. */
  readonly from: number;
  /** How many callbacks lie between two statuses of a message. */
  readonly lag: number;
  /** Whether they tell the user ids of people of whom only numbers were known: those are stored. */
  readonly ofNewPeople: boolean;
}

/** A flood, and what a callback of it cost. */
interface FloodRun extends AskResult, Cost {
  readonly title: string;
  readonly seconds: number;
}

async function flood(plan: CallbackPlan): Promise<AskResult> {
  return JSON.parse(
    await runChild(process.execPath, [join(import.meta.dirname, 'callback-load.ts'), JSON.stringify(plan)]),
  );
}

/** Sends so many messages, or a few more. */
async function sendAll({ url, token }: Gateway, count: number): Promise<void> {
  const plan = { url, tokens: [token], rate: RATE, connections: CALLERS, cloudTemplate: TEMPLATE };
  for (let sent = 0; sent < count; ) {
    const seconds = Math.ceil((count - sent) / RATE);
    const { accepted } = await runPaced({ ...loadPlan(), ...plan, seconds });
    if (accepted.count === 0) throw new RowFault('no message was accepted');
    sent += accepted.count;
  }
}

/** Statuses come as fast as 1,000 callbacks a second bring them, three in each, of three messages. */
export function measureCallbacks({ clusterUrl, isQuick, times, say }: Bench): Promise<readonly Goal[]> {
  const seconds = isQuick ? times.seconds : SECONDS;
  return withServer(GRAPH, server =>
    withDatabase(clusterUrl, databaseUrl =>
      withGateway('grouped', databaseUrl, async gateway => {
        const callbackUrl = await connectCloud(gateway, server.url);
        await sendAll(gateway, FLOOD * (times.warmUpSeconds + seconds + times.seconds));
        const plan = { callbackUrl, databaseUrl, lag: LAG, rate: FLOOD, connections: CONNECTIONS };
        const floods = [
          { title: 'before', ofNewPeople: false, seconds: times.warmUpSeconds },
          { title: 'three statuses in each', ofNewPeople: false, seconds },
          { title: 'the same, of people whose user id is new', ofNewPeople: true, seconds: times.seconds },
        ];
        const runs: FloodRun[] = [];
        let from = 0;
        for (const { title, ...how } of floods) {
          const [result, cost] = await costOf([gateway.pid], databaseUrl, () => flood({ ...plan, ...how, from }));
          runs.push({ title, seconds: how.seconds, ...result, ...costEach(cost, result.answered) });
          from += FLOOD * how.seconds;
        }
        const [, run] = runs;
        if (!run) throw new Error('nothing was measured');
        say(
          table([
            ['callbacks', 'offered/s', 'answered/s', 'p50 ms', 'p99 ms', 'gateway µs', 'PostgreSQL µs'],
            ...runs.slice(1).map(rowOf),
          ]),
        );
        const refused = runs.reduce((sum, one) => sum + one.refused, 0);
        if (refused > 0) say(`  ${refused} were refused: Meta calls again`);
        // Of what was answered, all is stored but the last messages' `read`, which nobody told.
        const told = runs.reduce((sum, { answered }) => sum + Math.max(0, answered - 2 * LAG), 0);
        const read = await countRows(databaseUrl, "messages where status = 'read'");
        if (read < told) throw new RowFault(`callbacks told that ${told} messages were read, ${read} are stored so`);
        return [
          atLeast('callbacks that were answered, of 1,000 a second', run.answered / seconds / FLOOD, 1),
          atMost('half of the callbacks were answered within', run.p50Ms, 20, 'ms'),
        ];
      }),
    ),
  );
}

/** A line of the table. */
function rowOf({ title, seconds, answered, p50Ms, p99Ms, gatewayUs, postgresUs }: FloodRun): string[] {
  return [
    `${title}, ${seconds} s`,
    FLOOD.toFixed(0),
    (answered / seconds).toFixed(0),
    ...[p50Ms, p99Ms].map(ms => ms.toFixed(1)),
    ...[gatewayUs, postgresUs].map(us => us.toFixed(0)),
  ];
}

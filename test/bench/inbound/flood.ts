/** A flood of what people write, over HTTP, and what it does to sends beside it. */
import { join } from 'node:path';
import { runSql } from '../../support/databases/postgres.ts';
import { runChild } from '../kit/children.ts';
import { cpuUsOf } from '../kit/costs.ts';
import { RowFault, withDatabase } from '../kit/databases.ts';
import { type Latency, table } from '../kit/figures.ts';
import { SENDER, withGateway } from '../kit/gateway.ts';
import { atLeast, type Goal } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import type { AskPlan, AskResult } from '../load/paced-asks.ts';
import { runPaced, withServer } from '../load/run-load.ts';
import { CALLERS, loadPlan } from '../sends/sends.ts';
import { connectHttpSms } from '../smpp/receipts.ts';

/** Messages a second (issue of the flood: a minute of it on one process). */
const FLOOD = 1_000;

/** How long, in seconds; `--quick`: the seconds of the other parts. */
const SECONDS = 60;

/** Sends a second beside it: 8 million a day. */
const SENDS = 100;

/** The connections that the gateway of the carrier has open. */
const CONNECTIONS = 256;

/** The arguments of the load. */
export interface InboundPlan extends AskPlan {
  /** The address that the gateway of the carrier brings messages to. */
  readonly inboundUrl: string;
  /** The sender that they come to. */
  readonly to: string;
  /** The start of every message id of this run. */
  readonly run: string;
}

async function flood(plan: InboundPlan): Promise<AskResult> {
  return JSON.parse(
    await runChild(process.execPath, [join(import.meta.dirname, 'inbound-load.ts'), JSON.stringify(plan)]),
  );
}

async function measure({ clusterUrl, isQuick, times, say }: Bench): Promise<readonly Goal[]> {
  const receiver = join(import.meta.dirname, '..', 'load', 'null-server.ts');
  const seconds = isQuick ? times.seconds : SECONDS;
  return withServer(receiver, server =>
    withDatabase(clusterUrl, databaseUrl =>
      withGateway(
        'grouped',
        databaseUrl,
        async gateway => {
          const inboundUrl = `${await connectHttpSms(gateway, server.url)}/inbound`;
          const { url, token } = gateway;
          const sends = (during: number) =>
            runPaced({ ...loadPlan(), url, tokens: [token], rate: SENDS, connections: CALLERS, seconds: during });
          const plan = { inboundUrl, to: SENDER, rate: FLOOD, connections: CONNECTIONS };
          const warm = await flood({ ...plan, run: 'warm', seconds: times.warmUpSeconds });
          const alone = await sends(times.seconds);
          const beganUs = await cpuUsOf(gateway.pid);
          const brought = await flood({ ...plan, run: 'alone', seconds: times.seconds });
          const messageUs = ((await cpuUsOf(gateway.pid)) - beganUs) / brought.answered;
          const flooding = flood({ ...plan, run: 'beside', seconds });
          const beside = await sends(seconds);
          const worst = await flooding;
          const row = (title: string, offered: number, answered: number, { p50Ms, p99Ms }: Latency): string[] => [
            title,
            offered.toFixed(0),
            answered.toFixed(0),
            p50Ms.toFixed(1),
            p99Ms.toFixed(1),
          ];
          say(
            table([
              ['', 'offered a second', 'answered a second', 'p50 ms', 'p99 ms'],
              row('sends alone', SENDS, alone.accepted.count / times.seconds, alone.accepted),
              row('messages alone', FLOOD, brought.answered / times.seconds, brought),
              row(`messages for ${seconds} s`, FLOOD, worst.answered / seconds, worst),
              row('  sends beside them', SENDS, beside.accepted.count / seconds, beside.accepted),
            ]),
          );
          say(`  a message alone costs ${messageUs.toFixed(0)} µs of the gateway's CPU`);
          const answered = warm.answered + brought.answered + worst.answered;
          const [stored] = await runSql(databaseUrl, 'select count(*)::int as n from inbound_messages');
          // Refused or unanswered messages may be stored. Answered messages have to be.
          if (Number(stored?.n) < answered)
            throw new RowFault(`${answered} messages were answered, ${stored?.n} stored`);
          return [
            atLeast('messages that were answered, of 1,000 a second', worst.answered / seconds / FLOOD, 1),
            atLeast('sends that were accepted beside them', beside.accepted.count / beside.offered, 0.99),
          ];
        },
        null,
      ),
    ),
  );
}

/** A flood of what people write. */
export const inboundPart: Part = {
  flag: '--inbound',
  about: 'what people write, 1,000 messages a second for a minute, and sends beside them',
  run: measure,
};

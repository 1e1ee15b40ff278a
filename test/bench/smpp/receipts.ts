/** A flood of receipts over HTTP, and what it does to sends beside it. */
import { join } from 'node:path';
import { runSql } from '../../support/databases/postgres.ts';
import { runChild } from '../kit/children.ts';
import { withDatabase } from '../kit/databases.ts';
import { type Latency, table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atLeast, type Goal } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { type PacedResult, runLoad, runPaced, withServer } from '../load/run-load.ts';
import { CALLERS, loadPlan } from '../sends/sends.ts';

/** Receipts a second. */
const FLOOD = 5_000;

/** The share of the highest rate of sends that is asked for beside it. */
const SHARE = 0.25;

/** How many attempts the receipts are about. */
const ATTEMPTS = 1_000;

/** What the load of receipts is told. */
export interface ReceiptPlan {
  /** The address that the provider was given. */
  readonly receiptsUrl: string;
  readonly attemptIds: readonly string[];
  /** A second. */
  readonly rate: number;
  readonly connections: number;
  readonly seconds: number;
}

/** What it reports. */
export interface ReceiptResult extends Latency {
  /** With 200. */
  readonly answered: number;
  readonly refused: number;
  /** Those that found no free connection. */
  readonly unsent: number;
}

const CREATE = 'mutation ($input: CreateConnectionInput!) { result: createConnection(input: $input) { receiptsUrl } }';

async function flood(plan: ReceiptPlan): Promise<ReceiptResult> {
  return JSON.parse(
    await runChild(process.execPath, [join(import.meta.dirname, 'receipt-load.ts'), JSON.stringify(plan)]),
  );
}

/** Connects an HTTP gateway that takes everything. */
async function connect({ operate, accountId }: Gateway, url: string): Promise<string> {
  const config = {
    request: { method: 'POST', url, form: { to: '{{to}}', text: '{{text}}', id: '{{attemptId}}' } },
    accepted: { status: [200] },
    receipt: { attemptId: 'query:attempt', status: 'query:status', map: { D: 'delivered' } },
  };
  const input = { accountId, provider: 'http-sms', channel: 'SMS', name: 'Gateway', config };
  return (await operate<{ receiptsUrl: string }>(CREATE, input)).receiptsUrl;
}

async function measure({ clusterUrl, times, say }: Bench): Promise<readonly Goal[]> {
  const receiver = join(import.meta.dirname, '..', 'load', 'null-server.ts');
  return withServer(receiver, server =>
    withDatabase(clusterUrl, databaseUrl =>
      withGateway(
        'grouped',
        databaseUrl,
        async gateway => {
          const receiptsUrl = await connect(gateway, server.url);
          const { url, token } = gateway;
          const { sendsPerSecond } = await runLoad({ ...loadPlan(), ...times, url, token, connections: CALLERS });
          const rate = SHARE * sendsPerSecond;
          const sends = (): Promise<PacedResult> =>
            runPaced({ ...loadPlan(), url, tokens: [token], rate, connections: CALLERS, seconds: times.seconds });
          const rows = await runSql(
            databaseUrl,
            `select 'att_' || replace(id::text, '-', '') as id from attempts where status = 'sent' limit ${ATTEMPTS}`,
          );
          const attemptIds = rows.map(({ id }) => String(id));
          const alone = await sends();
          const plan = { receiptsUrl, attemptIds, rate: FLOOD, connections: CALLERS, seconds: times.seconds };
          const [receipts, beside] = await Promise.all([flood(plan), sends()]);
          const row = (title: string, offered: number, answered: number, { p50Ms, p99Ms }: Latency): string[] => [
            title,
            offered.toFixed(0),
            (answered / times.seconds).toFixed(0),
            p50Ms.toFixed(1),
            p99Ms.toFixed(1),
          ];
          say(
            table([
              ['', 'offered a second', 'answered a second', 'p50 ms', 'p99 ms'],
              row('receipts, half of them of attempts that nobody knows', FLOOD, receipts.answered, receipts),
              row('sends beside them', rate, beside.accepted.count, beside.accepted),
              row('sends alone', rate, alone.accepted.count, alone.accepted),
            ]),
          );
          if (receipts.refused > 0) say(`  ${receipts.refused} receipts were refused: their provider reports again`);
          return [
            atLeast(
              'sends that were accepted beside a flood of receipts',
              beside.accepted.count / beside.offered,
              0.99,
            ),
          ];
        },
        null,
      ),
    ),
  );
}

/** A flood of receipts. */
export const receiptsPart: Part = {
  flag: '--receipts',
  about: 'receipts over HTTP, 5,000 a second, and sends beside them',
  run: measure,
};

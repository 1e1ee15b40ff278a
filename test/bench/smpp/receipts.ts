/** A flood of receipts over HTTP, and what it does to sends beside it. */
import { join } from 'node:path';
import { runSql } from '../../support/databases/postgres.ts';
import { runChild } from '../kit/children.ts';
import { cpuUsOf } from '../kit/costs.ts';
import { withDatabase } from '../kit/databases.ts';
import { type Latency, table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atLeast, type Goal } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import type { AskPlan, AskResult } from '../load/paced-asks.ts';
import { type PacedResult, runLoad, runPaced, withServer } from '../load/run-load.ts';
import { CALLERS, loadPlan } from '../sends/sends.ts';

/** Receipts a second. */
const FLOOD = 5_000;

/** The share of the highest rate of sends that is asked for beside it. */
const SHARE = 0.25;

/** The connections that a provider reports on. */
const CONNECTIONS = 256;

/** How many attempts the receipts are about: as many as an argument of a process holds. */
const ATTEMPTS = 2_500;

/** Those of the flood before the measured ones. */
const WARM_UP_ATTEMPTS = 200;

/** The arguments of the load of receipts. */
export interface ReceiptPlan extends AskPlan {
  /** The address that the provider was given. */
  readonly receiptsUrl: string;
  readonly attemptIds: readonly string[];
  /** Whether every second one is about an attempt that nobody knows, and waits for it. */
  readonly ofNobody: boolean;
}

const CREATE = 'mutation ($input: CreateConnectionInput!) { result: createConnection(input: $input) { receiptsUrl } }';

async function flood(plan: ReceiptPlan): Promise<AskResult> {
  return JSON.parse(
    await runChild(process.execPath, [join(import.meta.dirname, 'receipt-load.ts'), JSON.stringify(plan)]),
  );
}

/** Connects an HTTP gateway that takes everything to an account; answers where it reports. */
export async function connectHttpSms(
  { operate, accountId }: Pick<Gateway, 'operate' | 'accountId'>,
  url: string,
): Promise<string> {
  const config = {
    request: { method: 'POST', url, form: { to: '{{to}}', text: '{{text}}', id: '{{attemptId}}' } },
    accepted: { status: [200] },
    receipt: { attemptId: 'query:attempt', status: 'query:status', map: { D: 'delivered' } },
    inbound: { from: 'query:from', to: 'query:to', text: 'query:text', messageId: 'query:id' },
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
          const receiptsUrl = await connectHttpSms(gateway, server.url);
          const { url, token } = gateway;
          const { sendsPerSecond } = await runLoad({ ...loadPlan(), ...times, url, token, connections: CALLERS });
          const rate = SHARE * sendsPerSecond;
          const sends = (): Promise<PacedResult> =>
            runPaced({ ...loadPlan(), url, tokens: [token], rate, connections: CALLERS, seconds: times.seconds });
          const rows = await runSql(
            databaseUrl,
            `select 'att_' || replace(id::text, '-', '') as id from attempts where status = 'sent' limit ${ATTEMPTS}`,
          );
          const ids = rows.map(({ id }) => String(id));
          const plan = {
            receiptsUrl,
            ofNobody: true,
            rate: FLOOD,
            connections: CONNECTIONS,
            seconds: times.warmUpSeconds,
          };
          await flood({ ...plan, attemptIds: ids.splice(0, WARM_UP_ATTEMPTS) });
          const alone = await sends();
          const beganUs = await cpuUsOf(gateway.pid);
          const undisturbed = await flood({ ...plan, ofNobody: false, attemptIds: ids, seconds: times.seconds });
          const receiptUs = ((await cpuUsOf(gateway.pid)) - beganUs) / undisturbed.answered;
          const during = async (ofNobody: boolean) => {
            const flooding = flood({ ...plan, ofNobody, attemptIds: ids, seconds: times.seconds });
            return { beside: await sends(), receipts: await flooding };
          };
          const usual = await during(false);
          const worst = await during(true);
          const row = (title: string, offered: number, answered: number, { p50Ms, p99Ms }: Latency): string[] => [
            title,
            offered.toFixed(0),
            (answered / times.seconds).toFixed(0),
            p50Ms.toFixed(1),
            p99Ms.toFixed(1),
          ];
          const rowsOf = (title: string, { receipts, beside }: typeof usual): string[][] => [
            row(title, FLOOD, receipts.answered, receipts),
            row('  sends beside them', rate, beside.accepted.count, beside.accepted),
          ];
          say(
            table([
              ['', 'offered a second', 'answered a second', 'p50 ms', 'p99 ms'],
              row('sends alone', rate, alone.accepted.count, alone.accepted),
              row('receipts alone, of attempts that are known', FLOOD, undisturbed.answered, undisturbed),
              ...rowsOf('receipts, of attempts that are known', usual),
              ...rowsOf('receipts, half of them of attempts that nobody knows', worst),
            ]),
          );
          say(`  a receipt alone costs ${receiptUs.toFixed(0)} µs of the gateway's CPU`);
          const refused = usual.receipts.refused + worst.receipts.refused;
          if (refused > 0) say(`  ${refused} receipts were refused: their provider reports again`);
          return [
            atLeast(
              'receipts that were answered, of 5,000 a second',
              usual.receipts.answered / times.seconds / FLOOD,
              1,
            ),
            atLeast('sends that were accepted beside them', usual.beside.accepted.count / usual.beside.offered, 0.99),
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

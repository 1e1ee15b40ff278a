/** The neighbours of a tenant: what each of them has, and what it asks for. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from '../kit/children.ts';
import { type Gateway, makeAccount, SENDER } from '../kit/gateway.ts';
import { HttpSocket } from '../load/http-socket.ts';
import { runLoad } from '../load/run-load.ts';
import { loadPlan } from '../sends/sends.ts';
import { connectHttpSms } from '../smpp/receipts.ts';

/** The neighbours of a tenant, in the order in which they are measured. */
export const KINDS = ['strangers', 'streams', 'export', 'receipts'] as const;

/** One of them. */
export type Kind = (typeof KINDS)[number];

/** The names of neighbours in the tables. */
export const TITLES: Readonly<Record<Kind, string>> = {
  strangers: '200 strangers that sign in',
  streams: '500 streams of one account',
  export: 'an export, four pages at once',
  receipts: 'a flood of receipts',
};

/** The arguments of the load of a neighbour. */
export interface NeighbourPlan {
  readonly kind: Kind;
  readonly url: string;
  readonly seconds: number;
  /** Unlike that of any other run. */
  readonly runId: string;
  /** Of its account; null: strangers have none. */
  readonly token: string | null;
  readonly sender: string;
  /** The operations of the dashboard's log. */
  readonly document?: string;
  readonly receiptsUrl?: string;
  readonly attemptIds?: readonly string[];
}

/** The report of the load of a neighbour: how many answers there were of each kind, by status and code. */
export interface NeighbourResult {
  readonly answers: Readonly<Record<string, number>>;
}

/** Makes a neighbour ask for so many seconds. */
export type Disturb = (seconds: number) => Promise<NeighbourResult>;

/** Requests a second of a neighbour's account: what an account has by default. */
const RATE_LIMIT = 100;

const LOGS = join(import.meta.dirname, '../../../src/dashboard/app/features/logs/logs.graphql');

/** Makes the accounts of the neighbours, with what they need; `entries` is how long the exported log is. */
export async function makeNeighbours(
  gateway: Gateway,
  providerUrl: string,
  entries: number,
): Promise<Readonly<Record<Kind, Disturb>>> {
  const { url, operate } = gateway;
  const document = await readFile(LOGS, 'utf8');
  const base = { url, sender: SENDER, token: null };
  const limited = async (accountId: string): Promise<void> => {
    const rateLimit = { accountId, rateLimit: RATE_LIMIT };
    await operate(UPDATE, rateLimit);
  };
  const streaming = await makeAccount(operate, RATE_LIMIT);
  const exporting = await makeAccount(operate, null);
  await sendSome(url, exporting.token, entries);
  await limited(exporting.accountId);
  const reported = await makeAccount(operate, null);
  const receiptsUrl = await connectHttpSms({ operate, accountId: reported.accountId }, providerUrl);
  await sendSome(url, reported.token, 400);
  await limited(reported.accountId);
  const attemptIds = await attemptsOf(url, reported.token, document);
  return {
    strangers: disturb('strangers', base),
    streams: disturb('streams', { ...base, token: streaming.token, document }),
    export: disturb('export', { ...base, token: exporting.token, document }),
    receipts: disturb('receipts', { ...base, receiptsUrl, attemptIds }),
  };
}

const UPDATE = 'mutation ($input: UpdateAccountInput!) { result: updateAccount(input: $input) { id } }';

async function sendSome(url: string, token: string, count: number): Promise<void> {
  const many = { connections: 32, warmUpSeconds: 0, seconds: 600, stepsMax: count };
  await runLoad({ ...loadPlan(), ...many, url, token });
}

async function attemptsOf(url: string, token: string, query: string): Promise<string[]> {
  const connection = await HttpSocket.open(url, token);
  const request = { query, operationName: 'LogPage', variables: { first: 200 } };
  const { body } = await connection.post('/graphql', JSON.stringify(request));
  connection.close();
  return [...new Set(body.toString().match(/att_[0-9a-f]{32}/g))];
}

function disturb(kind: Kind, plan: Omit<NeighbourPlan, 'kind' | 'seconds' | 'runId'>): Disturb {
  const program = join(import.meta.dirname, 'neighbour-load.ts');
  return async seconds => {
    const told: NeighbourPlan = { ...plan, kind, seconds, runId: loadPlan().runId };
    return JSON.parse(await runChild(process.execPath, [program, JSON.stringify(told)]));
  };
}

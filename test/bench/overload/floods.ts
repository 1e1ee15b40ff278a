/** Floods: what it costs to refuse one GraphQL request that asks for thousands of verifies through aliases. */
import { checkRows, countRows, RowFault } from '../kit/databases.ts';
import { table } from '../kit/figures.ts';
import type { Gateway } from '../kit/gateway.ts';

/** The most CPU time that a refusal may take, in milliseconds. */
const GOAL_MS = 50;

const WARM_UP_REQUESTS = 5;
const REQUESTS = 20;

const BODY_BYTES_MAX = 64 * 1024;

/** How many aliases a document may have that the gateway still reads to its end (1,000 tokens): as short as can be, and complete. */
const SHORT_ALIASES = 330;
const FULL_ALIASES = 80;

/** The log's rows of verifies. A document that is refused whole leaves none. */
const OUTCOMES = "attempts where type not in ('message_attempt', 'otp_attempt', 'otp_flagged')";

interface Flood {
  readonly title: string;
  readonly body: string;
  readonly isRefused: boolean;
}

/** The cost of one request of a flood. */
export interface FloodCost {
  readonly title: string;
  readonly bytes: number;
  /** The HTTP status of its answer. */
  readonly status: number;
  /** CPU time of the gateway's process, in milliseconds. */
  readonly cpuMs: number;
}

/** Measures each flood on a gateway whose database is at `databaseUrl`. @throws RowFault where one was not refused whole. */
export async function measureFloods(gateway: Gateway, databaseUrl: string): Promise<FloodCost[]> {
  const before = await countRows(databaseUrl, OUTCOMES);
  const costs: FloodCost[] = [];
  for (const flood of floods()) costs.push(await measure(gateway, flood));
  await checkRows(databaseUrl, 'floods of verifyOtp', { outcomes: [before, OUTCOMES] });
  return costs;
}

function floods(): Flood[] {
  const short = (count: number): string =>
    bodyOf(`mutation{${Array.from({ length: count }, (_unused, index) => `${aliasOf(index)}:verifyOtp`).join(' ')}}`);
  const full = Array.from({ length: FULL_ALIASES }, (_unused, index) => `${aliasOf(index)}:verifyOtp(input:$i){id}`);
  const fitting = mostThatFit(short);
  const shown = (count: number): string => count.toLocaleString('en');
  return [
    { title: 'no alias at all: { __typename }', body: bodyOf('{__typename}'), isRefused: false },
    { title: '10,000 aliases, as short as can be', body: short(10_000), isRefused: true },
    { title: `${shown(fitting)} of them, which 64 KiB hold`, body: short(fitting), isRefused: true },
    { title: `${SHORT_ALIASES} of them, which are read to the end`, body: short(SHORT_ALIASES), isRefused: true },
    {
      title: `${FULL_ALIASES} with their arguments, valid but for their number`,
      body: bodyOf(`mutation($i:VerifyOtpInput!){${full.join(' ')}}`, { i: { pinId: 'pin_0', pin: '000000' } }),
      isRefused: true,
    },
  ];
}

function bodyOf(query: string, variables?: object): string {
  return JSON.stringify({ query, variables });
}

const FIRST = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_';
const NEXT = `${FIRST}0123456789`;

/** The names of GraphQL, the short ones first. */
function aliasOf(index: number): string {
  if (index < FIRST.length) return FIRST.charAt(index);
  const rest = index - FIRST.length;
  return aliasOf(Math.floor(rest / NEXT.length)) + NEXT.charAt(rest % NEXT.length);
}

/** The most aliases whose body the gateway reads. */
function mostThatFit(body: (count: number) => string): number {
  let count = 1;
  for (let step = 4_096; step >= 1; step /= 2) while (body(count + step).length <= BODY_BYTES_MAX) count += step;
  return count;
}

async function measure(gateway: Gateway, { title, body, isRefused }: Flood): Promise<FloodCost> {
  let status = 0;
  const ask = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) status = await askOnce(gateway, body, isRefused);
  };
  await ask(WARM_UP_REQUESTS);
  const beforeMs = await cpuMsOf(gateway);
  await ask(REQUESTS);
  return { title, bytes: body.length, status, cpuMs: ((await cpuMsOf(gateway)) - beforeMs) / REQUESTS };
}

/** @throws RowFault where the answer is not what it must be. */
async function askOnce({ url, token }: Gateway, body: string, isRefused: boolean): Promise<number> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
    },
    body,
  });
  const text = await response.text();
  const answer: { data?: unknown; errors?: unknown } = JSON.parse(text);
  const wasRefused = answer.errors !== undefined && answer.data === undefined;
  if (wasRefused === isRefused) return response.status;
  throw new RowFault(`a document of ${body.length} bytes was answered ${response.status} ${text.slice(0, 500)}`);
}

/** CPU time of the gateway's process since its start. To be asked for costs it a little, which is in the difference. */
async function cpuMsOf({ url }: Gateway): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^process_cpu_seconds_total ([\d.e+-]+)/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('the metrics hold no CPU time');
  return Number(seconds) * 1_000;
}

/** The costs as a table. */
export function floodReport(costs: readonly FloodCost[]): string {
  return [
    table([
      ['POST /graphql, verifyOtp through aliases, refused whole', 'bytes', 'status', 'CPU ms'],
      ...costs.map(({ title, bytes, status, cpuMs }) => [title, String(bytes), String(status), cpuMs.toFixed(1)]),
    ]),
    '',
    `Most CPU time of one such request:           ${Math.max(...costs.map(cost => cost.cpuMs)).toFixed(1)} ms (goal: below ${GOAL_MS} ms)`,
  ].join('\n');
}

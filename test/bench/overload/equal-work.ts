/**
 * Equal work: whether the time of a verify tells a pin that does not exist, one of another account and one's own apart. Wrong codes
 * for all three, in turn, one call at a time on one connection.
 */

import { randomBytes } from 'node:crypto';
import { checkRows, RowFault, withDatabase } from '../kit/databases.ts';
import { median, percent, table } from '../kit/figures.ts';
import { type BenchAccount, type Gateway, makeAccount, SENDER, withGateway } from '../kit/gateway.ts';
import type { Part } from '../kit/part.ts';
import { HttpSocket } from '../load/http-socket.ts';
import { phoneOf } from '../load/phones.ts';
import { floodReport, measureFloods } from './floods.ts';

const KINDS = ['unknown', 'foreign', 'own'] as const;

type Kind = (typeof KINDS)[number];

const TITLES: Readonly<Record<Kind, string>> = {
  unknown: 'a pin that does not exist',
  foreign: "another account's pin",
  own: 'an own pin, wrong code',
};

const STATUSES: Readonly<Record<Kind, number>> = { unknown: 404, foreign: 404, own: 400 };

/** Every order of the three, so that none always follows the same other one. */
const ORDERS: readonly (readonly Kind[])[] = [
  ['unknown', 'foreign', 'own'],
  ['foreign', 'own', 'unknown'],
  ['own', 'unknown', 'foreign'],
  ['own', 'foreign', 'unknown'],
  ['unknown', 'own', 'foreign'],
  ['foreign', 'unknown', 'own'],
];

/** Codes that may be tried for one pin. */
const TRIES = 5;

/** Wrong for every pin: the codes have six digits. */
const WRONG_CODE = '0000000';

/** Own pins of each account: all of their wrong codes are fewer than an account may be given in a minute. */
const PINS_OF_ACCOUNT = 10;

/** How far apart the medians may be. */
const GOAL = 0.05;

const SENDERS = 16;

/** The median time of each kind of call, in milliseconds. */
type EqualWork = Readonly<Record<Kind, number>>;

/**
 * Measures the three on a gateway whose database is at `databaseUrl`: `calls` (a multiple of 500) of each, after a warm-up of a tenth.
 * @throws RowFault if not every wrong code was counted, or anything else was
 */
async function measureEqualWork(gateway: Gateway, databaseUrl: string, calls: number): Promise<EqualWork> {
  const warmUp = calls / 10;
  const count = (calls + warmUp) / TRIES;
  const own: BenchAccount[] = [];
  while (own.length < count / PINS_OF_ACCOUNT) own.push(await makeAccount(gateway.operate));
  const other = await makeAccount(gateway.operate);
  const pins: Readonly<Record<Kind, readonly string[]>> = {
    unknown: Array.from({ length: count }, () => `pin_${randomBytes(16).toString('hex')}`),
    foreign: await sendOtps(gateway.url, other, count),
    own: (await Promise.all(own.map(account => sendOtps(gateway.url, account, PINS_OF_ACCOUNT, 1)))).flat(),
  };
  const times = await callInTurn(gateway.url, own, pins, calls + warmUp);
  await checkRows(databaseUrl, 'equal work', {
    'own pins blocked': [count, `otps where ${ownedBy(own)} and status = 'blocked' and attempts = ${TRIES}`],
    'own wrong codes logged': [calls + warmUp, `attempts where ${ownedBy(own)} and type = 'otp_incorrect'`],
    'other pins touched': [0, `otps where ${ownedBy([other])} and (attempts > 0 or status <> 'sent')`],
  });
  const medianOf = (kind: Kind): number => median(times[kind].slice(warmUp));
  return { unknown: medianOf('unknown'), foreign: medianOf('foreign'), own: medianOf('own') };
}

function ownedBy(accounts: readonly BenchAccount[]): string {
  return `account_id in (${accounts.map(({ accountId }) => `'${accountId.replace('acc_', '')}'::uuid`).join()})`;
}

/** Sends OTPs to as many recipients, and answers their pins. */
async function sendOtps(url: string, { token }: BenchAccount, count: number, senders = SENDERS): Promise<string[]> {
  const pins: string[] = [];
  let sent = 0;
  const send = async (): Promise<void> => {
    const connection = await HttpSocket.open(url, token);
    while (sent < count) {
      const request = { to: `+${phoneOf(sent++)}`, channels: ['sms'], sender: SENDER };
      const { status, body } = await connection.post('/api/omni/otp/send', JSON.stringify(request));
      if (status !== 200) throw new Error(`not 200: ${status} ${body.toString()}`);
      const { data }: { data: { pinId: string } } = JSON.parse(body.toString());
      pins.push(data.pinId);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: senders }, send));
  return pins;
}

/**
 * Calls one of each kind in each turn, as one account until its own pins are used up, and then as the next. Answers the times in
 * milliseconds, in their order.
 */
async function callInTurn(
  url: string,
  own: readonly BenchAccount[],
  pins: Readonly<Record<Kind, readonly string[]>>,
  turns: number,
): Promise<Readonly<Record<Kind, number[]>>> {
  const times: Readonly<Record<Kind, number[]>> = { unknown: [], foreign: [], own: [] };
  const turnsOfAccount = PINS_OF_ACCOUNT * TRIES;
  let connection: HttpSocket | null = null;
  let calls = 0;
  for (let turn = 0; turn < turns; turn++) {
    const account = Math.floor(turn / turnsOfAccount);
    if (!connection || turn % turnsOfAccount === 0) {
      connection?.close();
      connection = await HttpSocket.open(url, own[account]?.token ?? '');
    }
    const pin = account * PINS_OF_ACCOUNT + (turn % PINS_OF_ACCOUNT);
    for (const kind of ORDERS[turn % ORDERS.length] ?? KINDS) {
      const clientIp = addressOf(calls++);
      const request = JSON.stringify({ pinId: pins[kind][pin], pin: WRONG_CODE, clientIp });
      const beganMs = performance.now();
      const { status, body } = await connection.post('/api/omni/otp/verify', request);
      times[kind].push(performance.now() - beganMs);
      if (status !== STATUSES[kind]) throw new RowFault(`${TITLES[kind]}: answered ${status} ${body.toString()}`);
    }
  }
  connection?.close();
  return times;
}

/** An address of 198.18.0.0/15, which is for benches (RFC 2544); each call has another, so that no budget is used up. */
function addressOf(serial: number): string {
  return `198.${18 + (serial >> 16)}.${(serial >> 8) & 255}.${serial & 255}`;
}

/** The medians, and how far they are apart. */
function equalWorkReport(medians: EqualWork, calls: number): string {
  const values = KINDS.map(kind => medians[kind]);
  const lowest = Math.min(...values);
  return [
    table([
      [`POST /api/omni/otp/verify, one at a time in turn, ${calls} of each`, 'median ms', 'to the lowest'],
      ...KINDS.map(kind => [TITLES[kind], medians[kind].toFixed(3), `+${percent(medians[kind] / lowest - 1, 1)}`]),
    ]),
    '',
    `Largest gap between the medians:             ${percent(Math.max(...values) / lowest - 1, 1)} (goal: within ${percent(GOAL)})`,
  ].join('\n');
}

/** Two measures that no load can take: the time of single verifies, and the cost of floods of them. */
export const verifyPart: Part = {
  flag: '--verify',
  about: 'what the time of a verify tells, and what it costs to refuse a flood of them',
  run: ({ clusterUrl, isQuick, say }) =>
    withDatabase(clusterUrl, url =>
      withGateway('grouped', url, async gateway => {
        const calls = isQuick ? 500 : 5_000;
        say(equalWorkReport(await measureEqualWork(gateway, url, calls), calls));
        say();
        say(floodReport(await measureFloods(gateway, url)));
        return [];
      }),
    ),
};

/**
 * `npm run soak -- --minutes 10`: mixed traffic at two gateways on one PostgreSQL. Every few seconds a gateway, the database, the clock,
 * the disk or the receiver fails. An oracle beside them names each broken promise. Exit status 1 if there is one.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { median, quantileOf, table } from '../bench/kit/figures.ts';
import { makeAccount, operator, SENDER } from '../bench/kit/gateway.ts';
import { makeClockIn, noWrongClock } from '../support/clocks/clock-file.ts';
import { startCluster } from '../support/databases/cluster.ts';
import { migrateDatabase } from '../support/databases/migrated.ts';
import { databaseUrl, runSql } from '../support/databases/postgres.ts';
import type { RunSql } from '../support/otp/pins.ts';
import { startReceiver } from '../support/webhooks/receiver.ts';
import { doFaults, makeSmallDisk, type SmallDisk } from './faults.ts';
import { OPERATOR_TOKEN, startLasting } from './gateways.ts';
import { findFaults, findLeft, noteArrivals, signatureFault } from './oracle.ts';
import { waitForSends } from './probe.ts';
import { CHAT_SENDER, makeTraffic, type Timed } from './traffic.ts';

/** Messages a second, and the pause before each fault. */
const RATE = 15;
const PAUSE_MS = 8_000;

/** The bound for all work under way to end and be told. */
const DRAIN_MS = 180_000;

/** The most growth of the gateway that never dies, from the second quarter to the last, and how much longer a send may take. */
const GROWTH_MAX_MIB = 64;
const SLOWER_MAX = 2;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const seconds = Number(values.minutes) * 60;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs statements, each on a connection of its own: connections are cut here. */
const sqlOn =
  (url: string): RunSql =>
  async <Row>(text: string, parameters: readonly unknown[] = []) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text, [...parameters])).rows as Row[];
    } finally {
      await client.end();
    }
  };

const memoryMiB = (pid: number | null): number =>
  pid === null ? 0 : Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** A machine that is too busy leaves many without an answer, and they must not hide the rest. */
const unansweredLast = (a: string, b: string): number => Number(/no answer/.test(a)) - Number(/no answer/.test(b));

/** The values of a quarter of the time, from 0. */
function quarterOf(all: readonly Timed[], quarter: number): number[] {
  const from = (quarter * seconds) / 4;
  return all.filter(({ second }) => second >= from && second < from + seconds / 4).map(({ tookMs }) => tookMs);
}

let disk = null as SmallDisk | null;
const cluster = await startCluster({
  own: true,
  prepare: async data => {
    disk = makeSmallDisk(data);
    return ['max_wal_size=128MB'];
  },
});
if (!cluster) throw new Error('a soak needs a PostgreSQL (15 or newer) installed');
process.once('exit', () => disk?.leave());
await runSql(cluster.url, 'create database soak');
const url = databaseUrl(cluster.url, 'soak');
await migrateDatabase(url);
const clock = noWrongClock ? null : await makeClockIn(await mkdtemp(join(tmpdir(), 'heliograph-soak-')), 'wall', 0);
const mortal = await startLasting(url, clock?.env ?? {});
const lasting = await startLasting(url, {});
const sql = sqlOn(url);
await noteArrivals(sql);

const operate = operator(lasting.url, OPERATOR_TOKEN);
const { accountId, token } = await makeAccount(operate);
const chat = { accountId, channel: 'CHAT_QR', name: CHAT_SENDER };
await operate('mutation ($input: SenderInput!) { result: addSender(input: $input) { id } }', chat);
await operate('mutation ($input: SenderInput!) { result: approveSender(input: $input) { id } }', chat);
const receiverState = { isAway: false };
const badSignatures: string[] = [];
let secret = '';
const receiver = await startReceiver((request, response) => {
  const fault = signatureFault(secret, request);
  if (fault !== null) badSignatures.push(fault);
  if (receiverState.isAway) response.destroy();
  else response.end('ok');
});
const input = { url: receiver.url, events: ['message.sent', 'message.failed', 'otp.verified'] };
const { secret: ownSecret, endpoint } = await operate<{ secret: string; endpoint: { id: string; createdAt: string } }>(
  `mutation ($input: CreateWebhookEndpointInput!) {
    result: createWebhookEndpoint(input: $input) { secret endpoint { id createdAt } }
  }`,
  input,
  accountId,
);
secret = ownSecret;

say(`Soaks for ${seconds} s at ${RATE} messages a second; load ${loadavg()[0]?.toFixed(1)}.`);
const ending = new AbortController();
setTimeout(() => ending.abort(), seconds * 1_000);
const beganMs = performance.now();
const memory: Timed[] = [];
const watch = setInterval(
  () => memory.push({ second: (performance.now() - beganMs) / 1_000, tookMs: memoryMiB(lasting.pid()) }),
  2_000,
);
const urls = [mortal.url, lasting.url];
const [notes, faultsDone] = await Promise.all([
  makeTraffic({ urls, token, sender: SENDER, rate: RATE, signal: ending.signal }),
  doFaults(
    { mortal, lasting, cluster, databaseUrl: url, clock, disk, receiver: receiverState },
    PAUSE_MS,
    ending.signal,
    () => waitForSends(urls, token, SENDER),
  ),
]);
clearInterval(watch);
await clock?.set(0);

const drainsMs = performance.now();
// As after every breakdown: a delivery that failed three times would wait for half an hour.
const recover = `recoverWebhooks(endpointId: "${endpoint.id}", since: "${endpoint.createdAt}") { count }`;
await operate(`mutation { result: ${recover} }`, {}, accountId);
let left = await findLeft(sql);
while (left.length > 0 && performance.now() - drainsMs < DRAIN_MS) {
  await wait(1_000);
  left = await findLeft(sql);
}
const drainSeconds = (performance.now() - drainsMs) / 1_000;
const faults = await findFaults({ sql, accountId, notes, received: receiver.received, secret, badSignatures });
faults.push(...left);
const grownMiB = median(quarterOf(memory, 3)) - median(quarterOf(memory, 1));
if (grownMiB > GROWTH_MAX_MIB) faults.push(`the gateway that never died has grown by ${grownMiB.toFixed(0)} MiB`);
const [early, late] = [quarterOf(notes.timed, 1), quarterOf(notes.timed, 3)];
const slower = median(late) / median(early);
if (slower > SLOWER_MAX) faults.push(`sends take ${slower.toFixed(2)} times as long as in the second quarter`);

const backs = Map.groupBy(faultsDone, ({ name }) => name);
say(
  table([
    ['fault', 'times', 'sends again after, at most'],
    ...[...backs].map(([name, all]) => [
      name,
      String(all.length),
      `${Math.max(...all.map(({ backSeconds }) => backSeconds)).toFixed(1)} s`,
    ]),
  ]),
);
const deliveries = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
say(
  [
    `Messages: ${notes.told.length} answered, ${[...notes.refusals].map(([kind, times]) => `${times} × ${kind}`).join(', ')} before that`,
    `Passcodes: ${notes.verified.length} verified twice at once, ${notes.unsent} without a code`,
    `Webhooks: ${deliveries.size} deliveries in ${receiver.received.length} arrivals`,
    ...(left.length === 0 ? [`Nothing was left ${drainSeconds.toFixed(0)} s after the end`] : []),
    `Memory of the gateway that never died: ${median(quarterOf(memory, 1)).toFixed(0)} MiB in the second quarter, ${median(quarterOf(memory, 3)).toFixed(0)} in the last`,
    `Sends, p50 and p95: ${median(early).toFixed(1)} and ${quantileOf(early, 0.95).toFixed(1)} ms in the second quarter, ${median(late).toFixed(1)} and ${quantileOf(late, 0.95).toFixed(1)} in the last; load ${loadavg()[0]?.toFixed(1)}`,
    ...(faults.length === 0
      ? ['Every promise was kept.']
      : [`${faults.length} faults:`, ...faults.toSorted(unansweredLast).slice(0, 50)]),
  ].join('\n'),
);
await Promise.all([mortal.stop(), lasting.stop(), receiver.close()]);
disk?.leave();
disk = null;
await cluster.stop();
process.exit(faults.length === 0 ? 0 : 1);

/** How soon a test has the code of a passcode: `sandboxWaitForCode` waits, then the passcode is sent. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RowFault, withDatabase } from '../kit/databases.ts';
import { quantileOf, table } from '../kit/figures.ts';
import { type Gateway, SENDER, withGateway, withGatewayOn } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Bench, Part } from '../kit/part.ts';
import { HttpSocket } from '../load/http-socket.ts';
import { phoneOf } from '../load/phones.ts';

const WAIT = 'query ($to: String!) { sandboxWaitForCode(to: $to) { code } }';

/** By then the wait has looked once and follows what arrives. */
const BEFORE_MS = 20;

/** From the answer to the send until the answer to the wait, in milliseconds, one after the other. @throws RowFault */
async function measure({ url, token }: Gateway, count: number): Promise<number[]> {
  const [waiter, sender] = await Promise.all([HttpSocket.open(url, token), HttpSocket.open(url, token)]);
  const lags: number[] = [];
  for (let nth = 0; nth < count; nth++) {
    const to = phoneOf(nth);
    const found = waiter
      .post('/graphql', JSON.stringify({ query: WAIT, variables: { to } }))
      .then(answer => ({ answer, atMs: performance.now() }));
    await wait(BEFORE_MS);
    const sent = await sender.post('/api/omni/otp/send', JSON.stringify({ to, channels: ['sms'], sender: SENDER }));
    const sentMs = performance.now();
    const { answer, atMs } = await found;
    if (sent.status !== 200 || !/"code":"\d+"/.test(answer.body.toString()))
      throw new RowFault(`a code was not found: ${sent.body.toString()} ${answer.body.toString()}`);
    lags.push(atMs - sentMs);
  }
  waiter.close();
  sender.close();
  return lags.slice(count / 5);
}

async function onEmbedded(count: number): Promise<number[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-bench-'));
  try {
    return await withGatewayOn(dataDir, 'grouped', {}, gateway => measure(gateway, count));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const onPostgres = ({ clusterUrl }: Bench, count: number): Promise<number[]> =>
  withDatabase(clusterUrl, url => withGateway('grouped', url, gateway => measure(gateway, count)));

/** The wait for a code. */
export const waitPart: Part = {
  flag: '--wait',
  about: 'how soon after a send the wait for its code is answered',
  async run(bench) {
    const count = bench.isQuick ? 100 : 500;
    const lags = { embedded: await onEmbedded(count), PostgreSQL: await onPostgres(bench, count) };
    const rows = Object.entries(lags).map(([name, ms]) => [
      name,
      ...[0.5, 0.95].map(share => quantileOf(ms, share).toFixed(1)),
    ]);
    bench.say(table([['the wait is answered after the send, ms', 'median', 'p95'], ...rows]));
    return Object.entries(lags).map(([name, ms]) =>
      atMost(`sandboxWaitForCode after the send, ${name}, median`, quantileOf(ms, 0.5), 5, 'ms'),
    );
  },
};

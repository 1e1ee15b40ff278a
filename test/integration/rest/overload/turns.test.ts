import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics } from '../../../../src/observability/metrics.ts';
import { createAdmission } from '../../../../src/rest/overload/admission.ts';
import { ConcurrencyLimit } from '../../../../src/rest/overload/concurrency-limit.ts';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { headOf, speak } from '../../../support/processes/raw-http.ts';

/** How many ask at once, none of whom is known. */
const CROWD = 60;

const TENANT = ['Authorization: Bearer acc_1'];

let listener: Listener;
/** The paths that came through, by turn of the event loop, and those of the turn that goes on. */
let turns: string[][];
let current: string[];
/** How long each request holds up the process. */
let eachMs: number;
let looking: NodeJS.Immediate;

beforeEach(async () => {
  turns = [];
  current = [];
  eachMs = 0;
  const admission = createAdmission({
    limit: new ConcurrencyLimit(64),
    metrics: createMetrics(false),
    styleOf: () => 'problem',
    trustedProxies: null,
  });
  listener = await listen(
    (request, { onAccount }) => {
      const { pathname } = new URL(request.url);
      current.push(pathname);
      if (pathname === '/tenant') onAccount?.('acc_1');
      standStill(eachMs);
      return new Response();
    },
    { host: '127.0.0.1', port: 0, admission },
  );
  const look = (): void => {
    if (current.length > 0) turns.push(current);
    current = [];
    looking = setImmediate(look);
  };
  looking = setImmediate(look);
});
afterEach(async () => {
  clearImmediate(looking);
  await listener.drain(100);
});

/** Nothing is done in this process for so long. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A crowd asks, and then the tenant, whom the process knows; all are read in one turn. */
async function askAtOnce(): Promise<void> {
  const clients = await Promise.all(Array.from({ length: CROWD + 1 }, () => speak(listener.url)));
  const askAll = (last: readonly string[]): Promise<unknown> =>
    Promise.all(
      clients.map((client, index) => {
        client.socket.write(
          index < CROWD ? headOf('GET', '/crowd', last) : headOf('GET', '/tenant', [...TENANT, ...last]),
        );
        return last.length > 0 ? client.closed() : client.until(/200 OK/);
      }),
    );
  // The process has taken all connections, and knows the tenant.
  await askAll([]);
  turns = [];
  current = [];
  const answered = askAll(['Connection: close']);
  standStill(50);
  await answered;
}

describe('of requests that come in one turn of the event loop', () => {
  test('no more than sixteen begin in one', async () => {
    await askAtOnce();
    expect(turns.flat()).toHaveLength(CROWD + 1);
    expect(Math.max(...turns.map(paths => paths.length))).toBeLessThanOrEqual(16);
  });

  test('one begins in a turn where it takes more than a millisecond', async () => {
    eachMs = 2;
    await askAtOnce();
    expect(turns.map(paths => paths.length)).toEqual(Array.from({ length: CROWD + 1 }, () => 1));
  });

  test('those of an account begin between those of strangers', async () => {
    await askAtOnce();
    expect(turns.flat().indexOf('/tenant')).toBeLessThanOrEqual(16);
  });
});

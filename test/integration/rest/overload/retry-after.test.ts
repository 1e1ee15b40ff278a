import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../../../../src/observability/metrics.ts';
import { styleOf } from '../../../../src/rest/http.ts';
import { createAdmission } from '../../../../src/rest/overload/admission.ts';
import { ConcurrencyLimit } from '../../../../src/rest/overload/concurrency-limit.ts';
import { routes } from '../../../../src/rest/routes.ts';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { headOf, type RawClient, readAnswer, speak } from '../../../support/processes/raw-http.ts';

let listener: Listener;
let metrics: Metrics;
let release: PromiseWithResolvers<void>;
let entered: number;

beforeEach(async () => {
  entered = 0;
  release = Promise.withResolvers<void>();
  metrics = createMetrics(false);
  const admission = createAdmission({
    limit: new ConcurrencyLimit(1),
    metrics,
    styleOf: path => styleOf(routes, path),
    bodyBounds: { strangers: 16_384, all: 16_384 },
  });
  listener = await listen(answer, { host: '127.0.0.1', port: 0, admission });
});
afterEach(async () => {
  release.resolve();
  await listener.drain(1_000);
});

/** Works on what comes until it is released. */
async function answer(): Promise<Response> {
  entered += 1;
  await release.promise;
  return new Response('');
}

const begin = (path: string, more: readonly string[] = []): Promise<RawClient> =>
  speak(listener.url, headOf('POST', path, ['Content-Length: 0', ...more]));

/** Has one request worked on, and more waiting than may; answers those that came first. */
async function flood(path: string): Promise<RawClient[]> {
  const first = await begin(path);
  await expect.poll(() => entered).toBe(1);
  const others = await Promise.all(Array.from({ length: 66 }, () => begin(path)));
  await expect.poll(async () => (await metrics.shed.get()).values[0]?.value ?? 0).toBeGreaterThan(60);
  return [first, ...others];
}

async function refusalOf(client: RawClient): Promise<readonly [status: number, retryAfter: string | null]> {
  await client.until(/\r\n\r\n/);
  const { status, headers } = readAnswer(client.heard());
  return [status, headers.get('retry-after') ?? null];
}

test.each(['/api/omni/send', '/graphql', '/plants/', '/nowhere'])(
  'what waited and is shed at %s is told when to come again',
  async path => {
    const [, waited] = await flood(path);
    expect(waited && (await refusalOf(waited))).toEqual([503, '1']);
  },
);

test.each(['/api/omni/send', '/graphql', '/plants/', '/nowhere'])(
  'what comes in an overload at %s is told when to come again',
  async path => {
    await flood(path);
    expect(await refusalOf(await begin(path))).toEqual([503, '1']);
  },
);

test('a body without room is told when to come again', async () => {
  const half = headOf('POST', '/api/omni/send', ['Content-Length: 12000']) + ' '.repeat(11_000);
  const held = await speak(listener.url, half);
  await expect.poll(async () => (await metrics.shed.get()).values[0]?.value ?? 0).toBe(0);
  const next = await speak(listener.url, half);
  // The oldest that has not come whole makes room.
  expect(await Promise.race([refusalOf(held), refusalOf(next)])).toEqual([503, '1']);
});

import { expect, test } from 'vitest';
import { ask, type Gateway, send, startDemoGateway, startGateway, until } from '../../support/processes/gateway.ts';

/** The sandbox takes this one's messages after two seconds. */
const SLOW = '+12025550107';

async function startWithToken(): Promise<{ gateway: Gateway; token: string }> {
  const gateway = await startDemoGateway();
  return { gateway, token: gateway.demo.tokens.unified };
}

/** Waits until a provider is being called: the message is stored, and pending. */
async function untilPending(gateway: Gateway, token: string): Promise<void> {
  const query = '{ messages(filter: { status: PENDING }) { nodes { messageId } } }';
  await until('a message is pending', async () => {
    const { messages } = await ask<{ messages: { nodes: unknown[] } }>(gateway, token, query);
    return messages.nodes.length > 0 ? true : null;
  });
}

async function untilNotReady(gateway: Gateway): Promise<void> {
  await until('the gateway says that it stops', async () => {
    const { status } = await fetch(`${gateway.url}/readyz`);
    return status === 503 ? true : null;
  });
}

test('SIGTERM finishes what is in flight, refuses what is new, and ends with status 0', async () => {
  const { gateway, token } = await startWithToken();
  const inFlight = send(gateway, token, { to: SLOW });
  await untilPending(gateway, token);
  gateway.kill('SIGTERM');
  const startedMs = performance.now();
  await untilNotReady(gateway);

  const refused = await send(gateway, token);
  expect(refused.status).toBe(503);
  expect(refused.body.code).toBe('overloaded');
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  const graphql = await fetch(`${gateway.url}/graphql`, { method: 'POST' });
  expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, refused.headers.get('retry-after')]);
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);

  const answered = await inFlight;
  expect(answered.status).toBe(200);
  expect(answered.body.data).toMatchObject({ status: 'sent', channel: 'sms' });
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedMs).toBeLessThan(25_000);
});

test('SIGTERM ends those who follow the log, at once', async () => {
  const { gateway, token } = await startWithToken();
  const feed = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { logAdded { id } }' }),
  });
  expect(feed.status).toBe(200);
  gateway.kill('SIGTERM');
  const startedMs = performance.now();
  expect(await feed.text()).toContain('event: complete');
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedMs).toBeLessThan(20_000);
});

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
  ['SIGHUP', 'SIGTERM'],
] as const)('signals that come together are one: %s and %s', async (first, second) => {
  const { gateway, token } = await startWithToken();
  const inFlight = send(gateway, token, { to: SLOW });
  await untilPending(gateway, token);
  gateway.kill(first);
  gateway.kill(second);
  expect((await inFlight).status).toBe(200);
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
});

test('SIGINT ends it as SIGTERM does, and gives the folder back', async () => {
  const gateway = await startGateway();
  gateway.kill('SIGINT');
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  const next = await startGateway({ dataDir: gateway.dataDir });
  next.kill('SIGTERM');
  expect(await next.exited).toEqual({ code: 0, signal: null });
});

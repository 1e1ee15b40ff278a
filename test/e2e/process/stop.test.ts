import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerFile } from '../../support/fixtures.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { makeAccount } from '../../support/processes/accounts.ts';
import { type Gateway, send, startDemoGateway, startGateway, until } from '../../support/processes/gateway.ts';

const carrier = oncePerFile(openHttpGateway, gateway => gateway.close());

/** Starts a gateway, and has it send until its provider is being asked, which answers when it is told to. */
async function startInFlight() {
  const gateway = await startDemoGateway();
  const { token, connect } = await makeAccount(gateway);
  await connect('Carrier', carrier.config);
  const asked = Promise.withResolvers<ServerResponse>();
  carrier.answerWith((_message, response) => asked.resolve(response));
  const inFlight = send(gateway, token, { to: `+${newRecipient()}`, sender: 'ACME' });
  const response = await asked.promise;
  return { gateway, token, inFlight, answer: () => response.writeHead(202).end('id=gw-1') };
}

async function untilNotReady(gateway: Gateway): Promise<void> {
  await until('the gateway says that it stops', async () => {
    const { status } = await fetch(`${gateway.url}/readyz`);
    return status === 503 ? true : null;
  });
}

test('SIGTERM finishes what is in flight, refuses what is new, and ends with status 0', async () => {
  const { gateway, token, inFlight, answer } = await startInFlight();
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

  answer();
  const answered = await inFlight;
  expect(answered.status).toBe(200);
  expect(answered.body.data).toMatchObject({ status: 'sent', channel: 'sms' });
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedMs).toBeLessThan(25_000);
});

test('SIGTERM ends those who follow the log, at once', async () => {
  const gateway = await startDemoGateway();
  const feed = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.demo.tokens.unified}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
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
  const { gateway, inFlight, answer } = await startInFlight();
  gateway.kill(first);
  gateway.kill(second);
  await untilNotReady(gateway);
  answer();
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

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Heliograph } from '../../../src/client/heliograph.ts';
import { type DemoGateway, startDemoGateway, TEXT } from '../../support/processes/gateway.ts';

let gateway: DemoGateway;
/** A wire to the gateway that loses answers as often as it is told to. */
let wire: { readonly url: string; losses: number };
const sockets = new Set<Socket>();
const server = createServer(client => {
  const { hostname, port } = new URL(gateway.url);
  const upstream = connect(Number(port), hostname);
  for (const socket of [client, upstream]) {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => [client, upstream].map(one => one.destroy()));
  }
  client.pipe(upstream);
  upstream.on('data', chunk => {
    if (wire.losses === 0) return client.write(chunk);
    wire.losses -= 1;
    // The rest of the answer is no answer of its own.
    upstream.destroy();
    client.destroy();
  });
});

beforeAll(async () => {
  gateway = await startDemoGateway();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  wire = { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, losses: 0 };
});
afterAll(() => {
  server.close();
  for (const socket of sockets) socket.destroy();
});

const client = (area: keyof DemoGateway['demo']['tokens'] = 'unified') =>
  new Heliograph({ url: wire.url, token: gateway.demo.tokens[area] });

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

test('a message whose answers are lost twice is sent once', async () => {
  const to = '+12025550100';
  wire.losses = 2;
  const sent = await client().sendMessage({ to, text: TEXT, sender: 'DEMO' });
  expect(wire.losses).toBe(0);
  expect(await all(client().messages({ recipient: to }))).toMatchObject([{ messageId: sent.messageId, text: TEXT }]);
  expect(await all(client().logs({ recipient: to }))).toMatchObject([{ messageId: sent.messageId, channel: 'SMS' }]);
});

test('a passcode whose answer is lost is told as a failure, and not sent again', async () => {
  const to = '+12025550199';
  wire.losses = 1;
  await expect(client().sendOtp({ to })).rejects.toMatchObject({ code: 'unreachable' });
  await expect(client().sendOtp({ to })).rejects.toMatchObject({
    code: 'otp_cooldown',
    retryAfter: expect.any(Number),
  });
  expect(await all(client().logs({ recipient: to }))).toMatchObject([{ type: 'OTP_ATTEMPT' }]);
});

test('a list of more than a page has every row once, newest first', async () => {
  const recipient = '12025550108';
  const sends = Array.from({ length: 120 }, () => client().sendMessage({ to: recipient, text: TEXT, sender: 'DEMO' }));
  const sent = await Promise.all(sends);
  const listed = await all(client().messages({ recipient }));
  expect(listed.map(({ messageId }) => messageId)).toEqual(
    sent
      .map(({ messageId }) => messageId)
      .sort()
      .reverse(),
  );
});

test.each([
  ['a token that is none', () => new Heliograph({ url: wire.url, token: 'hg_uni_none' }), 'unauthenticated'],
  ['a token of another area', () => client('management'), 'wrong_area'],
])('%s is told by its code', async (_what, make, code) => {
  const call = make().sendMessage({ to: '+12025550100', text: TEXT, sender: 'DEMO' });
  await expect(call).rejects.toMatchObject({ name: 'HeliographError', code });
});

import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { NOT_CONNECTED } from '../../../src/channels/chat-qr/outcomes.ts';
import { removeConnection } from '../../../src/modules/chat-sessions/linking/link-connection.ts';
import { ConnectionTable } from '../../../src/modules/connections/live/connection-table.ts';
import { createConnection, updateConnection } from '../../../src/modules/connections/manage-connections.ts';
import { suppress } from '../../../src/modules/suppressions/manage-suppressions.ts';
import { ALL_WELL } from '../../support/connections/all-well.ts';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { OPERATOR, openTestDatabase } from '../../support/services.ts';
import { openStrictSmsc } from '../../support/smpp/strict-smsc.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);
const smsc = oncePerTest(openStrictSmsc, peer => peer[Symbol.asyncDispose]());
const gateway = oncePerTest(openHttpGateway, gate => gate.close());
beforeAll(async () => void (await on.app.start()));

const REQUEST = {
  attemptId: 'att_1',
  accountId: 'acc_1',
  channel: 'sms',
  to: '491701234560',
  from: 'ACME',
  text: 'Hello',
  template: null,
  validitySeconds: null,
  tryNumber: 1,
} as const;

const operator = () => on.app.makeCtx(OPERATOR, 'test');
const configOf = (more: object = {}) => ({
  host: '127.0.0.1',
  port: smsc.port,
  systemId: 'gateway',
  password: 'secret',
  ...more,
});

/** Connects the SMSC for the customer, which binds. */
async function connect(more: object = {}): Promise<string> {
  const { id } = await createConnection(operator(), {
    accountId: customer.accountId,
    provider: 'smpp',
    channel: 'sms',
    name: 'Carrier',
    config: configOf(more),
  });
  await smsc.bound(1);
  return id;
}

/** Another connection, which is asked where the SMSC's cannot send. */
const connectOther = () =>
  createConnection(operator(), {
    accountId: customer.accountId,
    provider: 'http-sms',
    channel: 'sms',
    name: 'Other',
    priority: 200,
    config: gateway.config,
  });

const change = (connectionId: string, more: object) =>
  updateConnection(operator(), { connectionId, config: configOf(more) });

/** Sends so many texts, and answers the statuses that the callers are told. */
const send = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const body = { to: `+${newRecipient()}`, text: 'Hello', sender: 'ACME' };
      const { body: answer } = await on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body });
      return answer.data?.status;
    }),
  );

const times = (count: number, status: string) => Array.from({ length: count }, () => status);

describe('a connection to an SMSC that allows one bind, whose config is changed while texts are in flight', () => {
  test('lets them end before it binds anew, and sends what comes meanwhile after that', async () => {
    const connectionId = await connect();
    smsc.hold();
    const before = send(8);
    await smsc.submitted(8);
    await change(connectionId, { window: 20 });
    const after = send(8);
    smsc.release();
    expect(await before).toEqual(times(8, 'sent'));
    expect(await after).toEqual(times(8, 'sent'));
    await smsc.bound(2);
    expect(smsc.refused).toBe(0);
  });

  test('lets those that waited for room go by the new session', async () => {
    const connectionId = await connect({ window: 1 });
    smsc.hold();
    const sent = send(8);
    await smsc.submitted(1);
    await change(connectionId, { window: 20 });
    smsc.release();
    expect(await sent).toEqual(times(8, 'sent'));
    expect(smsc.texts).toBe(8);
    expect(smsc.refused).toBe(0);
  });

  test('is changed three times at once, and binds by the last config alone', async () => {
    const connectionId = await connect();
    smsc.hold();
    const before = send(4);
    await smsc.submitted(4);
    await change(connectionId, { systemType: 'first' });
    await change(connectionId, { systemType: 'second' });
    await change(connectionId, { systemType: 'third' });
    const after = send(4);
    smsc.release();
    expect([...(await before), ...(await after)]).toEqual(times(8, 'sent'));
    expect(smsc.systemTypes).toEqual(['', 'third']);
    expect(smsc.refused).toBe(0);
  });

  test('sends nothing to a person who stops meanwhile', async () => {
    const connectionId = await connect();
    smsc.hold();
    const before = send(1);
    await smsc.submitted(1);
    await change(connectionId, { window: 20 });
    const to = newRecipient();
    const body = { to: `+${to}`, text: 'Hello', sender: 'ACME' };
    const after = on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body });
    await expect.poll(() => on.sql('select 1 from messages where recipient = $1', [to])).toHaveLength(1);
    await suppress(on.app.makeCtx(customer.actor('unified'), 'test'), { to: `+${to}` });
    smsc.release();
    expect(await before).toEqual(['sent']);
    expect((await after).body.data).toMatchObject({ attempts: [{ errorCode: 'recipient_suppressed', credits: 0 }] });
    expect(smsc.texts).toBe(1);
  });

  test('leaves texts to the next connection while the old ones take long', async () => {
    const connectionId = await connect();
    await connectOther();
    smsc.hold();
    const before = send(4);
    await smsc.submitted(4);
    await change(connectionId, { window: 20 });
    expect(await send(4)).toEqual(times(4, 'sent'));
    expect(gateway.messages).toHaveLength(4);
    smsc.release();
    expect(await before).toEqual(times(4, 'sent'));
    await smsc.bound(2);
    expect(await send(1)).toEqual(['sent']);
    expect(gateway.messages).toHaveLength(4);
    expect(smsc.refused).toBe(0);
  });
});

test('a connection by HTTP is not down with a new config where a text of the former one fails', async () => {
  const { id: connectionId } = await connectOther();
  const asked = Promise.withResolvers<ServerResponse>();
  gateway.answerWith((_message, response) => asked.resolve(response));
  const before = send(1);
  const response = await asked.promise;
  const config = { ...gateway.config, secrets: { password: 'new' } };
  await updateConnection(operator(), { connectionId, config });
  response.destroy();
  expect(await before).toEqual(times(1, 'unknown'));
  expect(await on.app.services.metrics.registry.metrics()).not.toContain(`_up{connection="${connectionId}"}`);
});

test.each<[what: string, more: () => object]>([
  ['its name', () => ({ name: 'Other name' })],
  ['its priority and weight', () => ({ priority: 7, weight: 9 })],
  ['what it is for', () => ({ countries: null, purposes: ['message', 'otp'] })],
  ['nothing: its config is given back as it is', () => ({ config: configOf() })],
])('a connection to an SMSC keeps its session where there is changed of it: %s', async (_what, more) => {
  const connectionId = await connect();
  smsc.hold();
  const before = send(2);
  await smsc.submitted(2);
  await updateConnection(operator(), { connectionId, ...more() });
  const after = send(2);
  // By the same session, while the texts of before are in flight.
  await smsc.submitted(4);
  smsc.release();
  expect([...(await before), ...(await after)]).toEqual(times(4, 'sent'));
  expect(smsc.systemTypes).toHaveLength(1);
});

describe('a connection to an SMSC that is removed', () => {
  test('lets the texts that are in flight end, unbinds, and is connected by nothing any more', async () => {
    const connectionId = await connect();
    smsc.hold();
    const sent = send(4);
    await smsc.submitted(4);
    await removeConnection(operator(), connectionId);
    smsc.release();
    expect(await sent).toEqual(times(4, 'sent'));
    await smsc.unbound(1);
    const database = await openTestDatabase(on.testDatabase);
    const table = new ConnectionTable({
      database,
      health: ALL_WELL,
      keys: on.app.services.keys,
      userAgent: 'Heliograph/1.0.0',
      chatQrDir: '/nowhere',
      bySession: async () => NOT_CONNECTED,
      receiptsUrl: () => '',
      receive: async () => undefined,
      hear: async () => undefined,
      templateFault: () => null,
      onHealth: () => undefined,
      onDeaf: () => undefined,
      onUnknown: () => undefined,
      onError: error => {
        throw error;
      },
    });
    try {
      await table.open();
      await table.connect();
      const provider = table.get(connectionId)?.line?.provider;
      expect(await provider?.send(REQUEST, new AbortController().signal)).toMatchObject({
        kind: 'unavailable',
        code: 'connection_closed',
      });
      expect(smsc.systemTypes).toHaveLength(1);
      expect(smsc.refused).toBe(0);
    } finally {
      await table.close();
      await database.close();
    }
  });
});

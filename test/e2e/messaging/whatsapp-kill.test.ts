import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpGateway, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { LEASES_END } from '../../support/messaging/leases-end.ts';
import {
  ask,
  type Demo,
  type Gateway,
  operatorTokenOf,
  seedDemo,
  send,
  startGateway,
  until,
} from '../../support/processes/gateway.ts';
import { graphConfig } from '../../support/whatsapp/connected.ts';
import { HELLO_TEMPLATE } from '../../support/whatsapp/defaults.ts';
import { Graph } from '../../support/whatsapp/graph.ts';
import { DROPPED, READ_FIRST, SLOW } from '../../support/whatsapp/rehearsals.ts';

const REQUEST = {
  channels: ['chat_cloud', 'sms'],
  cloudTemplate: { name: 'hello', language: 'en' },
  reference: 'order-2001',
};

interface Listed {
  readonly status: string;
  readonly channel: string | null;
  readonly attempts: readonly { channel: string; status: string; errorCode: string | null; credits: number }[];
}

describePostgres('a message that Meta has taken, and whose answer nobody got', () => {
  let database: TestDatabase;
  let databaseUrl: string;
  let graph: Graph;
  let carrier: HttpGateway;
  let gateway: Gateway;
  let demo: Demo;
  let receiptsPath: string;

  beforeEach(async () => {
    database = await createDatabase();
    databaseUrl = database.kind === 'postgres' ? database.url : '';
    graph = await new Graph({ templates: [HELLO_TEMPLATE] }).open();
    carrier = await openHttpGateway();
    gateway = await startGateway({ databaseUrl });
    demo = await seedDemo(gateway);
    receiptsPath = await connect('whatsapp-cloud', 'CHAT_CLOUD', graphConfig(graph));
    await connect('http-sms', 'SMS', carrier.config);
  });

  afterEach(async () => {
    gateway.kill('SIGTERM');
    await gateway.exited;
    await Promise.all([graph.close(), carrier.close()]);
    await database.drop();
  });

  async function connect(provider: string, channel: string, config: object): Promise<string> {
    const { made } = await ask<{ made: { receiptsUrl: string } }>(
      gateway,
      await operatorTokenOf(gateway),
      'mutation ($input: CreateConnectionInput!) { made: createConnection(input: $input) { receiptsUrl } }',
      { input: { accountId: demo.accountId, provider, channel, name: provider, config } },
    );
    return new URL(made.receiptsUrl).pathname;
  }

  async function message(): Promise<Listed> {
    const query = '{ messages { nodes { status channel attempts { channel status errorCode credits } } } }';
    const { messages } = await ask<{ messages: { nodes: Listed[] } }>(gateway, demo.tokens.unified, query);
    const [only, other] = messages.nodes;
    if (!only || other) throw new Error(`${messages.nodes.length} messages`);
    return only;
  }

  /** Meta tells of its only message, and goes on telling until somebody has taken it. */
  async function tell(status: 'sent' | 'delivered'): Promise<void> {
    graph.callTo(`${gateway.url}${receiptsPath}`);
    const [sent, other] = graph.sent;
    if (!sent || other) throw new Error(`Meta has taken ${graph.sent.length} messages`);
    await until('the status is taken', async () => ((await graph.tell(sent.wamid, status)) === 200 ? true : null));
  }

  async function expectProven(unknown: Listed['attempts'][number]): Promise<void> {
    const sms = { channel: 'SMS', status: 'SENT', errorCode: null, credits: 1 };
    expect(await message()).toEqual({ status: 'SENT', channel: 'SMS', attempts: [unknown, sms] });
    await tell('delivered');
    const proven = { channel: 'CHAT_CLOUD', status: 'DELIVERED', errorCode: null, credits: 0 };
    expect(await message()).toMatchObject({ status: 'DELIVERED', attempts: [proven, sms] });
    await tell('sent');
    const replay = await send(gateway, demo.tokens.unified, { ...REQUEST, to: `+${graph.sent[0]?.to}` });
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(await message()).toMatchObject({ status: 'DELIVERED', attempts: [proven, sms] });
    expect([graph.requestsTo(graph.sent[0]?.to ?? '').length, carrier.messages.length]).toEqual([1, 1]);
  }

  test('since the gateway was killed, is unknown, then proven by a status, and never sent twice', async () => {
    const call = send(gateway, demo.tokens.unified, { ...REQUEST, to: `+${SLOW}` }).catch(() => 'cut off');
    await until('Meta has taken it', async () => (graph.sent.length === 1 ? await message() : null));
    gateway.kill('SIGKILL');
    await gateway.exited;
    expect(await call).toBe('cut off');
    // Nobody is there to be told: Meta tells it again later.
    graph.callTo(`${gateway.url}${receiptsPath}`);
    expect(await graph.tell(graph.sent[0]?.wamid ?? '', 'sent')).toBe(0);
    await runSql(databaseUrl, LEASES_END);
    gateway = await startGateway({ databaseUrl });
    await until('it has a definite status', async () => ((await message()).status === 'PENDING' ? null : true));
    await expectProven({ channel: 'CHAT_CLOUD', status: 'UNKNOWN', errorCode: 'interrupted', credits: 0 });
  });

  test('since the connection broke off, is unknown, then proven by a status, and never sent twice', async () => {
    const sent = await send(gateway, demo.tokens.unified, { ...REQUEST, to: `+${DROPPED}` });
    expect(sent.body.data).toMatchObject({ status: 'sent', channel: 'sms' });
    await expectProven({ channel: 'CHAT_CLOUD', status: 'UNKNOWN', errorCode: 'connection_broken', credits: 0 });
  });

  test('and that Meta tells of before it is stored, is proven all the same', async () => {
    const url = `${gateway.url}${receiptsPath}`;
    expect(await graph.shakeHands(url)).toEqual({ status: 200, isProven: true });
    expect(await graph.shakeHands(url, 'another-token')).toMatchObject({ isProven: false });
    graph.callTo(url);
    await send(gateway, demo.tokens.unified, { ...REQUEST, to: `+${READ_FIRST}` });
    await graph.idle();
    expect(graph.calls.map(({ status }) => status)).toEqual([200, 200, 200]);
    await until('it is read', async () => ((await message()).status === 'READ' ? true : null));
    expect([graph.requestsTo(READ_FIRST).length, carrier.messages.length]).toEqual([1, 0]);
  });
});

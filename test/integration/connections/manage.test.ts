import { beforeEach, describe, expect, test } from 'vitest';
import { NOT_CONNECTED } from '../../../src/channels/chat-qr/outcomes.ts';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { ConnectionTable } from '../../../src/modules/connections/live/connection-table.ts';
import { openConfig, resealConfigs, sealConfig } from '../../../src/modules/connections/sealed-config.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { ALL_WELL } from '../../support/connections/all-well.ts';
import { type GatewayScript, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { until } from '../../support/processes/gateway.ts';
import { openTestDatabase } from '../../support/services.ts';

// The addresses of the operator's own gateways are shown to the operator.
const on = setUpApp({ env: { PUBLIC_URL: 'https://gateway.example.com' }, mayTell: /http:\/\/127\.0\.0\.1[:/]/g });
const customer = setUpOwnCustomer(on);
const gateway = oncePerTest(openHttpGateway, gate => gate.close());

const FIELDS = `id connectionId accountId provider channel name config receiptsUrl priority weight countries purposes paused
  health { status lastError since figures { country attempts accepted delivered failed unknown medianMs p95Ms } }`;

/** A connection as GraphQL shows it. */
interface Shown {
  readonly connectionId: string;
  readonly config: Record<string, unknown>;
  readonly receiptsUrl: string | null;
  readonly health: { readonly status: string; readonly lastError: string | null; readonly figures: readonly unknown[] };
  readonly [member: string]: unknown;
}

const SECRET = 'p4ssw0rd-of-the-carrier';

const ask = <Data>(query: string, variables: object = {}, token: string | null = OPERATOR_TOKEN) =>
  on.graphql<Data>(query, { token, variables: { ...variables } });

const create = (input: object = {}, token?: string | null) =>
  ask<{ createConnection: Shown }>(
    `mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { ${FIELDS} } }`,
    {
      input: {
        accountId: customer.accountId,
        provider: 'http-sms',
        channel: 'SMS',
        name: 'Carrier',
        config: { ...gateway.config, secrets: { password: SECRET } },
        ...input,
      },
    },
    token,
  );

async function created(input: object = {}): Promise<Shown> {
  const { data, errors } = await create(input);
  expect(errors).toBeNull();
  if (!data) throw new Error('nothing was created');
  return data.createConnection;
}

const update = (input: object, token?: string | null) =>
  ask<{ updateConnection: Shown }>(
    `mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { ${FIELDS} } }`,
    { input },
    token,
  );

async function list(token?: string | null, accountId: string | null = customer.accountId): Promise<readonly Shown[]> {
  const query = `query ($accountId: String) { connections(accountId: $accountId) { ${FIELDS} } }`;
  const { data, errors } = await ask<{ connections: readonly Shown[] }>(query, { accountId }, token);
  expect(errors).toBeNull();
  return data?.connections ?? [];
}

const faultsOf = ({ errors }: { errors: Awaited<ReturnType<typeof create>>['errors'] }) =>
  errors?.map(({ extensions }) => [extensions.code, extensions.errors?.map(({ field }) => field)]);

const sms = (to = `+${newRecipient()}`) =>
  on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body: { to, text: 'Hello', sender: 'ACME' } });

const gaps = async () =>
  (await ask<{ connectionGaps: string[] }>('{ connectionGaps }', {}, customer.tokens.management)).data?.connectionGaps;

describe('a connection', () => {
  test('is made with what was not given as usual, its secrets masked and sealed', async () => {
    const connection = await created();
    expect(connection).toMatchObject({
      id: connection.connectionId,
      accountId: customer.accountId,
      provider: 'http-sms',
      channel: 'SMS',
      priority: 100,
      weight: 1,
      countries: null,
      purposes: null,
      paused: false,
      health: { status: 'UNKNOWN', lastError: null, since: null, figures: [] },
    });
    expect(connection.connectionId).toMatch(/^con_[0-9a-f]{32}$/);
    expect(connection.receiptsUrl).toMatch(/\/receipts\/con_[0-9a-f]{32}\/[\w-]{32}$/);
    expect(JSON.stringify(connection)).not.toContain(SECRET);
    expect(connection.config).toMatchObject({ secrets: { password: '••••••••' } });
    const token = connection.receiptsUrl?.split('/').at(-1) ?? '';
    const [row] = await on.sql(`select to_jsonb(c)::text as text from connections c where id = $1`, [
      toUuid(connection.connectionId),
    ]);
    expect(JSON.stringify(row)).not.toContain(SECRET);
    expect(JSON.stringify(row)).not.toContain(token);
    const [audit] = await on.sql(`select details::text from audit_entries where subject = $1`, [
      connection.connectionId,
    ]);
    expect(JSON.stringify(audit)).toContain('Carrier');
    expect(JSON.stringify(audit)).not.toContain(SECRET);
  });

  test('sends at once, and its attempts name it, after it was removed too', async () => {
    const { connectionId } = await created({ name: 'First' });
    const { body } = await sms();
    expect(body.data).toMatchObject({ status: 'sent', attempts: [{ provider: 'http-sms' }] });
    const query = `query ($id: String!) { message(id: $id) { attempts { connection { connectionId name } } } }`;
    const asked = () => ask(query, { id: body.data?.messageId }, customer.tokens.unified);
    const named = { message: { attempts: [{ connection: { connectionId, name: 'First' } }] } };
    expect((await ask(query, { id: body.data?.messageId }, customer.tokens.sms)).data).toEqual(named);
    const logs = 'query { logs(first: 1) { nodes { connection { connectionId name } } } }';
    expect((await ask(logs, {}, customer.tokens.sms)).data).toEqual({ logs: { nodes: [named.message.attempts[0]] } });
    await ask('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', { id: connectionId });
    expect(await list()).toEqual([]);
    expect((await ask(query, { id: body.data?.messageId }, customer.tokens.sms)).data).toEqual(named);
    expect((await sms()).body.data).toMatchObject({ attempts: [{ provider: 'sandbox' }] });
    expect((await asked()).errors).toBeNull();
  });

  test('tells its health and what went by it, by country', async () => {
    const { connectionId } = await created();
    await sms('+12025550177');
    await sms('+4915123456789');
    gateway.answerWith((_message, response) => response.writeHead(400).end('no such number'));
    await sms('+4915123456780');
    await until('it is up', async () => {
      const [row] = await on.sql<{ health: string }>('select health from connections where id = $1', [
        toUuid(connectionId),
      ]);
      return row?.health === 'up' ? row : null;
    });
    const [connection] = await list();
    expect(connection?.health).toMatchObject({
      status: 'UP',
      figures: [
        { country: 'DE', attempts: 2, accepted: 1, failed: 1, delivered: 0, unknown: 0 },
        { country: 'US', attempts: 1, accepted: 1, failed: 0 },
      ],
    });
    const metrics = await on.app.services.metrics.registry.metrics();
    expect(metrics).toContain(
      `heliograph_connection_attempts_total{connection="${connectionId}",country="US",status="sent"} 1`,
    );
    expect(metrics).toContain(`heliograph_connection_up{connection="${connectionId}"} 1`);
  });

  test('that fails is down, and says why', async () => {
    const { connectionId } = await created();
    await gateway.close();
    await Promise.all(Array.from({ length: 12 }, () => sms()));
    await until('it is down', async () => {
      const [row] = await on.sql<{ health: string }>('select health from connections where id = $1', [
        toUuid(connectionId),
      ]);
      return row?.health === 'down' ? row : null;
    });
    const [connection] = await list();
    expect(connection?.health.status).toBe('DOWN');
    expect(connection?.health.lastError).toMatch(/Nothing listens/);
    expect((await sms()).body.data).toMatchObject({ attempts: [{ errorCode: 'connection_down', credits: 0 }] });
    const { data } = await ask<{ doctor: { findings: { name: string }[] } }>(
      '{ doctor { findings { name message } } }',
    );
    expect(data?.doctor.findings.map(({ name }) => name)).toContain('connections.down');
    const isMeasured = async () =>
      (await on.app.services.metrics.registry.metrics()).includes(`_up{connection="${connectionId}"}`);
    expect(await isMeasured()).toBe(true);
    // Nobody knows how the new config is.
    const { data: mended } = await update({
      connectionId,
      config: { ...gateway.config, secrets: { password: 'new' } },
    });
    expect(mended?.updateConnection.health).toMatchObject({ status: 'UNKNOWN', lastError: null, since: null });
    expect(await isMeasured()).toBe(false);
    // Nothing was ever taken by it.
    await sms();
    expect(await isMeasured()).toBe(true);
    await ask('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', { id: connectionId });
    expect(await isMeasured()).toBe(false);
  });
});

describe('a change', () => {
  test('keeps a secret that is given back as it is shown', async () => {
    const { connectionId, config, receiptsUrl } = await created();
    const { request } = gateway.config as { request: { query: object } };
    const query = { ...request.query, password: '{{secret.password}}' };
    const { data } = await update({
      connectionId,
      config: { ...config, request: { ...request, query } },
      name: 'Renamed',
    });
    expect(data?.updateConnection).toMatchObject({ name: 'Renamed', receiptsUrl });
    let asked = '';
    gateway.answerWith((_message, response, { url }) => {
      asked = url ?? '';
      response.writeHead(202).end('id=1');
    });
    await sms();
    expect(asked).toContain(`password=${SECRET}`);
  });

  test('for one country alone is named where others are refused, and before', async () => {
    const { connectionId } = await created({ name: 'Main carrier', countries: ['SE'] });
    const sentence = 'No connection serves US: Main carrier serves SE.';
    const { body } = await sms();
    expect(body.data).toMatchObject({ attempts: [{ errorCode: 'no_route', errorMessage: sentence }] });
    const { messageId } = body.data as { messageId: string };
    const told = await ask<{ logs: unknown; message: { timeline: readonly { reason: string }[] } }>(
      `query ($messageId: String!) {
        logs(first: 1, filter: { messageId: $messageId }) { edges { node { errorMessage } } }
        message(id: $messageId) { timeline { reason } } }`,
      { messageId },
      customer.tokens.unified,
    );
    expect(told.errors).toBeNull();
    expect(told.data?.logs).toEqual({ edges: [{ node: { errorMessage: sentence } }] });
    expect(told.data?.message.timeline.map(({ reason }) => reason)).toContain(sentence);
    expect(await gaps()).toEqual([
      'Texts over SMS go to SE alone: all others fail with no_route.',
      expect.stringContaining('QR chat and Cloud chat have no connection'),
    ]);
    await ask('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', { id: connectionId });
    expect(await gaps()).toEqual([]);
  });

  test('pauses it and uses it again, and sets and takes away what it is for', async () => {
    const { connectionId } = await created();
    const paused = await update({
      connectionId,
      paused: true,
      countries: ['us', 'CA'],
      purposes: ['OTP'],
      priority: 7,
      weight: 9,
    });
    expect(paused.data?.updateConnection).toMatchObject({
      paused: true,
      countries: ['US', 'CA'],
      purposes: ['OTP'],
      priority: 7,
      weight: 9,
    });
    expect((await sms()).body.data).toMatchObject({ attempts: [{ errorCode: 'no_route', credits: 0 }] });
    const again = await update({ connectionId, paused: false, countries: null, purposes: null });
    expect(again.data?.updateConnection).toMatchObject({ paused: false, countries: null, purposes: null, priority: 7 });
    expect((await sms()).body.data).toMatchObject({ status: 'sent' });
  });

  test('of nothing is none: the trail says nothing of it', async () => {
    const { connectionId, config } = await created();
    const { data } = await update({ connectionId, name: 'Carrier', weight: 1, config });
    expect(data?.updateConnection.config).toEqual(config);
    const trail = await on.sql('select action from audit_entries where subject = $1', [connectionId]);
    expect(trail).toEqual([{ action: 'connection.created' }]);
    const rows = await on.sql('select updated_at = created_at as same from connections where id = $1', [
      toUuid(connectionId),
    ]);
    expect(rows).toEqual([{ same: true }]);
  });

  test('reaches another process', async () => {
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
    await table.open();
    const wanted = {
      accountId: customer.accountId,
      channel: 'sms',
      purpose: 'message',
      recipient: '12025550199',
      country: () => 'US',
    } as const;
    expect(table.choose(wanted)).toBeNull();
    const { connectionId } = await created();
    await until('it is known', async () => {
      await database.clock.in(0);
      return table.choose(wanted)?.[0]?.id === connectionId ? true : null;
    });
    await update({ connectionId, paused: true });
    await until('it is paused', async () => {
      await database.clock.in(0);
      return table.choose(wanted)?.length === 0 ? true : null;
    });
    await table.close();
    await database.close();
  });
});

describe('nothing is made where', () => {
  test.each<[what: string, input: object, code: string, fields?: string[]]>([
    ['the provider is unknown', { provider: 'pigeon' }, 'INVALID_INPUT', ['provider']],
    ['the provider does not send over the channel', { channel: 'CHAT_QR' }, 'INVALID_INPUT', ['channel']],
    ['the config cannot work', { config: { request: { url: 'nowhere' } } }, 'INVALID_INPUT', ['config.request.url']],
    [
      'the config holds an unknown placeholder',
      { config: { request: { url: 'http://127.0.0.1/', query: { to: '{{nobody}}' } } } },
      'INVALID_INPUT',
      ['config.request.query'],
    ],
    [
      'a mask stands for a secret that is not there',
      { config: { request: { url: 'http://127.0.0.1/' }, secrets: { a: '••••••••' } } },
      'INVALID_INPUT',
      ['config.secrets.a'],
    ],
    [
      'a member has the name of one that every object has',
      { config: { request: { url: 'http://127.0.0.1/' }, constructor: 'x' } },
      'INVALID_INPUT',
      ['config.constructor'],
    ],
    ['the account is not there', { accountId: 'acc_00000000000000000000000000000001' }, 'NOT_FOUND'],
    ['a country is none', { countries: ['USA'] }, 'INVALID_INPUT', ['countries.0']],
    ['a country is no real one', { countries: ['US', 'QQ'] }, 'INVALID_INPUT', ['countries.1']],
    ['the weight is 0', { weight: 0 }, 'INVALID_INPUT', ['weight']],
  ])('%s', async (_what, input, code, fields) => {
    expect(faultsOf(await create(input))).toEqual([[code, fields]]);
    expect(await list()).toEqual([]);
  });
});

describe('who manages an account', () => {
  test('lists its connections, masked and without the address of receipts, and changes none', async () => {
    const { connectionId } = await created();
    const [shown, ...others] = await list(customer.tokens.management);
    expect(others).toEqual([]);
    expect(shown).toMatchObject({ connectionId, receiptsUrl: null, config: { secrets: { password: '••••••••' } } });
    const { management } = customer.tokens;
    expect(faultsOf(await create({}, management))).toEqual([['WRONG_AREA', undefined]]);
    expect(faultsOf(await update({ connectionId, paused: true }, management))).toEqual([['WRONG_AREA', undefined]]);
  });

  test('sees nothing of other accounts, nor of what is shared', async () => {
    const other = await on.customer();
    const others = await created({ accountId: other.accountId });
    const shared = await created({ accountId: null, countries: ['KI'] });
    expect(await list(customer.tokens.management)).toEqual([]);
    expect(await list(customer.tokens.management, `acc_${customer.accountId.slice(4).toUpperCase()}`)).toEqual([]);
    expect(await list(OPERATOR_TOKEN, null)).toEqual([expect.objectContaining({ connectionId: shared.connectionId })]);
    const all = (await ask<{ connections: readonly Shown[] }>(`{ connections { ${FIELDS} } }`)).data?.connections;
    expect(all?.[0]?.connectionId).toBe(shared.connectionId);
    expect(all?.find(({ connectionId }) => connectionId === others.connectionId)?.accountId).toBe(other.accountId);
    await ask('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', { id: shared.connectionId });
  });
});

/** Stores a config as another version has taken it. */
async function store(connectionId: string, config: Record<string, unknown>): Promise<void> {
  const sealed = sealConfig(on.app.services.keys, connectionId, { config, receiptsToken: 'token' });
  await on.sql('update connections set config = $1, config_key_id = $2 where id = $3', [
    sealed.config,
    sealed.configKeyId,
    toUuid(connectionId),
  ]);
  await on.app.services.providers.refresh();
}

test('a connection whose config its provider cannot read, as that of a newer gateway, sends nothing; others are read and send', async () => {
  const { connectionId } = await created({ priority: 1 });
  await store(connectionId, { of: 'tomorrow' });
  expect((await sms()).body.data).toMatchObject({ attempts: [{ errorCode: 'no_route', credits: 0 }] });
  expect(await gaps()).toEqual([expect.stringMatching(/SMS.* have no connection/)]);
  await created();
  expect((await sms()).body.data).toMatchObject({ status: 'sent', attempts: [{ provider: 'http-sms' }] });
});

describe('a connection whose stored pattern is refused now', () => {
  const FAULT =
    'accepted.body must do without (?=, (?!, (?<=, (?<!, \\1 and counts above 1000, which no quick search has';
  let connectionId: string;

  beforeEach(async () => {
    ({ connectionId } = await created({ name: 'Of old' }));
    await store(connectionId, { ...gateway.config, accepted: { body: '/^(?=OK)/' } });
  });

  async function findings(): Promise<unknown> {
    const query = '{ doctor { findings { name status message mend } } }';
    const { data } = await ask<{ doctor: { findings: { mend: string | null }[] } }>(query);
    return data?.doctor.findings.filter(({ mend }) => mend?.includes(connectionId));
  }

  test('is named by the doctor, with the member at fault and the mend', async () => {
    expect(await findings()).toEqual([
      {
        name: 'connections.config',
        status: 'WARNING',
        message: `The connection "Of old" cannot be used: ${FAULT}.`,
        mend: `Give it a config without that: npx heliograph connection set ${connectionId} --config <json|@file>`,
      },
    ]);
  });

  test('is down, and its health says why', async () => {
    expect((await list()).map(({ health }) => health)).toEqual([
      { status: 'DOWN', lastError: `The config cannot be used: ${FAULT}.`, since: null, figures: [] },
    ]);
  });

  test('is as before with a config without that', async () => {
    expect((await update({ connectionId, config: gateway.config })).errors).toBeNull();
    expect((await list()).map(({ health }) => health.status)).toEqual(['UNKNOWN']);
    expect(await findings()).toEqual([]);
  });
});

test('every provider says what its config is, with its secrets marked', async () => {
  const { data } = await ask<{ providers: { id: string; channels: string[]; configSchema: Record<string, object> }[] }>(
    '{ providers { id label channels configSchema } }',
    {},
    customer.tokens.management,
  );
  expect(data?.providers.map(({ id, channels }) => [id, channels])).toEqual([
    ['smpp', ['SMS']],
    ['http-sms', ['SMS']],
    ['twilio', ['SMS']],
    ['vonage', ['SMS']],
    ['whatsapp-cloud', ['CHAT_CLOUD']],
    ['chat-qr', ['CHAT_QR']],
  ]);
  const schemas = new Map(data?.providers.map(({ id, configSchema }) => [id, configSchema]));
  expect(schemas.get('smpp')).toMatchObject({
    type: 'object',
    required: ['host', 'port', 'systemId', 'password'],
    properties: { password: { writeOnly: true } },
  });
  expect(schemas.get('twilio')).toMatchObject({ properties: { authToken: { writeOnly: true } } });
});

describe('a test of a connection', () => {
  const run = (connectionId: string, to = '+12025550123', cloudTemplate: string | null = null) =>
    ask<{ testConnection: object }>(
      `mutation ($id: String!, $to: String!, $cloudTemplate: String) {
        testConnection(connectionId: $id, to: $to, cloudTemplate: $cloudTemplate) { outcome code message providerMessageId milliseconds }
      }`,
      { id: connectionId, to, cloudTemplate },
    );

  test('hands one text over, which is not logged and costs nothing', async () => {
    const { connectionId } = await created();
    const { data } = await run(connectionId);
    expect(data?.testConnection).toMatchObject({ outcome: 'ACCEPTED', code: null, providerMessageId: 'gw-1' });
    expect(gateway.messages).toEqual([
      expect.objectContaining({ to: '12025550123', text: 'Test message from Heliograph.' }),
    ]);
    expect(await on.sql('select id from attempts where account_id = $1', [toUuid(customer.accountId)])).toEqual([]);
    const [audit] = await on.sql(
      `select details from audit_entries where action = 'connection.tested' and subject = $1`,
      [connectionId],
    );
    expect(audit).toMatchObject({ details: { to: '*******0123', outcome: 'accepted' } });
  });

  test('says why it was not accepted', async () => {
    const { connectionId } = await created();
    gateway.answerWith((_message, response) => response.writeHead(403).end('no credit'));
    expect((await run(connectionId)).data?.testConnection).toMatchObject({
      outcome: 'REJECTED',
      code: 'http_403',
      message: 'no credit',
    });
    expect(faultsOf(await run(connectionId, 'nobody'))).toEqual([['INVALID_INPUT', ['to']]]);
    expect(faultsOf(await run(connectionId, undefined, 'hello:en'))).toEqual([['INVALID_INPUT', ['cloudTemplate']]]);
    expect(faultsOf(await run('con_00000000000000000000000000000001'))).toEqual([['NOT_FOUND', undefined]]);
  });

  test('that fails is one failed call, and one that is taken opens what was down', async () => {
    const { connectionId } = await created();
    const outcome = async () => (await run(connectionId)).data?.testConnection;
    const sent = async () => (await sms()).body.data;
    expect(await sent()).toMatchObject({ status: 'sent' });
    gateway.answerWith((_message, response) => response.destroy());
    expect(await outcome()).toMatchObject({ outcome: 'UNKNOWN' });
    const taken: GatewayScript = (_message, response) => response.writeHead(202).end('id=gw-taken');
    gateway.answerWith(taken);
    expect(await sent()).toMatchObject({ status: 'sent' });
    gateway.answerWith((_message, response) => response.destroy());
    await Promise.all(Array.from({ length: 12 }, () => sms()));
    gateway.answerWith(taken);
    expect(await sent()).toMatchObject({ attempts: [{ errorCode: 'connection_down' }] });
    expect(await outcome()).toMatchObject({ outcome: 'ACCEPTED' });
    expect(await sent()).toMatchObject({ status: 'sent' });
  });
});

describe('the secret key', () => {
  const rowOf = async (connectionId: string) => {
    const [row] = await on.sql<{ config: string; config_key_id: string }>(
      'select config, config_key_id from connections where id = $1',
      [toUuid(connectionId)],
    );
    return row;
  };

  test('goes over to a new one: the config is sealed anew, and opens', async () => {
    const { connectionId } = await created();
    const [former, current] = [Buffer.alloc(32, 8), Buffer.alloc(32, 9)];
    const opened = { config: { ...gateway.config, secrets: { password: SECRET } }, receiptsToken: 'token' };
    const sealed = sealConfig(createKeyRing(former, []), connectionId, opened);
    await on.sql('update connections set config = $1, config_key_id = $2 where id = $3', [
      sealed.config,
      sealed.configKeyId,
      toUuid(connectionId),
    ]);
    const { database } = on.app.services;
    await resealConfigs(database.sql(), createKeyRing(current, []));
    expect((await rowOf(connectionId))?.config_key_id).toBe(sealed.configKeyId);
    await resealConfigs(database.sql(), createKeyRing(current, [former]));
    const row = await rowOf(connectionId);
    const alone = createKeyRing(current, []);
    expect(row?.config_key_id).toBe(alone.currentId);
    const { config = '', config_key_id: configKeyId = '' } = row ?? {};
    expect(openConfig(alone, { id: connectionId, config, configKeyId })).toEqual(opened);
  });

  test('that is lost and forgotten leaves a connection without its config, until it is given one', async () => {
    const { connectionId } = await created();
    await on.sql(`update connections set config_key_id = 'deadbeef' where id = $1`, [toUuid(connectionId)]);
    const { data } = await ask('mutation { forgetSecretKey(keyId: "deadbeef") { passcodes endpoints connections } }');
    expect(data).toEqual({ forgetSecretKey: { passcodes: 0, endpoints: 0, connections: 1 } });
    expect(await list()).toEqual([expect.objectContaining({ connectionId, config: null, receiptsUrl: null })]);
    await on.app.services.providers.refresh();
    // Neither the sandbox nor a shared connection sends in its place.
    expect((await sms()).body.data).toMatchObject({
      attempts: [{ provider: null, errorCode: 'no_route', credits: 0 }],
    });
    expect(await gaps()).toEqual([expect.stringMatching(/SMS.* have no connection/)]);
    await update({ connectionId, config: gateway.config });
    expect((await sms()).body.data).toMatchObject({ status: 'sent', attempts: [{ provider: 'http-sms' }] });
    expect(await gaps()).toEqual([expect.not.stringContaining('SMS')]);
  });
});

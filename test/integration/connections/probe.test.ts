import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { freePort } from '../../support/processes/free-ports.ts';
import { until } from '../../support/processes/gateway.ts';
import { answerTo, ID, type Script, startScriptedSmsc } from '../../support/smpp/scripted-smsc.ts';
import { graphConfig } from '../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER } from '../../support/whatsapp/defaults.ts';
import { startGraph } from '../../support/whatsapp/graph.ts';

// The addresses of the operator's own gateways are shown to the operator.
const on = setUpApp({ env: { PUBLIC_URL: 'https://gateway.example.com' }, mayTell: /127\.0\.0\.1/g });
const customer = setUpOwnCustomer(on);
const gateway = oncePerTest(openHttpGateway, gate => gate.close());

const SMSC = { host: '127.0.0.1', systemId: 'gateway', password: 'secret' };
const PASSWORD_REFUSED = 0x0e;

const ask = <Data>(query: string, variables: object, token: string | null = OPERATOR_TOKEN) =>
  on.graphql<Data>(query, { token, variables: { ...variables } });

interface Probe {
  readonly result: string;
  readonly message: string;
  readonly field: string | null;
  readonly milliseconds: number;
}

const probe = (input: object, token?: string) =>
  ask<{ probeConnection: Probe }>(
    'mutation ($input: ProbeConnectionInput!) { probeConnection(input: $input) { result message field milliseconds } }',
    { input },
    token,
  );

async function probed(input: object): Promise<Probe | undefined> {
  const { data, errors } = await probe(input);
  expect(errors).toBeNull();
  return data?.probeConnection;
}

interface Shown {
  readonly connectionId: string;
  readonly config: Record<string, unknown>;
  readonly receiptsUrl: string | null;
  readonly health: { readonly status: string; readonly lastError: string | null; readonly nextTryAt: string | null };
}

const SHOWN = 'connectionId config receiptsUrl health { status lastError nextTryAt }';

async function create(provider: string, config: object): Promise<Shown> {
  const { accountId } = customer;
  const { data, errors } = await ask<{ createConnection: Shown }>(
    `mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { ${SHOWN} } }`,
    { input: { accountId, provider, channel: 'SMS', name: 'Carrier', config } },
  );
  expect(errors).toBeNull();
  return data?.createConnection ?? expect.fail('nothing was created');
}

describe('a config that is not kept', () => {
  test('is tried: the SMSC is bound to and left, and gets no text', async () => {
    await using smsc = await startScriptedSmsc();
    expect(await probed({ provider: 'smpp', config: { ...SMSC, port: smsc.port } })).toMatchObject({
      result: 'WORKS',
      message: 'The SMSC lets the gateway in.',
    });
    const { heard } = await smsc.connection(0);
    expect(heard.map(({ id }) => id)).toEqual([ID.bind, ID.unbind]);
  });

  test('with separate binds is bound by both at once, as a connection is: the SMSC may allow one session', async () => {
    let bound = 0;
    const bind: Script = (heard, { write, socket }) => {
      socket.once('close', () => {
        bound -= 1;
      });
      bound += 1;
      write(answerTo(heard, '', bound === 1 ? 0 : 0x05));
    };
    await using smsc = await startScriptedSmsc({ [ID.bindTransmitter]: bind, [ID.bindReceiver]: bind });
    const config = { ...SMSC, port: smsc.port, bind: 'separate' };
    expect(await probed({ provider: 'smpp', config })).toMatchObject({
      result: 'REFUSED',
      message: expect.stringContaining('ESME_RALYBND'),
    });
  });

  test('leaves nothing behind: no connection, and no session', async () => {
    const before = await on.sql('select count(*) from connections');
    await probed({ provider: 'http-sms', config: gateway.config });
    expect(await on.sql('select count(*) from connections')).toEqual(before);
    expect(gateway.messages.filter(({ to }) => to !== '')).toEqual([]);
  });

  test('is refused with the field, as where it is kept', async () => {
    const { errors } = await probe({ provider: 'smpp', config: { ...SMSC, port: 0 } });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field: 'config.port' }] });
    const unknown = await probe({ provider: 'pigeon', config: {} });
    expect(unknown.errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field: 'provider' }] });
  });

  test('has the input named that is at fault, where the provider tells it apart', async () => {
    const fields = { quality_rating: 'RED', whatsapp_business_manager_messaging_limit: 'TIER_UNLIMITED' };
    const graph = await startGraph({ numbers: [{ ...GRAPH_NUMBER, fields }] });
    const tried = (more: object) => probed({ provider: 'whatsapp-cloud', config: { ...graphConfig(graph), ...more } });
    const works =
      'Meta knows the number +15550000002, Heliograph. Its quality is red. The business may write first to any number of people within 24 hours.';
    expect(await tried({})).toMatchObject({ result: 'WORKS', message: works, field: null });
    expect(await tried({ accessToken: 'EAAG-another-one' })).toMatchObject({ field: 'config.accessToken' });
    expect(await tried({ phoneNumberId: '1' })).toMatchObject({ result: 'REFUSED', field: 'config.phoneNumberId' });
  });

  test('is the operator’s alone', async () => {
    const { errors } = await probe({ provider: 'http-sms', config: gateway.config }, customer.tokens.management);
    expect(errors?.[0]?.extensions.code).toBe('WRONG_AREA');
  });

  test('of a connection has its secrets where they are given as they are shown', async () => {
    let isRight = false;
    await using smsc = await startScriptedSmsc({
      [ID.bind]: (heard, connection) => {
        isRight = heard.body.toString('latin1').includes('kept one');
        connection.write(answerTo(heard, 'SMSC\0', isRight ? 0 : PASSWORD_REFUSED));
      },
    });
    const { connectionId, config } = await create('smpp', { ...SMSC, password: 'kept one', port: smsc.port });
    expect(config.password).toBe('••••••••');
    expect(await probed({ provider: 'smpp', config, connectionId })).toMatchObject({ result: 'WORKS' });
    const another = { ...config, password: 'another' };
    expect(await probed({ provider: 'smpp', config: another, connectionId })).toMatchObject({
      result: 'REFUSED',
      message: 'The SMSC refused the bind (ESME_RINVPASWD). Check the password.',
    });
    const { errors } = await probe({ provider: 'smpp', config });
    expect(errors?.[0]?.extensions).toMatchObject({ errors: [{ field: 'config.password' }] });
  });
});

describe('a connection that is down', () => {
  test('says why, what to do, and when it is tried again', async () => {
    const port = await freePort();
    const { connectionId } = await create('smpp', { ...SMSC, port });
    // The first text connects it.
    const body = { to: '+12025550177', text: 'Hello', sender: 'ACME' };
    await on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body });
    await until('it is down', async () => {
      const rows = await on.sql<{ health: string }>('select health from connections where id = $1', [
        toUuid(connectionId),
      ]);
      return rows[0]?.health === 'down' ? true : null;
    });
    const health = await until('its next try is known', async () => {
      const { data } = await ask<{ connections: readonly Shown[] }>(
        `query ($accountId: String) { connections(accountId: $accountId) { ${SHOWN} } }`,
        { accountId: customer.accountId },
      );
      const [found] = data?.connections ?? [];
      return found?.health.nextTryAt ? found.health : null;
    });
    expect(health).toMatchObject({
      status: 'DOWN',
      lastError: `Nothing listens at 127.0.0.1:${port}. Check the port, and that the provider is up.`,
    });
    await ask('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', { id: connectionId });
  });
});

describe('the address of receipts', () => {
  const renew = (connectionId: string, token?: string) =>
    ask<{ renewReceiptsUrl: Shown }>(
      `mutation ($id: String!) { renewReceiptsUrl(connectionId: $id) { ${SHOWN} } }`,
      { id: connectionId },
      token,
    );
  const reported = async (url: string | null) =>
    (await on.app.fetch(new Request(`${url}?attempt=att_1&status=1`))).status;

  test('is renewed, and the one before is refused from then on', async () => {
    const { connectionId, receiptsUrl: before, config } = await create('http-sms', gateway.config);
    expect(await reported(before)).toBe(200);
    const { data, errors } = await renew(connectionId);
    expect(errors).toBeNull();
    const after = data?.renewReceiptsUrl.receiptsUrl ?? null;
    expect(after).toMatch(new RegExp(`/receipts/${connectionId}/[\\w-]{32}$`));
    expect(after).not.toBe(before);
    expect(data?.renewReceiptsUrl.config).toEqual(config);
    expect([await reported(before), await reported(after)]).toEqual([403, 200]);
    const trail = await on.sql('select action, details from audit_entries where subject = $1 order by id', [
      connectionId,
    ]);
    expect(trail).toMatchObject([{ action: 'connection.created' }, { action: 'connection.receipts_renewed' }]);
    expect(JSON.stringify(trail)).not.toContain(after?.split('/').at(-1));
  });

  test('is none where the provider reports by its session', async () => {
    const { connectionId, receiptsUrl } = await create('smpp', { ...SMSC, port: await freePort() });
    expect(receiptsUrl).toBeNull();
    const { errors } = await renew(connectionId);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field: 'connectionId' }] });
  });

  test('is renewed by the operator alone', async () => {
    const { connectionId } = await create('http-sms', gateway.config);
    const { errors } = await renew(connectionId, customer.tokens.management);
    expect(errors?.[0]?.extensions.code).toBe('WRONG_AREA');
  });
});

import { expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { updateConnection } from '../../../src/modules/connections/manage-connections.ts';
import { COUNT_USED, KEEP_QUOTA } from '../../../src/modules/connections/quotas/quotas.sql.ts';
import { readQuotas } from '../../../src/modules/connections/quotas/read-quotas.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { OPERATOR } from '../../support/services.ts';
import { connectGraph, graphConfig } from '../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, HELLO_TEMPLATE } from '../../support/whatsapp/defaults.ts';
import { startGraph } from '../../support/whatsapp/graph.ts';

const on = setUpApp({ mayTell: /http:\/\/127\.0\.0\.1[:/]/g });
const customer = setUpOwnCustomer(on);

/** A fake whose number has these limits, of a business of its own: numbers of one business use its reach together. */
function graphWith(quality: string, limit: string) {
  const fields = { quality_rating: quality, whatsapp_business_manager_messaging_limit: limit };
  return startGraph({
    numbers: [{ ...GRAPH_NUMBER, businessAccountId: newPhone().slice(1), fields }],
    templates: [HELLO_TEMPLATE],
  });
}

const read = () => readQuotas(on.app.makeCtx(OPERATOR, 'test'));

async function send(to: string): Promise<void> {
  const { name, language } = HELLO_TEMPLATE;
  const input = { to, text: 'Hello', channels: ['CHAT_CLOUD'], cloudTemplate: { name, language } };
  const { errors } = await on.graphql(
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }',
    { token: customer.tokens.unified, variables: { input } },
  );
  expect(errors).toBeNull();
}

async function ask<Data>(query: string): Promise<Data | null> {
  const { data, errors } = await on.graphql<Data>(query, { token: customer.tokens.management });
  expect(errors).toBeNull();
  return data;
}

const quotas = async () =>
  (await ask<{ connections: { quota: object }[] }>('{ connections { quota { quality reach used } } }'))?.connections;

const notices = async () =>
  (await ask<{ overview: { notices: object[] } }>('{ overview { notices { kind subject name reason } } }'))?.overview
    .notices;

test('a number has the quality and the reach that Meta tells, and what its business used of it', async () => {
  await connectGraph(on, await graphWith('GREEN', 'TIER_2K'), customer.accountId);
  await expect(quotas()).resolves.toEqual([{ quota: null }]);
  const to = newPhone();
  for (const recipient of [to, to, newPhone()]) await send(recipient);
  await read();
  await expect(quotas()).resolves.toEqual([{ quota: { quality: 'green', reach: 2_000, used: 2 } }]);
  await expect(notices()).resolves.toEqual([]);
});

test.each([
  ['two accounts in one portfolio', ['1', '2'], ['3', '3'], [3, 3]],
  ['accounts of two portfolios', ['1', '2'], ['3', '4'], [1, 2]],
  ['one account, whose portfolio is not told', ['1', '1'], [], [3, 3]],
])('the used reach of numbers of %s is counted as Meta counts it', async (_what, accounts, portfolios, used) => {
  const ids = newPhone().slice(1);
  const numberOf = (index: 0 | 1) => ({
    ...GRAPH_NUMBER,
    phoneNumberId: `10654035224293${index}`,
    displayNumber: `1555000003${index}`,
    businessAccountId: `${ids}${accounts[index]}`,
    ...(portfolios[index] && { portfolioId: `${ids}${portfolios[index]}` }),
  });
  const [first, second] = [numberOf(0), numberOf(1)];
  const graph = await startGraph({ numbers: [first, second], templates: [HELLO_TEMPLATE] });
  const one = await connectGraph(on, graph, customer.accountId);
  const other = await connectGraph(on, graph, customer.accountId, { config: graphConfig(graph, second) });
  const to = newPhone();
  for (const recipient of [newPhone(), newPhone(), to]) await send(recipient);
  // Whichever number each went by, as if the second had written to two of them.
  await on.sql(
    'update attempts set connection_id = case recipient when $1 then $2::uuid else $3::uuid end where account_id = $4',
    [to.slice(1), toUuid(one), toUuid(other), toUuid(customer.accountId)],
  );
  await read();
  await expect(quotas()).resolves.toMatchObject(used.map(count => ({ quota: { used: count } })));
});

test('the portfolio of an account is known still where one of its tokens, or Meta for a while, does not tell it', async () => {
  const graph = await graphWith('GREEN', 'TIER_2K');
  const connection = toUuid(await connectGraph(on, graph, customer.accountId));
  const other = toUuid(await connectGraph(on, graph, customer.accountId));
  await send(newPhone());
  await on.sql('update attempts set connection_id = $1 where account_id = $2', [other, toUuid(customer.accountId)]);
  const sql = on.app.services.database.sql();
  const keep = (of: string, ...businesses: string[]) =>
    KEEP_QUOTA.run(sql, { connection: of, quality: null, reach: null, businesses });
  const [account, portfolio] = [newPhone(), newPhone()];
  await keep(connection, account, portfolio);
  await keep(connection, account);
  await keep(other, account);
  await COUNT_USED.run(sql, { connection });
  const rows = 'select business_ids, used from connection_quotas where connection_id = $1';
  await expect(on.sql(rows, [connection])).resolves.toEqual([{ business_ids: [account, portfolio], used: 1 }]);
  await keep(connection, newPhone());
  await COUNT_USED.run(sql, { connection });
  await expect(on.sql(rows, [connection])).resolves.toMatchObject([{ used: 0 }]);
});

test('a provider is asked at once for a connection that is new or has another config, and for no other one', async () => {
  const asked = (connectionId: string) =>
    on.sql(`select data from pgboss.job where name = 'read-quotas' and data ->> 'connectionId' = $1`, [connectionId]);
  const graph = await graphWith('GREEN', 'TIER_2K');
  const connectionId = await connectGraph(on, graph, customer.accountId);
  await expect(asked(connectionId)).resolves.toHaveLength(1);
  const ctx = on.app.makeCtx(OPERATOR, 'test');
  await updateConnection(ctx, { connectionId, name: 'Another name' });
  await expect(asked(connectionId)).resolves.toHaveLength(1);
  await updateConnection(ctx, {
    connectionId,
    config: { ...graphConfig(graph), appSecret: 'another-secret-of-the-app' },
  });
  await expect(asked(connectionId)).resolves.toHaveLength(2);
  await readQuotas(ctx, { connectionId: newId('con') });
  await expect(quotas()).resolves.toEqual([{ quota: null }]);
  await readQuotas(ctx, { connectionId });
  await expect(quotas()).resolves.toEqual([{ quota: { quality: 'green', reach: 2_000, used: 0 } }]);
});

test('a reach without an end has no number', async () => {
  await connectGraph(on, await graphWith('YELLOW', 'TIER_UNLIMITED'), customer.accountId);
  await read();
  await expect(quotas()).resolves.toEqual([{ quota: { quality: 'yellow', reach: null, used: 0 } }]);
});

test('a reach of which four fifths are used needs a look, and no more when there is more of it', async () => {
  const connectionId = await connectGraph(on, await graphWith('GREEN', 'TIER_5'), customer.accountId);
  for (let sent = 0; sent < 4; sent++) await send(newPhone());
  await read();
  await expect(notices()).resolves.toEqual([
    { kind: 'QUOTA_LOW', subject: connectionId, name: 'Cloud', reason: 'reach' },
  ]);
  await on.sql('delete from attempts where account_id = $1', [toUuid(customer.accountId)]);
  await read();
  await expect(notices()).resolves.toEqual([]);
});

test('a red quality needs a look', async () => {
  await connectGraph(on, await graphWith('RED', 'TIER_2K'), customer.accountId);
  await read();
  await expect(notices()).resolves.toMatchObject([{ kind: 'QUOTA_LOW', reason: 'quality' }]);
});

test('a provider that does not answer leaves what was known', async () => {
  const graph = await graphWith('GREEN', 'TIER_2K');
  await connectGraph(on, graph, customer.accountId);
  await read();
  graph.say({ status: 500, body: 'down' });
  await read();
  await expect(quotas()).resolves.toMatchObject([{ quota: { quality: 'green', reach: 2_000 } }]);
});

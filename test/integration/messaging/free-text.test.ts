import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { connectGraph, receiptsPathOf } from '../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER } from '../../support/whatsapp/defaults.ts';
import { type Graph, startGraph } from '../../support/whatsapp/graph.ts';
import { userIdOf } from '../../support/whatsapp/options.ts';
import { messageChange, newWamid } from '../../support/whatsapp/payloads.ts';
import { text } from '../../support/whatsapp/said.ts';

const HOUR_MS = 3_600_000;

const NUMBER = { ...GRAPH_NUMBER, displayNumber: '15550000002' };

const on = setUpApp({ mayTell: /http:\/\/127\.0\.0\.1[:/]/g });
const customer = setUpOwnCustomer(on);

let graph: Graph;

beforeEach(async () => {
  graph = await startGraph({ numbers: [NUMBER] });
  const connectionId = await connectGraph(on, graph, customer.accountId);
  const path = await receiptsPathOf(on, connectionId, customer.accountId);
  graph.callTo(({ headers, body }) => on.rest('POST', path, { headers, body }));
});

/** Lets the cloud number take free text within the hours of its chats, or asks for templates always. */
async function need(isRequired: boolean): Promise<void> {
  const input = { accountId: customer.accountId, address: NUMBER.displayNumber, isRequired };
  const { errors } = await on.graphql(
    'mutation ($input: SetTemplateRequiredInput!) { setTemplateRequired(input: $input) { templateRequired } }',
    { token: OPERATOR_TOKEN, variables: { input } },
  );
  expect(errors).toBeNull();
}

async function ask(operation: 'sendMessage' | 'previewSend', to: string, more: object = {}) {
  const [kind, members] = operation === 'sendMessage' ? ['mutation', 'status'] : ['query', 'legs { windowClosesAt }'];
  const { data, errors } = await on.graphql<Record<string, { status?: string }>>(
    `${kind} ($input: SendMessageInput!) { ${operation}(input: $input) { ${members} } }`,
    { token: customer.tokens.unified, variables: { input: { to, text: 'Hello', channels: ['CHAT_CLOUD'], ...more } } },
  );
  return errors?.[0]?.extensions ?? data?.[operation];
}

const closed = {
  code: 'INVALID_INPUT',
  errors: [
    {
      field: 'cloudTemplate',
      message:
        'is required for the channel chat_cloud: the recipient has not written to 15550000002 for 24 hours, and free text by Cloud chat goes within that time only',
    },
  ],
};

describe('a number that takes free text within the hours of its chats', () => {
  beforeEach(() => need(false));

  test('asks for a template where the person never wrote, in the dry run and in the send', async () => {
    const to = newPhone().replace('+', '');
    expect(await ask('previewSend', `+${to}`)).toMatchObject(closed);
    expect(await ask('sendMessage', `+${to}`)).toMatchObject(closed);
    expect(graph.requestsTo(to)).toEqual([]);
  });

  test('sends it to a person who has just written', async () => {
    const to = newPhone().replace('+', '');
    await graph.write({ number: to, userId: userIdOf(to) }, text('Are you there?'));
    expect(await ask('sendMessage', `+${to}`)).toEqual({ status: 'SENT' });
    expect(graph.requestsTo(to)).toHaveLength(1);
  });

  test('sends it where the person wrote by user id, once both are known to be one', async () => {
    const to = newPhone().replace('+', '');
    const userId = userIdOf(to);
    await graph.write({ number: to, userId }, text('First'));
    await on.sql(`delete from inbound_messages where account_id = $1`, [toUuid(customer.accountId)]);
    await graph.write({ number: null, userId }, text('Second'));
    expect(await ask('sendMessage', `+${to}`)).toEqual({ status: 'SENT' });
  });

  test('answers a repeat as before, though the hours are over by now', async () => {
    const to = newPhone().replace('+', '');
    await graph.write({ number: to, userId: userIdOf(to) }, text('Are you there?'));
    const body = { to: `+${to}`, text: 'Hello', channels: ['chat_cloud'], reference: `ref-${to}` };
    const send = () => on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body });
    const first = await send();
    expect(first.status).toBe(200);
    await on.sql(`update inbound_messages set received_at = now() - interval '2 days' where account_id = $1`, [
      toUuid(customer.accountId),
    ]);
    const again = await send();
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    expect(graph.requestsTo(to)).toHaveLength(1);
  });

  test('asks for a template once the 24 hours are over', async () => {
    const to = newPhone().replace('+', '');
    await graph.write({ number: to, userId: userIdOf(to) }, text('Long ago'));
    await on.sql(
      `update inbound_messages set received_at = now() - interval '24 hours 1 second' where account_id = $1`,
      [toUuid(customer.accountId)],
    );
    expect(await ask('sendMessage', `+${to}`)).toMatchObject(closed);
  });

  test('counts the hours from when the provider says that the person wrote', async () => {
    const to = newPhone().replace('+', '');
    await writeAt(to, Date.now() - 23 * HOUR_MS);
    const soon = Math.floor(Date.now() / 1_000) * 1_000 + HOUR_MS;
    expect(await closesAt(to)).toBeGreaterThan(soon - 60_000);
    expect(await closesAt(to)).toBeLessThanOrEqual(soon);
    await writeAt(to, Date.now() - 25 * HOUR_MS);
    expect(await ask('sendMessage', `+${to}`)).toEqual({ status: 'SENT' });
    const late = newPhone().replace('+', '');
    await writeAt(late, Date.now() - 24 * HOUR_MS - 1_000);
    expect(await ask('previewSend', `+${late}`)).toMatchObject(closed);
    expect(await ask('sendMessage', `+${late}`)).toMatchObject(closed);
    expect(await personOf(late)).toEqual({ windows: [], lastMessage: { receivedAt: expect.any(String) } });
  });

  test('counts what was written in the future from now', async () => {
    const to = newPhone().replace('+', '');
    await writeAt(to, Date.now() + 5 * HOUR_MS);
    expect(await closesAt(to)).toBeLessThanOrEqual(Date.now() + 24 * HOUR_MS);
    expect((await personOf(to))?.windows.map(({ closesAt: end }) => Date.parse(end))).toEqual([await closesAt(to)]);
  });

  test('says in the dry run until when free text goes, also where a template is named', async () => {
    const to = newPhone().replace('+', '');
    const cloudTemplate = { name: 'order_update', language: 'en_US' };
    expect(await ask('previewSend', `+${to}`, { cloudTemplate })).toEqual({ legs: [{ windowClosesAt: null }] });
    await graph.write({ number: to, userId: userIdOf(to) }, text('Are you there?'));
    const open = { legs: [{ windowClosesAt: expect.any(String) }] };
    expect(await ask('previewSend', `+${to}`, { cloudTemplate })).toEqual(open);
    expect(await ask('previewSend', `+${to}`)).toEqual(open);
  });
});

/** Brings what a person wrote at a time, now. */
async function writeAt(to: string, atMs: number): Promise<void> {
  const written = { id: newWamid(), atMs };
  await graph.call(
    NUMBER,
    messageChange(NUMBER, { number: to, userId: userIdOf(to) }, text('Are you there?'), written),
  );
}

async function closesAt(to: string): Promise<number> {
  const preview = (await ask('previewSend', `+${to}`)) as { legs?: { windowClosesAt: string }[] };
  return Date.parse(preview.legs?.[0]?.windowClosesAt ?? '');
}

async function personOf(to: string) {
  const { data } = await on.graphql<{ person: { windows: { closesAt: string }[]; lastMessage: object } }>(
    'query ($to: String!) { person(to: $to) { windows { closesAt } lastMessage { receivedAt } } }',
    { token: customer.tokens.unified, variables: { to } },
  );
  return data?.person;
}

test('a number that asks for templates always does so within the hours, too', async () => {
  const to = newPhone().replace('+', '');
  await graph.write({ number: to, userId: userIdOf(to) }, text('Are you there?'));
  expect(await ask('sendMessage', `+${to}`)).toMatchObject({
    code: 'INVALID_INPUT',
    errors: [{ field: 'cloudTemplate' }],
  });
});

import { describe, expect, test } from 'vitest';
import { type Customer, OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { EVERY_CHANNEL, SMS, toGraphqlInput } from '../../../support/messaging/send-cases.ts';
import { expectProblem } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on, { name: 'Reader' });

async function send(of: Customer, body: Record<string, unknown> = SMS): Promise<string> {
  const { data } = await on.graphql<{ sendMessage: { messageId: string } }>(
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messageId } }',
    { token: of.tokens.unified, variables: { input: toGraphqlInput(body) } },
  );
  if (!data) throw new Error('the message was refused');
  return data.sendMessage.messageId;
}

describe('message', () => {
  test('is answered with its attempts in the order of the route', async () => {
    const messageId = await send(customer, { ...EVERY_CHANNEL, to: '12025550103' });
    const { data, errors } = await on.graphql(
      `query ($id: String!) {
        message(id: $id) {
          __typename id messageId text smartEncoded status channels channel chatFrom sender attempts { channel status errorCode }
        }
      }`,
      { token: customer.tokens.unified, variables: { id: messageId } },
    );
    expect(errors).toBeNull();
    expect(data).toEqual({
      message: {
        __typename: 'Message',
        id: messageId,
        messageId,
        text: 'Hello',
        smartEncoded: false,
        status: 'SENT',
        channels: ['CHAT_QR', 'CHAT_CLOUD', 'SMS'],
        channel: 'SMS',
        chatFrom: '15550000001',
        sender: 'ACME',
        attempts: [
          { channel: 'CHAT_QR', status: 'FAILED', errorCode: 'recipient_not_found' },
          { channel: 'CHAT_CLOUD', status: 'FAILED', errorCode: 'recipient_not_found' },
          { channel: 'SMS', status: 'SENT', errorCode: null },
        ],
      },
    });
  });

  test('is null where there is none', async () => {
    const query = '{ message(id: "msg_00000000000000000000000000000000") { id } }';
    const { data, errors } = await on.graphql(query, { token: customer.tokens.unified });
    expect([data, errors]).toEqual([{ message: null }, null]);
  });
});

describe('messages', () => {
  interface Page {
    readonly messages: {
      readonly edges: readonly { readonly node: { readonly messageId: string } }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    };
  }
  const PAGE =
    'query ($first: Int, $after: String) { messages(first: $first, after: $after) { edges { node { messageId attempts { channel } } } pageInfo { hasNextPage endCursor } } }';

  test('are newest first, page after page', async () => {
    const own = await on.customer();
    const sent: string[] = [];
    for (let count = 0; count < 3; count++) sent.push(await send(own));
    const first = await on.graphql<Page>(PAGE, { token: own.tokens.unified, variables: { first: 2 } });
    const after = first.data?.messages.pageInfo.endCursor;
    const second = await on.graphql<Page>(PAGE, { token: own.tokens.unified, variables: { first: 2, after } });
    const pages = [first, second].map(page => page.data?.messages);
    expect(pages.map(page => page?.pageInfo.hasNextPage)).toEqual([true, false]);
    const listed = pages.flatMap(page => page?.edges.map(edge => edge.node.messageId) ?? []);
    expect(listed.sort()).toEqual(sent.sort());
  });

  test.each([
    ['first', { first: 0 }],
    ['first', { first: 201 }],
    ['after', { after: 'x' }],
  ])('refuses %s out of its range', async (field, variables) => {
    const answer = await on.graphql(PAGE, { token: customer.tokens.unified, variables });
    expectProblem(answer, 200, 'invalid_input', field);
  });
});

test('account is the one of the token', async () => {
  const own = await on.customer({ name: 'Own' });
  const { data } = await on.graphql(
    '{ account { __typename accountId name unifiedApi planExpiresAt credits rateLimit } }',
    {
      token: own.tokens.otp,
    },
  );
  expect(data).toEqual({
    account: {
      __typename: 'Account',
      accountId: own.accountId,
      name: 'Own',
      unifiedApi: true,
      planExpiresAt: null,
      credits: 1_000_000,
      rateLimit: null,
    },
  });
});

test('senders are those of the account, with what may be used', async () => {
  const own = await on.customer({
    senders: [
      { channel: 'sms', address: 'ACME', isDefault: true },
      { channel: 'chat_qr', address: '15550000001', approved: false },
    ],
  });
  const query = '{ senders { channel name approved isDefault } }';
  const { data } = await on.graphql<{ senders: unknown[] }>(query, { token: own.tokens.management });
  expect(data?.senders).toHaveLength(2);
  expect(data?.senders).toEqual(
    expect.arrayContaining([
      { channel: 'SMS', name: 'ACME', approved: true, isDefault: true },
      { channel: 'CHAT_QR', name: '15550000001', approved: false, isDefault: false },
    ]),
  );
});

describe('sandboxMessages', () => {
  const QUERY =
    'query ($to: String!, $first: Int) { sandboxMessages(to: $to, first: $first) { to channel from text } }';

  test('are what arrived on the phone, newest first', async () => {
    const own = await on.customer();
    await send(own, { ...SMS, text: 'one' });
    await send(own, { ...EVERY_CHANNEL, text: 'two' });
    await send(own, { ...SMS, to: '12025550101' });
    const { data } = await on.graphql(QUERY, { token: own.tokens.management, variables: { to: '+1 202 555 0100' } });
    expect(data).toEqual({
      sandboxMessages: [
        { to: '12025550100', channel: 'CHAT_QR', from: '15550000001', text: 'two' },
        { to: '12025550100', channel: 'SMS', from: 'ACME', text: 'one' },
      ],
    });
  });

  test.each([
    ['to', { to: 'nobody' }],
    ['first', { to: SMS.to, first: 0 }],
    ['first', { to: SMS.to, first: 1_001 }],
  ])('refuse a wrong %s', async (field, variables) => {
    const answer = await on.graphql(QUERY, { token: customer.tokens.unified, variables });
    expectProblem(answer, 200, 'invalid_input', field);
  });
});

describe('plants', () => {
  const CREATE = 'mutation ($input: NewPlantInput!) { createPlant(input: $input) { id name tag } }';
  const create = (of: Customer, id: unknown) =>
    on.graphql(CREATE, { token: of.tokens.sms, variables: { input: { id, name: 'Monstera' } } });

  test.each<[unknown, unknown]>([
    [0, 0],
    [-5, -5],
    ['7', 7],
    [9007199254740991, 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
  ])('keep the id %j to the last digit', async (id, shown) => {
    const own = await on.customer();
    const { data } = await create(own, id);
    expect(data).toEqual({ createPlant: { id: shown, name: 'Monstera', tag: null } });
    const list = await on.graphql('{ plants { id name tag } }', { token: own.tokens.otp });
    expect(list.data).toEqual({ plants: [{ id: shown, name: 'Monstera', tag: null }] });
  });

  test('take an id as a literal of any length', async () => {
    const query = 'mutation { createPlant(input: { id: 9223372036854775807, name: "a" }) { id } }';
    const { data } = await on.graphql(query, { token: (await on.customer()).tokens.otp });
    expect(data).toEqual({ createPlant: { id: '9223372036854775807' } });
  });

  test.each([9007199254740992, 1.5, '1.5', '', ' 1', 'one', true, {}, null, '9223372036854775808', '9'.repeat(41)])(
    'refuse the id %j',
    async id => {
      const answer = await create(customer, id);
      expectProblem(answer, 200, 'invalid_input', 'id');
    },
  );

  test('refuse an id that is taken', async () => {
    const own = await on.customer();
    await create(own, 1);
    const answer = await create(own, 1);
    expectProblem(answer, 200, 'invalid_input', 'id');
  });

  test('come in pages by id', async () => {
    const own = await on.customer();
    for (const id of [3, 1, 2]) await create(own, id);
    const { data } = await on.graphql('{ plants(first: 1, after: 1) { id } }', { token: own.tokens.unified });
    expect(data).toEqual({ plants: [{ id: 2 }] });
  });
});

describe('an operator', () => {
  test('reads for the account that is named', async () => {
    const headers = { 'x-account-id': customer.accountId };
    const { data } = await on.graphql('{ account { accountId } }', { token: OPERATOR_TOKEN, headers });
    expect(data).toEqual({ account: { accountId: customer.accountId } });
  });

  test('may name it with hex digits in upper case', async () => {
    const headers = { 'x-account-id': `acc_${customer.accountId.slice(4).toUpperCase()}` };
    const { data } = await on.graphql('{ account { accountId } }', { token: OPERATOR_TOKEN, headers });
    expect(data).toEqual({ account: { accountId: customer.accountId } });
  });

  test.each(['acc_00000000000000000000000000000000', 'nonsense'])('hears that there is no account %s', async id => {
    const answer = await on.graphql('{ account { accountId } }', {
      token: OPERATOR_TOKEN,
      headers: { 'x-account-id': id },
    });
    expectProblem(answer, 404, 'not_found');
  });
});

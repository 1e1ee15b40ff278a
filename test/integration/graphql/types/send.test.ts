import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { type Customer, type GraphqlAnswer, type GraphqlFault, OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { measureCpu } from '../../../support/measure-cpu.ts';
import {
  EVERY_CHANNEL,
  INVALID_SENDS,
  MAGIC_SENDS,
  type SendBody,
  SMS,
  toGraphqlInput,
} from '../../../support/messaging/send-cases.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const SEND = /* GraphQL */ `
  mutation ($input: SendMessageInput!) {
    sendMessage(input: $input) {
      __typename messageId reference recipient status deliveryMode channel segments
      attempts { __typename attemptId channel provider status errorCode segments credits }
    }
  }
`;

interface Sent {
  readonly sendMessage: {
    readonly messageId: string;
    readonly status: string;
    readonly channel: string | null;
    readonly attempts: readonly { readonly channel: string; readonly status: string }[];
  };
}

function send(
  body: SendBody,
  headers: Record<string, string> = {},
  token: string | null = customer.tokens.unified,
): Promise<GraphqlAnswer<Sent>> {
  return on.graphql<Sent>(SEND, { token, variables: { input: toGraphqlInput(body) }, headers });
}

function onlyError(answer: GraphqlAnswer<unknown>): GraphqlFault {
  expect(answer.data).toBeNull();
  expect(answer.errors).toHaveLength(1);
  const [error] = answer.errors ?? [];
  if (!error) throw new Error('there is no error');
  return error;
}

async function countMessages(of: Customer): Promise<number | undefined> {
  const [row] = await on.sql<{ count: number }>('select count(*)::int as count from messages where account_id = $1', [
    toUuid(of.accountId),
  ]);
  return row?.count;
}

describe('sendMessage', () => {
  test('answers the message with its attempts', async () => {
    const { status, data, errors } = await send({ ...SMS, reference: 'graphql' });
    expect([status, errors]).toEqual([200, null]);
    expect(data).toEqual({
      sendMessage: {
        __typename: 'Message',
        messageId: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
        reference: 'graphql',
        recipient: '12025550100',
        status: 'SENT',
        deliveryMode: 'FALLBACK',
        channel: 'SMS',
        segments: 1,
        attempts: [
          {
            __typename: 'Attempt',
            attemptId: expect.stringMatching(/^att_[0-9a-f]{32}$/),
            channel: 'SMS',
            provider: 'sandbox',
            status: 'SENT',
            errorCode: null,
            segments: 1,
            credits: 1,
          },
        ],
      },
    });
  });

  test.concurrent.each(MAGIC_SENDS)('answers $to in the mode $mode as data', async given => {
    const { data, errors } = await send({ ...EVERY_CHANNEL, to: given.to, deliveryMode: given.mode });
    expect(errors).toBeNull();
    const message = data?.sendMessage;
    expect([message?.status, message?.channel]).toEqual([
      given.status.toUpperCase(),
      given.channel?.toUpperCase() ?? null,
    ]);
    expect(message?.attempts.map(attempt => `${attempt.channel} ${attempt.status}`.toLowerCase())).toEqual(
      given.attempts,
    );
  });

  test.each(INVALID_SENDS)('refuses $name', async ({ body, fields }) => {
    const strict = await on.customer();
    const error = onlyError(await send(body, {}, strict.tokens.unified));
    expect(error.extensions.code).toBe('INVALID_INPUT');
    expect(error.extensions.errors?.map(fault => fault.field)).toEqual(fields);
    await expect(countMessages(strict)).resolves.toBe(0);
  });

  test.each([
    ['no token', null],
    ['a token that never was', 'hg_uni_0123456789'],
  ])('refuses %s without a word about the input', async (_name, token) => {
    for (const body of [SMS, { ...SMS, text: '' }, { ...SMS, to: 5 }, { colour: 'red' }]) {
      const { extensions } = onlyError(await send(body, {}, token));
      expect(extensions).toEqual({ code: 'UNAUTHENTICATED' });
    }
  });

  test('sends by SMS for a token of the area sms', async () => {
    const { data } = await send(EVERY_CHANNEL, {}, customer.tokens.sms);
    expect(data?.sendMessage.attempts.map(attempt => attempt.channel)).toEqual(['SMS']);
  });

  test('refuses another channel to a token of the area sms', async () => {
    const answer = await send({ ...EVERY_CHANNEL, channels: ['sms', 'chat_qr'] }, {}, customer.tokens.sms);
    expect(onlyError(answer).extensions).toEqual({ code: 'WRONG_AREA' });
  });

  test('refuses while the unified API is off', async () => {
    const off = await on.customer({ unifiedApi: false });
    expect(onlyError(await send(SMS, {}, off.tokens.unified)).extensions).toEqual({ code: 'UNIFIED_API_DISABLED' });
  });

  test('refuses while the unified API is off before anything is said about the input', async () => {
    const off = await on.customer({ unifiedApi: false });
    const answer = await send({ ...SMS, to: 'nobody' }, {}, off.tokens.unified);
    expect(onlyError(answer).extensions).toEqual({ code: 'UNIFIED_API_DISABLED' });
  });

  test('refuses after the plan has ended', async () => {
    const ended = await on.customer({ planExpiresAt: new Date(Date.now() - 60_000) });
    expect(onlyError(await send(SMS, {}, ended.tokens.unified)).extensions).toEqual({ code: 'PLAN_EXPIRED' });
  });

  test('refuses a sender that is not approved', async () => {
    expect(onlyError(await send({ ...SMS, sender: 'OTHER' })).extensions).toEqual({ code: 'SENDER_NOT_APPROVED' });
  });

  test('sends for an operator who names the account', async () => {
    const { data } = await send(SMS, { 'x-account-id': customer.accountId }, OPERATOR_TOKEN);
    expect(data?.sendMessage.status).toBe('SENT');
  });

  test('asks an operator for the account', async () => {
    const { extensions } = onlyError(await send(SMS, {}, OPERATOR_TOKEN));
    expect(extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field: 'X-Account-Id' }] });
  });
});

describe('a repeat with the same reference', () => {
  test('is answered with the first answer', async () => {
    const body = { ...SMS, reference: 'again' };
    const [first, again] = [await send(body), await send(body)];
    expect(again.text).toBe(first.text);
    expect([first, again].map(answer => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  });

  test('is the same over REST', async () => {
    const first = await send({ ...SMS, reference: 'both-ways' });
    const again = await on.rest('POST', '/api/omni/send', {
      token: customer.tokens.unified,
      body: { ...SMS, reference: 'both-ways' },
    });
    expect(again.body.data?.messageId).toBe(first.data?.sendMessage.messageId);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('is refused where the request is another one', async () => {
    await send({ ...SMS, reference: 'reused' });
    const answer = await send({ ...SMS, text: 'Other', reference: 'reused' });
    expect(onlyError(answer).extensions).toEqual({ code: 'REFERENCE_REUSED' });
  });

  test('waits while the first one runs', async () => {
    const body = { ...SMS, to: '12025550107', reference: 'running' };
    const answers = await Promise.all([send(body), send(body)]);
    const refused = answers.find(answer => answer.errors !== null);
    if (!refused) throw new Error('both were answered');
    expect(onlyError(refused).extensions).toEqual({ code: 'REFERENCE_IN_FLIGHT', retryAfter: 1 });
  });

  test('may be named by the header, quoted or bare', async () => {
    const first = await send(SMS, { 'idempotency-key': '"by-header"' });
    const again = await send(SMS, { 'idempotency-key': 'by-header' });
    expect(again.text).toBe(first.text);
  });
});

describe('two sensitive fields in one operation', () => {
  const field = 'sendMessage(input: $i) { id }';
  const head = 'mutation ($i: SendMessageInput!, $no: Boolean = false)';
  const onMutation = 'on Mutation';

  test.each<[string, string]>([
    ['by aliases', `${head} { a: ${field} b: ${field} }`],
    ['by a named fragment', `${head} { ${field} ...F } fragment F ${onMutation} { b: ${field} }`],
    ['by one fragment spread twice', `${head} { ...F ...F } fragment F ${onMutation} { b: ${field} }`],
    ['by an inline fragment', `${head} { ${field} ... ${onMutation} { b: ${field} } }`],
    ['by an inline fragment without a type', `${head} { ${field} ... { b: ${field} } }`],
    [
      'by nested fragments',
      `${head} { ...F } fragment F ${onMutation} { ...G ...G2 } fragment G ${onMutation} { a: ${field} } fragment G2 ${onMutation} { ... { b: ${field} } }`,
    ],
    ['behind @include', `${head} { ${field} ... @include(if: $no) { b: ${field} } }`],
    ['behind @skip', `${head} { ${field} ... @skip(if: true) { b: ${field} } }`],
  ])('are refused before anything runs, written %s', async (_name, query) => {
    const own = await on.customer();
    const { data, errors } = await on.graphql(query, { token: own.tokens.unified, variables: { i: SMS } });
    expect(data).toBeNull();
    expect(errors?.map(error => error.message).join()).toContain(
      'An operation holds at most one of sendMessage. Ask for each in a request of its own.',
    );
    await expect(countMessages(own)).resolves.toBe(0);
  });

  test('are one where the same field is merged', async () => {
    const own = await on.customer();
    const query = `mutation ($i: SendMessageInput!) { ${field} }`;
    const { errors } = await on.graphql(query, { token: own.tokens.unified, variables: { i: SMS } });
    expect(errors).toBeNull();
    await expect(countMessages(own)).resolves.toBe(1);
  });

  test('are refused by the thousands as fast as one', async () => {
    const own = await on.customer();
    const aliases = (count: number): string =>
      Array.from({ length: count }, (_, index) => `a${index}:sendMessage(input:$i){id}`).join(' ');
    const { unified: token } = own.tokens;
    const ask = (count: number) => on.graphql(`mutation($i:SendMessageInput!){${aliases(count)}}`, { token });
    const { result, cpuMs } = await measureCpu(async () => [await ask(10_000), await ask(70)]);
    expect(result).toMatchObject([
      { status: 413 },
      { errors: [{ message: 'The document asks for too many fields at its root.' }] },
    ]);
    expect(cpuMs).toBeLessThan(1_000);
    await expect(countMessages(own)).resolves.toBe(0);
  });
});

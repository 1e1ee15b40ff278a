import { describe, expect, test } from 'vitest';
import { parseDocument as parse } from '../../../src/graphql/guards.ts';
import { countOperation } from '../../../src/graphql/server/limit-operations.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { Customer, RestAnswer } from '../../support/app.ts';
import { setUpApp } from '../../support/fixtures.ts';
import { inTime } from '../../support/in-time.ts';
import { SMS } from '../../support/messaging/send-cases.ts';
import { expectLimit } from '../../support/problems.ts';

const on = setUpApp();

/** One request a second: two at once. */
const slow = (): Promise<Customer> => on.customer({ rateLimit: 1 });

/** Does it for a slow customer before a further request fits. */
const inOneSecond = <Result>(work: (customer: Customer) => Promise<Result>): Promise<Result> =>
  inTime(1_000, slow, work);

/** The limits that have counted something of a customer's tokens. */
async function countedKinds({ accountId }: Customer): Promise<string[]> {
  const rows = await on.sql<{ kind: string }>(
    'select distinct kind from request_buckets b join tokens t on t.id = b.token_id where t.account_id = $1',
    [toUuid(accountId)],
  );
  return rows.map(({ kind }) => kind);
}

const remaining = ({ headers }: Pick<RestAnswer, 'headers'>): string | null => headers.get('ratelimit');

describe('what an operation counts for', () => {
  test.each([
    [1, '{ account { id name } }'],
    [2, '{ account { id } senders { id } }'],
    [3, '{ a: account { id } b: account { id } c: account { id } }'],
    [1, '{ account { id } account { name } }'],
    [2, 'query { ...F } fragment F on Query { a: account { id } b: account { id } }'],
    [
      2,
      'query { ...F ...F } fragment F on Query { a: account { id } ... on Query { ...G } } fragment G on Query { b: plants { id } }',
    ],
    [2, '{ account @skip(if: true) { id } plants @include(if: false) { id } }'],
    [1, '{ __typename }'],
    [1, '{ __typename account { id } }'],
    [1, '{ __schema { queryType { name } } }'],
    [1, 'subscription { logAdded { id } }'],
    [1, 'mutation { sendMessage(input: { to: "1", text: "a" }) { id } }'],
    [1, 'mutation { __typename a: resendOtp(input: { pinId: "1" }) { id } }'],
    [
      2,
      'mutation { verifyOtp(input: { pinId: "1", pin: "1" }) { id } createPlant(input: { id: 1, name: "a" }) { id } }',
    ],
  ])('%i: %s', (count, query) => {
    expect(countOperation(parse(query))).toBe(count);
  });

  test('is that of the operation which is run', () => {
    const document = parse('query A { account { id } } query B { a: account { id } b: plants { id } }');
    expect([countOperation(document, 'A'), countOperation(document, 'B')]).toEqual([1, 2]);
  });

  test('a fragment that holds itself ends', () => {
    expect(countOperation(parse('{ ...F } fragment F on Query { plants { id } ...F }'))).toBe(1);
  });
});

describe('the limit of requests per token over GraphQL', () => {
  test('is told with the answer', async () => {
    const { tokens } = await on.customer({ rateLimit: 100 });
    const { headers } = await on.graphql('{ account { id } senders { id } plants { id } }', { token: tokens.unified });
    expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
      '"requests";q=200;w=2',
      '"requests";r=197;t=1',
    ]);
  });

  test('refuses an operation that does not fit, with a status, a code and the time to wait', async () => {
    const { status, headers, errors, data } = await inOneSecond(async ({ tokens }) => {
      await on.graphql('{ account { id } senders { id } }', { token: tokens.sms });
      return on.graphql('{ account { id } }', { token: tokens.sms });
    });
    expect([status, headers.get('retry-after'), data]).toEqual([429, '1', null]);
    expect(errors).toEqual([
      {
        message: 'Too many requests with this token. Try again in 1 s.',
        extensions: { code: 'RATE_LIMITED', retryAfter: 1 },
      },
    ]);
    expect(remaining({ headers })).toBe('"requests";r=0;t=1');
  });

  test('runs nothing of an operation that does not fit whole', async () => {
    const plants =
      'mutation { a: createPlant(input: { id: 901, name: "a" }) { id } b: createPlant(input: { id: 902, name: "b" }) { id } }';
    const [{ status }, made] = await inOneSecond(async ({ accountId, tokens }) => {
      await on.graphql('{ account { id } }', { token: tokens.unified });
      const answer = await on.graphql(plants, { token: tokens.unified });
      return [answer, await on.sql('select id from plants where account_id = $1', [toUuid(accountId)])];
    });
    expect(status).toBe(429);
    expect(made).toEqual([]);
  });

  test('takes nothing for an operation that does not fit', async () => {
    const { tokens } = await slow();
    await on.graphql('{ account { id } }', { token: tokens.unified });
    await on.graphql('{ account { id } senders { id } }', { token: tokens.unified });
    expect((await on.graphql('{ account { id } }', { token: tokens.unified })).status).toBe(200);
  });

  test('names the field of an operation that can never fit', async () => {
    const { tokens } = await slow();
    const { status, errors } = await on.graphql('{ a: account { id } b: account { id } c: account { id } }', {
      token: tokens.unified,
    });
    expect([status, errors?.[0]?.extensions.errors]).toEqual([
      400,
      [{ field: 'query', message: 'asks for 3 fields at once; the limit of this token lets 2 in' }],
    ]);
  });

  test('is not counted for a document that is not valid', async () => {
    const customer = await on.customer({ rateLimit: 100 });
    await on.graphql('{ nothing }', { token: customer.tokens.unified });
    expect(await countedKinds(customer)).toEqual([]);
  });

  test('holds when a subscription begins', async () => {
    const { status } = await inOneSecond(async ({ tokens }) => {
      const follow = () => on.graphql('subscription { webhookTryAdded { id } }', { token: tokens.sms });
      // Each is refused by its area, after it was counted.
      await follow();
      await follow();
      return follow();
    });
    expect(status).toBe(429);
  });

  test('is that of each token alone', async () => {
    const { tokens } = await slow();
    await on.graphql('{ account { id } senders { id } }', { token: tokens.sms });
    expect((await on.graphql('{ account { id } }', { token: tokens.otp })).status).toBe(200);
  });

  test('is none of an operator who acts for the account', async () => {
    const { accountId } = await slow();
    const headers = {
      authorization: `Bearer ${'op_0123456789abcdef0123456789abcdef0123456789abcdef'}`,
      'x-account-id': accountId,
    };
    const answer = await on.graphql('{ a: account { id } b: account { id } c: account { id } }', { headers });
    expect([answer.status, remaining(answer)]).toEqual([200, null]);
  });
});

describe('the limit of requests per token over REST', () => {
  test('is told with the answer', async () => {
    const { tokens } = await on.customer({ rateLimit: 100 });
    const { headers } = await on.rest('GET', '/api/omni/logs', { token: tokens.unified });
    expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
      '"requests";q=200;w=2',
      '"requests";r=199;t=1',
    ]);
  });

  test('refuses what is too much, and sends nothing', async () => {
    const customer = await slow();
    const send = () => on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body: SMS });
    // At once: a slow machine earns another one while it sends one after the other.
    const answers = await Promise.all([send(), send(), send()]);
    const [first, second, refused] = answers.toSorted((one, other) => one.status - other.status);
    expect([first?.status, second?.status]).toEqual([200, 200]);
    if (refused) expectLimit(refused, 'rate_limited', 1);
    expect(await on.sql('select 1 from messages where account_id = $1', [toUuid(customer.accountId)])).toHaveLength(2);
  });

  test('counts together with GraphQL', async () => {
    const { status } = await inOneSecond(async ({ tokens }) => {
      await on.rest('POST', '/api/omni/send', { token: tokens.unified, body: SMS });
      await on.graphql('{ account { id } }', { token: tokens.unified });
      return on.rest('GET', '/api/omni/logs', { token: tokens.unified });
    });
    expect(status).toBe(429);
  });

  test('counts a request whose body is bad', async () => {
    const statuses = await inOneSecond(async ({ tokens }) => {
      const send = () => on.rest('POST', '/api/omni/send', { token: tokens.unified, body: '{' });
      return [(await send()).status, (await send()).status, (await send()).status];
    });
    expect(statuses).toEqual([400, 400, 429]);
  });

  test('counts a call for plants, and refuses it in its own style', async () => {
    const { status, body } = await inOneSecond(async ({ tokens }) => {
      const plant = (id: number) => on.rest('POST', '/plants', { token: tokens.sms, body: { id, name: 'a' } });
      await plant(911);
      await plant(912);
      return plant(913);
    });
    expect([status, body]).toEqual([
      429,
      { error: 429, message: 'Too many requests with this token. Try again in 1 s.' },
    ]);
  });

  test('passcodes count like everything else', async () => {
    const customer = await on.customer({ rateLimit: 100 });
    const { headers } = await on.rest('POST', '/api/omni/otp/send', {
      token: customer.tokens.unified,
      body: { to: '+12025550100' },
    });
    expect(headers.get('ratelimit')).toBe('"requests";r=199;t=1');
    expect(await countedKinds(customer)).toEqual(['requests']);
  });

  test('an account without a rate is told of none', async () => {
    const { tokens } = await on.customer({ rateLimit: null });
    expect(remaining(await on.rest('GET', '/api/omni/logs', { token: tokens.unified }))).toBeNull();
  });
});

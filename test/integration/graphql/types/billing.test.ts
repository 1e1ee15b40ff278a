import { beforeEach, describe, expect, test } from 'vitest';
import { type Customer, OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp } from '../../../support/fixtures.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';

const on = setUpApp();
let customer: Customer;

beforeEach(async () => {
  customer = await on.customer({ credits: 3 });
});

const operator = (query: string, variables: Record<string, unknown>) =>
  on.graphql(query, { token: OPERATOR_TOKEN, variables });

const ADJUST =
  'mutation ($input: AdjustBalanceInput!) { adjustBalance(input: $input) { accountId credits held spentToday } }';

const adjust = (input: object) =>
  operator(ADJUST, { input: { accountId: customer.accountId, reason: 'test', ...input } });

const send = () => on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body: SMS });

describe('balance', () => {
  test('tells all of it', async () => {
    await send();
    const query =
      '{ balance { id accountId credits held lowBalanceThreshold lowBalanceSince dailySpendCap spentToday } }';
    const { data } = await on.graphql(query, { token: customer.tokens.otp });
    expect(data).toEqual({
      balance: {
        id: customer.accountId,
        accountId: customer.accountId,
        credits: 2,
        held: 0,
        lowBalanceThreshold: null,
        lowBalanceSince: null,
        dailySpendCap: null,
        spentToday: 1,
      },
    });
  });
});

describe('ledger', () => {
  const QUERY = `query ($first: Int, $after: String, $filter: LedgerFilter) {
    ledger(first: $first, after: $after, filter: $filter) {
      edges { cursor node { kind credits held attemptId reason reference } }
      pageInfo { hasNextPage endCursor }
    }
  }`;
  const list = (variables: Record<string, unknown> = {}) =>
    on.graphql<{
      ledger: { edges: { node: { kind: string } }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    }>(QUERY, { token: customer.tokens.sms, variables });

  test('is a connection, the newest first', async () => {
    const { body } = await send();
    const attempts = body.data?.attempts;
    expect(attempts).toMatchObject([{ credits: 1 }]);
    const { data } = await list({ first: 1 });
    expect(data?.ledger).toMatchObject({
      edges: [{ node: { kind: 'CAPTURE', credits: -1, held: -1, reason: null } }],
      pageInfo: { hasNextPage: true },
    });
    const next = await list({ after: data?.ledger.pageInfo.endCursor });
    expect(next.data?.ledger).toMatchObject({
      edges: [{ node: { kind: 'ADJUSTMENT', credits: 3, held: 0, attemptId: null, reason: 'seeded' } }],
      pageInfo: { hasNextPage: false },
    });
  });

  test('takes a filter', async () => {
    await send();
    const { data } = await list({ filter: { kind: 'CAPTURE' } });
    expect(data?.ledger.edges.map(edge => edge.node.kind)).toEqual(['CAPTURE']);
  });
});

describe('adjustBalance', () => {
  test('answers the balance', async () => {
    const { data } = await adjust({ credits: 7 });
    expect(data).toEqual({
      adjustBalance: { accountId: customer.accountId, credits: 10, held: 0, spentToday: 0 },
    });
  });

  test.each([
    ['more than there is', { credits: -4 }, 'INSUFFICIENT_BALANCE', null],
    ['no credits', { credits: 0 }, 'INVALID_INPUT', 'credits'],
    ['a number that is too large for GraphQL', { credits: 3_000_000_000 }, 'INVALID_INPUT', 'credits'],
    ['an empty reason', { credits: 1, reason: '' }, 'INVALID_INPUT', 'reason'],
    ['a bad reference', { credits: 1, reference: 'ä' }, 'INVALID_INPUT', 'reference'],
  ])('refuses %s', async (_what, input, code, field) => {
    const { errors } = await adjust(input);
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.errors?.[0]?.field ?? null])).toEqual([
      [code, field === null ? null : expect.stringContaining(field)],
    ]);
  });
});

describe('updateBilling', () => {
  test('answers the balance with what was set', async () => {
    const { data } = await operator(
      `mutation ($input: UpdateBillingInput!) {
        updateBilling(input: $input) { lowBalanceThreshold lowBalanceSince dailySpendCap }
      }`,
      { input: { accountId: customer.accountId, lowBalanceThreshold: 3, dailySpendCap: 0 } },
    );
    expect(data).toEqual({ updateBilling: { lowBalanceThreshold: 3, lowBalanceSince: null, dailySpendCap: 0 } });
  });

  test.each([
    ['lowBalanceThreshold', 0],
    ['dailySpendCap', -1],
    ['dailySpendCap', 1_000_000_001],
  ])('refuses %s of %i', async (field, value) => {
    const { errors } = await operator(
      'mutation ($input: UpdateBillingInput!) { updateBilling(input: $input) { id } }',
      {
        input: { accountId: customer.accountId, [field]: value },
      },
    );
    expect(errors?.map(({ extensions }) => extensions.errors?.[0]?.field)).toEqual([expect.stringContaining(field)]);
  });
});

test('ledgerFaults has none', async () => {
  await send();
  const { data } = await operator('{ ledgerFaults { accountId kind attemptId found expected } }', {});
  expect(data).toEqual({ ledgerFaults: [] });
});

test('a send that the balance does not pay for is 402, and changes nothing', async () => {
  await adjust({ credits: -3 });
  const { status, body } = await send();
  expect([status, body.code]).toEqual([402, 'insufficient_balance']);
});

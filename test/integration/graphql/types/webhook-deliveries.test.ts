import { beforeEach, describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import type { WebhookDelivery } from '../../../../src/modules/webhooks/deliveries/webhook-delivery.entity.ts';
import type { GraphqlAnswer } from '../../../support/app.ts';
import { statementsOf } from '../../../support/databases/statements.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { testWhoIsLetIn } from '../../../support/graphql/closed-fields.ts';
import { makeDelivery, makeTryRow } from '../../../support/webhooks/delivery-rows.ts';
import { makeEndpoint, queueDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const TRY = '__typename id deliveryId endpointId number httpStatus durationMs error errorMessage response createdAt';
const DELIVERY = `__typename id deliveryId endpointId eventId event isTest status tryCount tries { ${TRY} } nextTryAt httpStatus error
  createdAt finishedAt body`;
const MISSING = newId('whk');
const SINCE = '2026-01-01T00:00:00Z';

/** The fields of deliveries, each with its arguments as variables. */
const FIELDS = {
  webhookDeliveries: `query ($endpointId: String!, $first: Int, $after: String, $filter: WebhookDeliveryFilter) {
    result: webhookDeliveries(endpointId: $endpointId, first: $first, after: $after, filter: $filter) {
      edges { cursor node { ${DELIVERY} } } pageInfo { hasNextPage endCursor }
    }
  }`,
  webhookDelivery: `query ($deliveryId: String!) { result: webhookDelivery(deliveryId: $deliveryId) { ${DELIVERY} } }`,
  redeliverWebhook: `mutation ($deliveryId: String!) { result: redeliverWebhook(deliveryId: $deliveryId) { ${DELIVERY} } }`,
  redeliverWebhooks: `mutation ($endpointId: String!, $filter: WebhookRedeliveryFilter) {
    result: redeliverWebhooks(endpointId: $endpointId, filter: $filter) { __typename count }
  }`,
  recoverWebhooks: `mutation ($endpointId: String!, $since: DateTime!) {
    result: recoverWebhooks(endpointId: $endpointId, since: $since) { __typename count }
  }`,
  testWebhookEndpoint: `mutation ($endpointId: String!, $event: WebhookEventName) {
    result: testWebhookEndpoint(endpointId: $endpointId, event: $event) { ${TRY} }
  }`,
} as const;

type Field = keyof typeof FIELDS;

interface Delivery {
  readonly deliveryId: string;
  readonly status: string;
  readonly body: string | null;
  readonly tries: readonly unknown[];
}

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: Delivery }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const on = setUpApp();
const customer = setUpOwnCustomer(on);
let endpointId: string;

beforeEach(async () => {
  endpointId = (await makeEndpoint({ sql: on.sql, services: on.app.services }, customer.accountId)).endpointId;
});

async function call<Result>(
  field: Field,
  variables: Record<string, unknown>,
): Promise<GraphqlAnswer<{ readonly result: Result }>> {
  return on.graphql(FIELDS[field], { token: customer.tokens.management, variables });
}

/** The answer to a call that must succeed. */
async function ask<Result = Delivery>(field: Field, variables: Record<string, unknown>): Promise<Result> {
  const { data, errors } = await call<Result>(field, variables);
  if (!data) throw new Error(JSON.stringify(errors));
  return data.result;
}

/** The faults of a call that must be refused. */
async function faults(field: Field, variables: Record<string, unknown>): Promise<unknown> {
  const { errors } = await call(field, variables);
  return errors?.flatMap<unknown>(({ extensions: { code, errors: fields } }) =>
    fields ? fields.map(each => `${code} ${each.field}`) : code,
  );
}

async function store(...rows: object[]): Promise<void> {
  await on.app.services.database.fork().persist(rows).flush();
}

const own = (given: Partial<WebhookDelivery> = {}): WebhookDelivery =>
  makeDelivery({ accountId: customer.accountId, endpointId }, given);

const dead = (given: Partial<WebhookDelivery> = {}): WebhookDelivery =>
  own({ status: 'dead', httpStatus: 500, error: 'bad_status', ...given });

describe('a delivery', () => {
  test('is answered with every try', async () => {
    const row = dead({ tries: 1, event: 'otp.failed' });
    const made = makeTryRow(row, {
      httpStatus: 500,
      error: 'bad_status',
      errorMessage: 'It answered 500.',
      response: 'no',
    });
    await store(row, made);
    const { id, eventId, createdAt, finishedAt } = row;
    expect(await ask('webhookDelivery', { deliveryId: id })).toEqual({
      __typename: 'WebhookDelivery',
      id,
      deliveryId: id,
      endpointId,
      eventId,
      event: 'otp.failed',
      isTest: false,
      status: 'DEAD',
      tryCount: 1,
      tries: [
        {
          __typename: 'WebhookTry',
          id: made.id,
          deliveryId: id,
          endpointId,
          number: 1,
          httpStatus: 500,
          durationMs: 12,
          error: 'bad_status',
          errorMessage: 'It answered 500.',
          response: 'no',
          createdAt: made.createdAt.toISOString(),
        },
      ],
      nextTryAt: null,
      httpStatus: 500,
      error: 'bad_status',
      createdAt: createdAt.toISOString(),
      finishedAt: finishedAt?.toISOString(),
      body: null,
    });
  });

  test('that is pending tells when it is tried next, and what it brings', async () => {
    const test = { sql: on.sql, services: on.app.services };
    const [deliveryId = ''] = await queueDeliveries(test, customer.accountId, endpointId, 1);
    const found = await ask('webhookDelivery', { deliveryId });
    expect(found).toMatchObject({
      status: 'PENDING',
      tryCount: 0,
      tries: [],
      nextTryAt: expect.any(String),
      finishedAt: null,
    });
    expect(JSON.parse(found.body ?? '')).toMatchObject({ event: 'message.sent', accountId: customer.accountId });
  });

  test('is null where there is none', async () => {
    expect(await ask('webhookDelivery', { deliveryId: newId('dlv') })).toBeNull();
  });
});

describe('the deliveries of an endpoint', () => {
  test('come page by page, newest first, each with its own tries', async () => {
    const now = Date.now();
    const rows = [0, 1, 2].map(minutes => own({ createdAt: new Date(now - minutes * 60_000) }));
    await store(...rows, ...rows.map(row => makeTryRow(row)));
    const first = await ask<Page>('webhookDeliveries', { endpointId, first: 2 });
    const second = await ask<Page>('webhookDeliveries', { endpointId, first: 2, after: first.pageInfo.endCursor });
    expect([first, second].map(page => page.pageInfo.hasNextPage)).toEqual([true, false]);
    const nodes = [first, second].flatMap(page => page.edges.map(edge => edge.node));
    expect(nodes).toMatchObject(rows.map(({ id }) => ({ deliveryId: id, tries: [{ deliveryId: id }] })));
  });

  test('are those that the filter lets pass', async () => {
    const rows = [dead({ event: 'otp.sent' }), dead(), own({ event: 'otp.sent' })];
    await store(...rows);
    const filter = { status: 'DEAD', event: 'OTP_SENT', httpStatus: 500, error: 'bad_status', from: SINCE };
    const { edges } = await ask<Page>('webhookDeliveries', { endpointId, filter });
    expect(edges.map(({ node }) => node.deliveryId)).toEqual([rows[0]?.id]);
  });

  test('are loaded together, and their tries too, however many there are', async () => {
    const rows = Array.from({ length: 40 }, () => own());
    await store(...rows, ...rows.map(row => makeTryRow(row)));
    const statements = await statementsOf(on.app.services.database, () => ask('webhookDeliveries', { endpointId }));
    expect(statements.filter(text => text.includes('webhook_tries'))).toHaveLength(1);
    expect(statements.filter(text => text.includes('webhook_deliveries'))).toHaveLength(1);
  });
});

describe('redelivery', () => {
  test('lets one begin again, with its id', async () => {
    const row = dead();
    await store(row);
    expect(await ask('redeliverWebhook', { deliveryId: row.id })).toMatchObject({
      deliveryId: row.id,
      eventId: row.eventId,
      status: 'PENDING',
      error: null,
      finishedAt: null,
      nextTryAt: expect.any(String),
    });
  });

  test('of several counts the dead ones where nothing is said', async () => {
    await store(dead(), dead(), own());
    expect(await ask('redeliverWebhooks', { endpointId })).toEqual({ __typename: 'WebhookRedelivery', count: 2 });
  });

  test('of several counts what the filter lets pass', async () => {
    await store(dead(), own({ event: 'otp.sent' }), own());
    const filter = { status: 'DELIVERED', event: 'otp.sent', from: SINCE, to: '2100-01-01T00:00:00Z' };
    expect(await ask('redeliverWebhooks', { endpointId, filter })).toMatchObject({ count: 1 });
  });

  test('recovers what is dead since a time', async () => {
    await store(dead(), dead({ createdAt: new Date(Date.now() - 3_600_000) }), own());
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(await ask('recoverWebhooks', { endpointId, since })).toEqual({ __typename: 'WebhookRedelivery', count: 1 });
  });
});

test('a test answers its try, and is a delivery of its own', async () => {
  // The address is looked at again at every try: nothing leaves the gateway.
  const url = 'http://10.0.0.1/';
  await on.sql('update webhook_endpoints set url = $1 where id = $2', [url, toUuid(endpointId)]);
  const made = await ask<{ deliveryId: string }>('testWebhookEndpoint', { endpointId, event: 'OTP_VERIFIED' });
  expect(made).toMatchObject({
    __typename: 'WebhookTry',
    endpointId,
    number: 1,
    httpStatus: null,
    error: 'address_refused',
    errorMessage: expect.any(String),
    response: null,
  });
  const delivery = await ask('webhookDelivery', { deliveryId: made.deliveryId });
  expect(delivery).toMatchObject({ isTest: true, event: 'otp.verified', status: 'DEAD', tryCount: 1, tries: [made] });
  expect(JSON.parse(delivery.body ?? '')).toMatchObject({ event: 'otp.verified', data: { test: true } });
});

describe('a refusal names the field', () => {
  test.each<[string, Field, (own: { endpointId: string; deliveryId: string }) => object, string]>([
    ['first 0', 'webhookDeliveries', ({ endpointId }) => ({ endpointId, first: 0 }), 'first'],
    ['no cursor', 'webhookDeliveries', ({ endpointId }) => ({ endpointId, after: 'x' }), 'after'],
    [
      'no HTTP status',
      'webhookDeliveries',
      ({ endpointId }) => ({ endpointId, filter: { httpStatus: 99 } }),
      'filter.httpStatus',
    ],
    [
      'what is pending',
      'redeliverWebhooks',
      ({ endpointId }) => ({ endpointId, filter: { status: 'PENDING' } }),
      'filter.status',
    ],
    ['no time', 'recoverWebhooks', ({ endpointId }) => ({ endpointId, since: 'yesterday' }), 'since'],
    ['an unknown event', 'testWebhookEndpoint', ({ endpointId }) => ({ endpointId, event: 'otp.lost' }), 'event'],
    ['a test', 'redeliverWebhook', ({ deliveryId }) => ({ deliveryId }), 'deliveryId'],
  ])('%s: %s', async (_what, field, variables, name) => {
    const row = dead({ isTest: true });
    await store(row);
    expect(await faults(field, { ...variables({ endpointId, deliveryId: row.id }) })).toEqual([
      `INVALID_INPUT ${name}`,
    ]);
  });
});

/** A call of each field whose input is wrong, or names nothing: whoever is let in hears of that; undefined: of nothing. */
const WRONG: Record<Field, readonly [variables: Record<string, unknown>, code: string | undefined]> = {
  webhookDeliveries: [{ endpointId: MISSING, first: 0 }, 'INVALID_INPUT'],
  webhookDelivery: [{ deliveryId: MISSING }, undefined],
  redeliverWebhook: [{ deliveryId: MISSING }, 'NOT_FOUND'],
  redeliverWebhooks: [{ endpointId: MISSING, filter: { status: 'PENDING' } }, 'INVALID_INPUT'],
  recoverWebhooks: [{ endpointId: MISSING, since: SINCE }, 'NOT_FOUND'],
  testWebhookEndpoint: [{ endpointId: MISSING }, 'NOT_FOUND'],
};

describe.each(Object.keys(FIELDS) as Field[])('%s', field => {
  testWhoIsLetIn(on, customer, FIELDS[field], WRONG[field]);
});

import { describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { WEBHOOK_EVENTS } from '../../../../src/modules/webhooks/events/webhook-events.ts';
import { type GraphqlAnswer, OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { testWhoIsLetIn } from '../../../support/graphql/closed-fields.ts';

const ENDPOINT = `__typename id endpointId url events description status disabledReason disabledAt failingSince failedTries
  waitingDeliveries circuitOpenUntil
  previousSecretUntil createdAt updatedAt`;
const MISSING = newId('whk');

/** The fields of webhooks, each with its arguments as variables. */
const FIELDS = {
  webhookEndpoints: 'query ($page: Int) { result: webhookEndpoints(page: $page) { rows { endpointId } } }',
  webhookEndpoint: `query ($endpointId: String!) { result: webhookEndpoint(endpointId: $endpointId) { ${ENDPOINT} } }`,
  createWebhookEndpoint: `mutation ($input: CreateWebhookEndpointInput!) {
    result: createWebhookEndpoint(input: $input) { endpoint { ${ENDPOINT} } secret }
  }`,
  updateWebhookEndpoint: `mutation ($input: UpdateWebhookEndpointInput!) {
    result: updateWebhookEndpoint(input: $input) { ${ENDPOINT} }
  }`,
  deleteWebhookEndpoint: `mutation ($endpointId: String!) {
    result: deleteWebhookEndpoint(endpointId: $endpointId) { ${ENDPOINT} }
  }`,
  rotateWebhookSecret: `mutation ($endpointId: String!) {
    result: rotateWebhookSecret(endpointId: $endpointId) { endpoint { ${ENDPOINT} } secret }
  }`,
  enableWebhookEndpoint: `mutation ($endpointId: String!) {
    result: enableWebhookEndpoint(endpointId: $endpointId) { ${ENDPOINT} }
  }`,
} as const;

type Field = keyof typeof FIELDS;

interface Endpoint {
  readonly endpointId: string;
  readonly previousSecretUntil: string | null;
}

const on = setUpApp();
const customer = setUpOwnCustomer(on);

async function call<Result>(
  field: Field,
  variables: Record<string, unknown>,
  token = customer.tokens.management,
): Promise<GraphqlAnswer<{ readonly result: Result }>> {
  return on.graphql(FIELDS[field], { token, variables });
}

/** The answer to a call that must succeed. */
async function ask<Result = Endpoint>(field: Field, variables: Record<string, unknown>): Promise<Result> {
  const { data, errors } = await call<Result>(field, variables);
  if (!data) throw new Error(JSON.stringify(errors));
  return data.result;
}

async function create(input: object = {}): Promise<{ endpoint: Endpoint; secret: string }> {
  return ask('createWebhookEndpoint', { input: { url: 'https://8.8.8.8/hooks', events: ['message.sent'], ...input } });
}

/** The faults of a call that must be refused. */
async function faults(field: Field, variables: Record<string, unknown>): Promise<unknown> {
  const { errors } = await call(field, variables);
  return errors?.flatMap<unknown>(({ extensions: { code, errors: fields } }) =>
    fields ? fields.map(each => `${code} ${each.field}`) : code,
  );
}

describe('an endpoint', () => {
  test('is answered with its secret when it is created', async () => {
    const input = { url: 'https://8.8.8.8/hooks', events: ['message.sent', 'otp.verified'], description: 'Orders' };
    expect(await create(input)).toEqual({
      endpoint: {
        __typename: 'WebhookEndpoint',
        id: expect.stringMatching(/^whk_/),
        endpointId: expect.stringMatching(/^whk_/),
        ...input,
        status: 'ENABLED',
        disabledReason: null,
        disabledAt: null,
        failingSince: null,
        failedTries: 0,
        waitingDeliveries: 0,
        circuitOpenUntil: null,
        previousSecretUntil: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
      secret: expect.stringMatching(/^whsec_/),
    });
  });

  test('is found by its id and in the list, without its secret', async () => {
    const { endpoint, secret } = await create();
    const { endpointId } = endpoint;
    const found = await call<Endpoint>('webhookEndpoint', { endpointId });
    expect(found.data?.result).toEqual(endpoint);
    const list = await on.graphql(`{ webhookEndpoints { rows { ${ENDPOINT} } page pageSize total } }`, {
      token: customer.tokens.management,
    });
    expect(list.data).toEqual({ webhookEndpoints: { rows: [endpoint], page: 1, pageSize: 20, total: 1 } });
    expect(`${found.text}${list.text}`).not.toContain(secret.slice('whsec_'.length));
  });

  test('can get any of the events, each with a sample that is a test of the account', async () => {
    const { data } = await on.graphql<{ webhookEventKinds: { event: string; meaning: string; sample: string }[] }>(
      '{ webhookEventKinds { event meaning sample } }',
      { token: customer.tokens.management },
    );
    const kinds = data?.webhookEventKinds ?? [];
    expect(kinds.map(({ event }) => event)).toEqual(WEBHOOK_EVENTS);
    for (const { event, meaning, sample } of kinds) {
      expect(JSON.parse(sample)).toMatchObject({ event, accountId: customer.accountId, data: { test: true } });
      expect(meaning).not.toBe('');
    }
  });

  test('is changed where it is told', async () => {
    const { endpoint } = await create();
    const { endpointId } = endpoint;
    const input = { endpointId, url: 'https://8.8.4.4/', events: ['sms.failed'], description: 'New', paused: true };
    expect(await ask('updateWebhookEndpoint', { input })).toEqual({
      ...endpoint,
      url: 'https://8.8.4.4/',
      events: ['sms.failed'],
      description: 'New',
      status: 'PAUSED',
      updatedAt: expect.any(String),
    });
  });

  test('that was given up says why, until it is enabled', async () => {
    const { endpointId } = (await create()).endpoint;
    await on.sql(
      `update webhook_endpoints set status = 'disabled', disabled_reason = 'gone', disabled_at = now(), failing_since = now(),
         circuit_open_until = now() where id = $1`,
      [toUuid(endpointId)],
    );
    expect(await ask('webhookEndpoint', { endpointId })).toMatchObject({
      status: 'DISABLED',
      disabledReason: 'GONE',
      disabledAt: expect.any(String),
      failingSince: expect.any(String),
      circuitOpenUntil: expect.any(String),
    });
    expect(await ask('enableWebhookEndpoint', { endpointId })).toMatchObject({
      status: 'ENABLED',
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
      circuitOpenUntil: null,
    });
  });

  test('gets a new secret, and tells until when the one before signs', async () => {
    const { endpoint, secret } = await create();
    const { endpointId } = endpoint;
    const rotated = await ask<{ endpoint: Endpoint; secret: string }>('rotateWebhookSecret', { endpointId });
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.endpoint.previousSecretUntil).toEqual(expect.any(String));
  });

  test('tells of no secret before once its day is over', async () => {
    const { endpointId } = (await create()).endpoint;
    await ask('rotateWebhookSecret', { endpointId });
    await on.sql(`update webhook_endpoints set previous_secret_until = now() - interval '1 second' where id = $1`, [
      toUuid(endpointId),
    ]);
    expect((await ask('webhookEndpoint', { endpointId })).previousSecretUntil).toBeNull();
  });

  test('is gone when it was deleted', async () => {
    const { endpoint } = await create();
    const { endpointId } = endpoint;
    expect(await ask('deleteWebhookEndpoint', { endpointId })).toEqual(endpoint);
    expect(await faults('webhookEndpoint', { endpointId })).toEqual(['NOT_FOUND']);
  });

  test('is reached by an operator who acts for its account', async () => {
    const { endpoint } = await create();
    const { data } = await on.graphql<{ result: Endpoint }>(FIELDS.webhookEndpoint, {
      token: OPERATOR_TOKEN,
      headers: { 'x-account-id': customer.accountId },
      variables: { endpointId: endpoint.endpointId },
    });
    expect(data?.result).toEqual(endpoint);
  });
});

describe('the events of an endpoint', () => {
  test('are written as the interface does, however they were given', async () => {
    const given = WEBHOOK_EVENTS.map((name, index) => (index % 2 === 0 ? name : name.replace('.', '_').toUpperCase()));
    expect((await create({ events: given })).endpoint).toMatchObject({ events: [...WEBHOOK_EVENTS] });
  });

  test('may be written as the words of an enum in the document', async () => {
    const { data } = await on.graphql(
      `mutation { createWebhookEndpoint(input: { url: "https://8.8.8.8/", events: [OTP_SENT, "otp.failed"] }) {
        endpoint { events }
      } }`,
      { token: customer.tokens.management },
    );
    expect(data).toEqual({ createWebhookEndpoint: { endpoint: { events: ['otp.sent', 'otp.failed'] } } });
  });
});

describe('a refusal names the field', () => {
  const input = { url: 'https://8.8.8.8/', events: ['message.sent'] };

  test.each<[string, Field, Record<string, unknown>, string]>([
    ['page 0', 'webhookEndpoints', { page: 0 }, 'page'],
    ['no URL', 'createWebhookEndpoint', { input: { events: ['otp.sent'] } }, 'url'],
    ['what is no URL', 'createWebhookEndpoint', { input: { ...input, url: 'example' } }, 'url'],
    ['a URL with a fragment', 'createWebhookEndpoint', { input: { ...input, url: 'https://8.8.8.8/#a' } }, 'url'],
    ['a URL inside', 'createWebhookEndpoint', { input: { ...input, url: 'https://10.0.0.1/' } }, 'url'],
    ['no event', 'createWebhookEndpoint', { input: { ...input, events: [] } }, 'events'],
    ['an unknown event', 'createWebhookEndpoint', { input: { ...input, events: ['otp.lost'] } }, 'events.0'],
    ['an event twice', 'createWebhookEndpoint', { input: { ...input, events: ['otp.sent', 'OTP_SENT'] } }, 'events'],
    ['a long text', 'createWebhookEndpoint', { input: { ...input, description: 'a'.repeat(501) } }, 'description'],
    ['a URL inside', 'updateWebhookEndpoint', { input: { endpointId: MISSING, url: 'https://10.0.0.1/' } }, 'url'],
    ['no event', 'updateWebhookEndpoint', { input: { endpointId: MISSING, events: [] } }, 'events'],
  ])('%s: %s', async (_what, field, variables, name) => {
    expect(await faults(field, variables)).toEqual([`INVALID_INPUT ${name}`]);
  });
});

/** A call of each field whose input is wrong, or names nothing: whoever is let in hears of that. */
const WRONG: Record<Field, readonly [variables: Record<string, unknown>, code: string]> = {
  webhookEndpoints: [{ page: 0 }, 'INVALID_INPUT'],
  webhookEndpoint: [{ endpointId: MISSING }, 'NOT_FOUND'],
  createWebhookEndpoint: [{ input: { url: '', events: [] } }, 'INVALID_INPUT'],
  updateWebhookEndpoint: [{ input: { endpointId: '', url: '' } }, 'INVALID_INPUT'],
  deleteWebhookEndpoint: [{ endpointId: MISSING }, 'NOT_FOUND'],
  rotateWebhookSecret: [{ endpointId: MISSING }, 'NOT_FOUND'],
  enableWebhookEndpoint: [{ endpointId: MISSING }, 'NOT_FOUND'],
};

describe.each(Object.keys(FIELDS) as Field[])('%s', field => {
  testWhoIsLetIn(on, customer, FIELDS[field], WRONG[field]);
});

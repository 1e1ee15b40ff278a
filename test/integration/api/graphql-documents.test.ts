import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Customer, createTestApp, OPERATOR_TOKEN, type TestApp } from '../../support/app.ts';

let on: TestApp;
let customer: Customer;

beforeAll(async () => {
  on = await createTestApp();
  customer = await on.customer();
});
afterAll(() => on.close());

describe('a document', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    on.rest('POST', '/graphql', { token: customer.tokens.unified, body, headers });

  test.each<[string, unknown, number]>([
    ['in a list of documents', [{ query: '{ __typename }' }], 400],
    ['without a query', {}, 400],
    ['with a query that is no text', { query: 5 }, 400],
    ['with variables that are no object', { query: '{ __typename }', variables: 5 }, 400],
  ])('%s is refused', async (_name, body, status) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.body.data).toBeUndefined();
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
    'as %s is refused',
    async type => {
      const { status, body } = await post({ query: '{ __typename }' }, { 'content-type': type });
      expect(status).toBe(415);
      expect(body.errors).toMatchObject([{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }]);
    },
  );

  test('that changes something is refused by GET', async () => {
    const query = encodeURIComponent('mutation { migrate }');
    const { status } = await on.rest('GET', `/graphql?query=${query}`, { token: OPERATOR_TOKEN });
    expect(status).toBe(405);
  });

  test('is answered by GET where it reads', async () => {
    const query = encodeURIComponent('{ account { accountId } }');
    const { status, body } = await on.rest('GET', `/graphql?query=${query}`, { token: customer.tokens.unified });
    expect([status, body.data]).toEqual([200, { account: { accountId: customer.accountId } }]);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('by %s is refused', async method => {
    const { status, headers } = await on.rest(method, '/graphql');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
  });

  test.each([
    ['that is nested 10,000 deep', '{a'.repeat(10_000)],
    ['that is nested 900 deep', `{${'__schema{types{fields{type{'.repeat(225)}`],
    ['of 15,000 fields', `{${'a '.repeat(15_000)}}`],
    ['of one field 5,000 times', `{${'__typename '.repeat(5_000)}}`],
    ['that is none', '{'],
    ['with a field that does not exist', '{ nothing }'],
  ])('%s is refused at once, and not as an unexpected error', async (_name, query) => {
    const startedMs = performance.now();
    const { errors, data } = await on.graphql(query);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    expect(data).toBeNull();
    for (const error of errors ?? []) {
      expect(error.extensions.code).toMatch(/^GRAPHQL_(PARSE|VALIDATION)_FAILED$/);
    }
  });

  test('of the type application/graphql-response+json that is refused has status 400', async () => {
    const accept = { accept: 'application/graphql-response+json' };
    const answer = await post({ query: '{ nothing }' }, accept);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/graphql-response+json');
  });
});

/**
 * The tricks of scanners on a GraphQL endpoint: the checks of graphql-cop, and transports that a page can make a browser use. Callers
 * without the right ask for the schema, too.
 */
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CALLERS, credentialsOf, type DeadTokens, deadTokens } from '../../../support/actors.ts';
import { type Customer, createTestApp, OPERATOR_TOKEN, type RestCall, type TestApp } from '../../../support/app.ts';

let on: TestApp;
let closed: TestApp;
let customer: Customer;
let closedCustomer: Customer;
let dead: DeadTokens;

beforeAll(async () => {
  [on, closed] = await Promise.all([createTestApp(), createTestApp({ env: { PLAYGROUND: 'off' } })]);
  [customer, closedCustomer] = await Promise.all([on.customer(), closed.customer()]);
  dead = await deadTokens(on, customer);
});
afterAll(() => Promise.all([on.close(), closed.close()]));

describe('graphql-cop finds nothing:', () => {
  const post = (query: string, call: RestCall = {}) => on.rest('POST', '/graphql', { body: { query }, ...call });
  const times = (count: number, part: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => part(index)).join('\n');
  const AS: [string, () => string | null][] = [
    ['a stranger', () => null],
    ['a token', () => customer.tokens.unified],
  ];

  test.each(AS)('field suggestions, as %s', async (_who, token) => {
    const { text } = await post('query cop { __schema { directive } acount }', { token: token() });
    expect(text).not.toMatch(/did you mean/i);
  });

  test('introspection', async () => {
    const { body } = await post('query cop { __schema { types { name fields { name } } } }');
    expect([body.data, body.errors]).toEqual([undefined, [expect.objectContaining({ message: expect.any(String) })]]);
  });

  test.each(['/', '/graphiql', '/playground', '/console', '/graphql'])('a page of GraphiQL at %s', async path => {
    const { text } = await on.rest('GET', path, { headers: { accept: 'text/html' } });
    expect(text).not.toMatch(/graphiql\.min\.css|GraphQL Playground|GraphiQL|graphql-playground/);
  });

  test('queries by GET', async () => {
    const { status, headers, body } = await on.rest('GET', '/graphql?query=query+cop+%7B__typename%7D');
    expect([status, headers.get('allow'), body.data]).toEqual([405, 'POST', undefined]);
  });

  test.each(AS)('101 aliases, as %s', async (_who, token) => {
    const { body } = await post(`query cop { ${times(101, index => `alias${index}:__typename`)} }`, { token: token() });
    expect(body.data ?? null).toBeNull();
  });

  test.each(AS)('ten requests at once, as %s', async (_who, token) => {
    const body = Array.from({ length: 10 }, () => ({ query: 'query cop { __typename }' }));
    const answer = await on.rest('POST', '/graphql', { body, token: token() });
    expect([answer.status, answer.body.data]).toEqual([400, undefined]);
  });

  test('tracing', async () => {
    const { body } = await post('query cop { __typename }');
    expect(body).not.toHaveProperty('extensions');
  });

  test.each(AS)('ten directives that do not exist, as %s', async (_who, token) => {
    const { body } = await post('query cop { __typename @aa@aa@aa@aa@aa@aa@aa@aa@aa@aa }', { token: token() });
    expect(body.errors?.length).not.toBe(10);
  });

  test.each(AS)('the schema in circles, as %s', async (_who, token) => {
    const circles = `${'fields { type { '.repeat(4)}name${' } }'.repeat(4)}`;
    const { body } = await post(`query cop { __schema { types { ${circles} } } }`, { token: token() });
    expect(body.data ?? null).toBeNull();
  });

  test.each(AS)('500 times one field, as %s', async (_who, token) => {
    const { body } = await post(`query cop { ${times(500, () => '__typename')} }`, { token: token() });
    expect(body.data ?? null).toBeNull();
  });

  test('mutations by GET', async () => {
    const { status, headers } = await on.rest('GET', '/graphql?query=mutation+cop+%7B__typename%7D');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('mutations by GET with a token', async () => {
    const { status, headers } = await on.rest('GET', '/graphql?query=mutation+cop+%7B__typename%7D', {
      token: customer.tokens.unified,
    });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a form', async () => {
    const { status, body } = await on.rest('POST', '/graphql', {
      body: 'query=query+cop+%7B__typename%7D',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([status, body.data]).toEqual([415, undefined]);
  });

  test.each(AS)('a fault that tells of the server, as %s', async (_who, token) => {
    const { text } = await post('queryy cop { __typename }', { token: token() });
    expect(text).not.toMatch(/exception|stack|\bat /);
  });
});

describe('plants are not made by', () => {
  const MUTATION = 'mutation { createPlant(input: { id: 77001, name: "a" }) { id } }';
  const count = async () => (await on.sql('select 1 from plants where id = 77001')).length;

  test.each<[string, string]>([
    ['application/x-www-form-urlencoded', `query=${encodeURIComponent(MUTATION)}`],
    [
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query: MUTATION })}\r\n--x--\r\n`,
    ],
    ['text/plain', JSON.stringify({ query: MUTATION })],
    ['text/plain; application/json', JSON.stringify({ query: MUTATION })],
    ['application/graphql', MUTATION],
    ['application/graphql+json', JSON.stringify({ query: MUTATION })],
    ['application/json; charset=utf-16', JSON.stringify({ query: MUTATION })],
    ['', JSON.stringify({ query: MUTATION })],
  ])('a body of the type "%s"', async (type, body) => {
    const answer = await on.rest('POST', '/graphql', {
      token: customer.tokens.unified,
      body,
      headers: { 'content-type': type },
    });
    expect([answer.status, await count()]).toEqual([415, 0]);
  });

  test('a cookie in place of the token', async () => {
    const cookie = `token=${customer.tokens.unified}; authorization=Bearer ${customer.tokens.unified}`;
    const answer = await on.rest('POST', '/graphql', { body: { query: MUTATION }, headers: { cookie } });
    expect([answer.body.errors, await count()]).toMatchObject([[{ extensions: { code: 'UNAUTHENTICATED' } }], 0]);
  });

  test('a token in the address', async () => {
    const path = `/graphql?authorization=Bearer%20${customer.tokens.unified}&access_token=${customer.tokens.unified}`;
    const answer = await on.rest('POST', path, { body: { query: MUTATION } });
    expect([answer.body.errors, await count()]).toMatchObject([[{ extensions: { code: 'UNAUTHENTICATED' } }], 0]);
  });
});

describe('a request by GET', () => {
  const get = (search: string) => on.rest('GET', `/graphql?${search}`, { token: customer.tokens.unified });

  test.each<[string, string]>([
    ['without a query', ''],
    ['with variables that are no JSON', 'query=%7B__typename%7D&variables=%7Bnode_modules'],
    ['with extensions that are no JSON', 'query=%7B__typename%7D&extensions=%5B'],
    ['with a query that is none', 'query=%7B'],
    ['with bytes that are no UTF-8', 'query=%FF%FE'],
    ['with half an escape', 'query=%E0%A4%A'],
  ])('%s is refused as what it is', async (_name, search) => {
    const { status, body } = await get(search);
    expect(status).toBeLessThan(500);
    expect([body.data ?? null, body.errors?.length]).toEqual([null, 1]);
  });
});

describe('the schema', () => {
  const QUERIES: [string, string][] = [
    ['whole', getIntrospectionQuery()],
    ['behind a fragment', 'query { ...F } fragment F on Query { ...{ s: __schema { types { name } } } }'],
    ['behind a directive', 'query ($no: Boolean = false) { __typename __schema @skip(if: $no) { types { name } } }'],
  ];

  describe.each(QUERIES)('%s', (_name, query) => {
    test.each(CALLERS)('is told to %s, or not', async caller => {
      const { data } = await on.graphql(query, { headers: credentialsOf(caller, customer, dead) });
      const isTold = JSON.stringify(data ?? null).includes('"SendMessageInput"');
      expect(isTold).toBe(!['nobody', 'revoked token', 'expired token'].includes(caller));
    });

    test('is not told to a token where the playground is off, and to the operator it is', async () => {
      const told = await Promise.all(
        [closedCustomer.tokens.unified, OPERATOR_TOKEN].map(token => closed.graphql(query, { token })),
      );
      expect(told.map(({ text }) => text.includes('"SendMessageInput"'))).toEqual([false, true]);
    });
  });

  test.each(['Query', 'NoSuchType'])('has no type %s for a stranger', async name => {
    const { data } = await on.graphql(
      'query ($n: String!) { t: __type(name: $n) { name fields { name } } ...F } fragment F on Query { u: __type(name: "Mutation") { name } }',
      { variables: { n: name } },
    );
    expect(data).toEqual({ t: null, u: null });
  });

  test('has no types for a token where the playground is off', async () => {
    const { data, errors } = await closed.graphql('{ __type(name: "Query") { name } }', {
      token: closedCustomer.tokens.unified,
    });
    expect([data, errors]).toMatchObject([null, [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]]);
  });

  test('lets everyone ask for the name of a type', async () => {
    const { data } = await closed.graphql('{ __typename }');
    expect(data).toEqual({ __typename: 'Query' });
  });
});

describe('nothing is suggested', () => {
  test.each<[string, string, Record<string, unknown>?]>([
    ['a field', '{ acount { id } }'],
    ['a member', '{ account { nam } }'],
    ['an argument', '{ logs(firs: 1) { nodes { id } } }'],
    ['a type', 'query ($a: LogFilte) { account { id } }'],
    ['a type of a fragment', '{ ...F } fragment F on Quer { account { id } }'],
    ['a value', '{ logs(filter: { type: MESSAGE_ATEMPT }) { nodes { id } } }'],
    ['a member of an input', '{ logs(filter: { recipien: "1" }) { nodes { id } } }'],
    [
      'a value in a variable',
      'query ($t: LogType) { logs(filter: { type: $t }) { nodes { id } } }',
      { t: 'MESSAGE_ATEMPT' },
    ],
    ['a member in a variable', 'query ($f: LogFilter) { logs(filter: $f) { nodes { id } } }', { f: { recipien: '1' } }],
    ['a directive', '{ account @skp(if: true) { id } }'],
  ])('for %s', async (_what, query, variables = {}) => {
    for (const token of [null, customer.tokens.unified, OPERATOR_TOKEN]) {
      const { text, errors } = await on.graphql(query, { token, variables });
      expect(errors).not.toBeNull();
      expect(text).not.toMatch(/did you mean/i);
    }
  });
});

test('a document with many faults tells the first of them', async () => {
  const query = `{ account { ${Array.from({ length: 50 }, (_, index) => `no${index}`).join(' ')} } }`;
  const { errors } = await on.graphql(query, { token: customer.tokens.unified });
  expect(errors?.length).toBeLessThan(10);
});

describe('a page of another origin', () => {
  const ORIGIN = 'https://shop.example';
  const FIELDS: [string, string][] = [
    ['sendOtp', 'mutation { sendOtp(input: { to: "+12025550100" }) { id } }'],
    ['resendOtp', 'mutation { resendOtp(input: { pinId: "pin_1" }) { id } }'],
    [
      'verifyOtp',
      'mutation { ...F } fragment F on Mutation { a: verifyOtp(input: { pinId: "pin_1", pin: "1" }) { id } }',
    ],
    ['otps', '{ ...{ o: otps { nodes { id } } } }'],
    ['otp', '{ otp(pinId: "pin_1") { id } }'],
  ];
  const from = (origin: string) => ({
    origin,
    host: 'gateway.test',
    accept: 'application/graphql-response+json',
  });

  test.each(FIELDS)('cannot ask for %s', async (_name, query) => {
    const { status, errors } = await on.graphql(query, { token: customer.tokens.unified, headers: from(ORIGIN) });
    expect([status, errors]).toMatchObject([403, [{ extensions: { code: 'WRONG_AREA' } }]]);
  });

  test('can ask for the log', async () => {
    const { status } = await on.graphql('{ logs { nodes { id } } }', {
      token: customer.tokens.unified,
      headers: from(ORIGIN),
    });
    expect(status).toBe(200);
  });

  test('of the own origin can ask for passcodes', async () => {
    const { errors } = await on.graphql('{ otps { nodes { id } } }', {
      token: customer.tokens.unified,
      headers: from('https://gateway.test'),
    });
    expect(errors).toBeNull();
  });
});

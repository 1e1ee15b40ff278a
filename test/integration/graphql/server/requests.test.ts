/** GraphQL requests that are written in an unusual way, and what is told of those that are none. */
import { expect, test } from 'vitest';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
  on.rest(method, path, { token: customer.tokens.unified, headers, ...(body && { body }) });
const QUERY = { query: '{ __typename }' };
const BY_GET = '/graphql?query=%7B__typename%7D';

test.each<[string, string, Record<string, string>]>([
  ['a media type in capitals', '/graphql', { 'content-type': 'APPLICATION/JSON' }],
  ['a path in percents', '/%67raphql', {}],
])('%s is understood', async (_what, path, headers) => {
  const { status, body } = await ask('POST', path, headers, QUERY);
  expect([status, body.data]).toEqual([200, { __typename: 'Query' }]);
});

test.each(['variables', 'extensions'])('%s of a GET that are no JSON are bad input', async name => {
  const { status, body } = await ask('GET', `${BY_GET}&${name}=%7B`);
  expect([status, body.errors]).toEqual([
    400,
    [
      {
        message: `${name}: must be a JSON object`,
        extensions: { code: 'INVALID_INPUT', errors: [{ field: name, message: 'must be a JSON object' }] },
      },
    ],
  ]);
});

test.each([
  ['variables', { ...QUERY, variables: 'x' }],
  ['extensions', { ...QUERY, extensions: [1] }],
  ['an unknown member', { ...QUERY, other: 1 }],
])('%s that do not belong to a request are bad input', async (_what, body) => {
  const answer = await ask('POST', '/graphql', {}, body);
  expect([answer.status, answer.body.errors]).toMatchObject([400, [{ extensions: { code: 'INVALID_INPUT' } }]]);
});

test('a mutation by GET is told the method', async () => {
  const { status, body } = await ask('GET', '/graphql?query=mutation%7B__typename%7D');
  expect([status, body.errors]).toMatchObject([405, [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }]]);
});

test.each([
  'text/html',
  'application/xml',
  'text/plain',
  'application/graphql+json',
  'application/json; charset=iso-8859-1',
])('who accepts %s only is told what there is, and nothing is run', async accept => {
  const query = 'mutation { createPlant(input: { id: "406", name: "Fern" }) { id } }';
  const { status, body } = await ask('POST', '/graphql', { accept }, { query });
  expect([status, body.errors]).toMatchObject([406, [{ message: expect.stringContaining('application/json') }]]);
  expect(await on.sql('select from plants where id = 406')).toEqual([]);
});

test.each([
  '*/*',
  '*/json',
  'APPLICATION/*',
  'application/json; charset=UTF-8',
  'text/html, application/graphql-response+json;q=0.1',
  'text/event-stream',
  'multipart/*',
  '',
])('who accepts "%s" is answered', async accept => {
  expect((await ask('POST', '/graphql', { accept }, QUERY)).status).toBe(200);
});

import { describe, expect, test } from 'vitest';
import { routes } from '../../../../src/rest/routes.ts';
import type { RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';

// A token in a page is a token in everybody's hands, so no page of another origin is helped to send one.

const on = setUpApp();
const customer = setUpCustomer(on);

const ORIGIN = 'https://shop.example';

function corsHeaders({ headers }: Pick<RestAnswer, 'headers'>): string[] {
  return [...headers.keys()].filter(name => name.startsWith('access-control-'));
}

function preflight(path: string, method: string, origin: string): Promise<RestAnswer> {
  return on.rest('OPTIONS', path, {
    token: null,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization, content-type',
      'access-control-request-private-network': 'true',
    },
  });
}

const ENDPOINTS: [method: string, path: string][] = [
  ...routes.map(({ method, path }): [string, string] => [method, path]),
  ['POST', '/graphql'],
  ['GET', '/graphql'],
  ['GET', '/openapi.json'],
];

describe.each(ENDPOINTS)('%s %s', (method, path) => {
  test.each([ORIGIN, 'null', 'http://127.0.0.1:4000'])('a preflight from %s is refused', async origin => {
    expect((await preflight(path, method, origin)).status).toBe(405);
  });

  test.each([ORIGIN, 'null', 'http://127.0.0.1:4000'])('a preflight from %s is told nothing', async origin => {
    expect(corsHeaders(await preflight(path, method, origin))).toEqual([]);
  });

  test.each(['nobody', 'a token'])('the answer to %s tells a browser nothing', async caller => {
    const token = caller === 'nobody' ? null : tokenFor(path);
    const answer = await on.rest(method, path, {
      token,
      headers: { origin: ORIGIN },
      ...(method === 'POST' && { body: path === '/graphql' ? { query: '{ account { id } }' } : {} }),
    });
    expect(corsHeaders(answer)).toEqual([]);
  });
});

/** A token of the area that the path takes. */
function tokenFor(path: string): string {
  const area = routes.find(route => route.path === path)?.facts.area;
  return customer.tokens[area === undefined || area === 'any' ? 'unified' : area];
}

test('an answer that succeeds tells a browser nothing either', async () => {
  const answer = await on.graphql('{ account { id } }', {
    token: customer.tokens.unified,
    headers: { origin: ORIGIN },
  });
  expect({ status: answer.status, errors: answer.errors, cors: corsHeaders(answer) }).toEqual({
    status: 200,
    errors: null,
    cors: [],
  });
});

test('a path that is none tells a browser nothing either', async () => {
  expect(corsHeaders(await preflight('/api/omni/nothing', 'POST', ORIGIN))).toEqual([]);
});

/** Hostile GraphQL requests: each is answered, none by a fault of the gateway, and none tells more than it must. How long they take is measured by the bench. */
import { describe, expect, test } from 'vitest';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { HOSTILE_REQUESTS, type HostileRequest } from '../../../support/graphql/hostile-documents.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const named = HOSTILE_REQUESTS.map(request => [request.name, request] as const);

function ask({ body, headers }: HostileRequest, token: string | null) {
  const accept = 'application/graphql-response+json';
  return on.rest('POST', '/graphql', { token, body, headers: { accept, ...headers } });
}

describe('a token is answered', () => {
  test.each(named)('%s', async (_name, request) => {
    const { status, body } = await ask(request, customer.tokens.unified);
    if (request.isAnswered) expect(status).toBe(200);
    else {
      expect([400, 413, 415]).toContain(status);
      expect(body.data ?? null).toBeNull();
    }
  });
});

describe('a stranger is answered', () => {
  test.each(named)('%s', async (_name, request) => {
    const { status, body } = await ask(request, null);
    expect(status).toBeLessThan(500);
    const data = body.data ?? {};
    expect(Object.values(data).filter(value => value !== null)).toEqual([]);
  });
});

/** GraphQL over HTTP, by the audits of its own working group's reference library. */
import { serverAudits } from 'graphql-http';
import { beforeAll, describe, expect, test } from 'vitest';
import { setUpApp } from '../../../support/fixtures.ts';

const on = setUpApp();
let url: string;
let token: string;

beforeAll(async () => {
  ({ url } = await on.app.start());
  token = (await on.customer()).tokens.unified;
});

const audits = (fetchFn: unknown) => serverAudits({ url: () => `${url}/graphql`, fetchFn });

const asStranger = audits((address: string, init?: RequestInit) => fetch(address, init));
const asToken = audits((address: string, init: RequestInit = {}) =>
  fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
);

test('there are 61 audits', () => {
  expect(asToken).toHaveLength(61);
});

describe('with a token', () => {
  test.each(asToken)('$id $name', async audit => {
    expect(await audit.fn()).toMatchObject({ status: 'ok' });
  });
});

describe('for a stranger, to whom GET is closed,', () => {
  const BY_GET = new Set(['5A70', 'D6D5', '6A70']);

  test.each(asStranger)('$id $name', async audit => {
    expect(await audit.fn()).toMatchObject({ status: BY_GET.has(audit.id) ? 'notice' : 'ok' });
  });
});

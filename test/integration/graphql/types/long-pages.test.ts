import { expect, test } from 'vitest';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { makeAttempt } from '../../../support/logs/log-rows.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

interface LongPage {
  readonly logs: {
    readonly nodes: readonly { readonly id: string }[];
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
    readonly pageInfo: { readonly endCursor: string };
  };
}

test('a page of 200 rows has all of them, as nodes and as edges', async () => {
  const attempts = Array.from({ length: 200 }, () => makeAttempt(customer.accountId));
  await on.app.services.database.fork().persist(attempts).flush();
  const ids = attempts
    .map(({ id }) => id)
    .sort()
    .reverse();
  const { data, errors } = await on.graphql<LongPage>(
    '{ logs(first: 200) { nodes { id } edges { cursor node { id } } pageInfo { endCursor } } }',
    { token: customer.tokens.unified },
  );
  expect(errors).toBeNull();
  expect(data?.logs.nodes.map(({ id }) => id)).toEqual(ids);
  expect(data?.logs.edges.map(({ node }) => node.id)).toEqual(ids);
  expect(data?.logs.pageInfo.endCursor).toBe(data?.logs.edges.at(-1)?.cursor);
});

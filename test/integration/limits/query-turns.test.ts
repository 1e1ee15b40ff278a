import { beforeEach, expect, test } from 'vitest';
import type { Customer } from '../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';

const on = setUpApp();
const customer: Customer = setUpOwnCustomer(on);
const other: Customer = setUpOwnCustomer(on);

let answered: string[];
let release: () => void;

/** A query of the customer is under way while somebody sends, until it is released. */
beforeEach(() => {
  answered = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  release = resolve;
  const { sends, queries } = on.app.services;
  sends.noteSend(other.accountId);
  const { accountId } = customer;
  void queries.run({ name: accountId, accountId }, () => promise);
});

const note = (name: string) => (): void => void answered.push(name);

const query = ({ tokens }: Customer) => on.graphql('{ balance { credits } }', { token: tokens.unified });
const logs = ({ tokens }: Customer) => on.rest('GET', '/api/omni/logs', { token: tokens.unified });

test('queries of an account wait for the one that is under way, by GraphQL and by REST', async () => {
  const both = Promise.all([query(customer).then(note('query')), logs(customer).then(note('logs'))]);
  await on.graphql('mutation { createPlant(input: { id: "1", name: "Fern" }) { name } }', {
    token: customer.tokens.unified,
  });
  await query(other);
  expect(answered).toEqual([]);
  release();
  await both;
  expect(answered.toSorted()).toEqual(['logs', 'query']);
});

test('a hundred queries of an account wait, and one more is refused with the time to try again', async () => {
  const refused: unknown[] = [];
  const all = Array.from({ length: 101 }, async () => {
    const { errors } = await query(customer);
    if (errors) refused.push(errors[0]?.extensions);
  });
  await expect.poll(() => refused).toMatchObject([{ code: 'RATE_LIMITED', retryAfter: 1 }]);
  const { status, headers } = await logs(customer);
  expect([status, headers.get('retry-after')]).toEqual([429, '1']);
  release();
  await Promise.all(all);
  expect(refused).toHaveLength(1);
});

test('a stranger waits for no other stranger, however many ask', async () => {
  const { sends, queries } = on.app.services;
  sends.noteSend(other.accountId);
  void queries.run({ name: 'anonymous', accountId: null }, () => new Promise(() => undefined));
  const { data, errors } = await on.graphql('{ viewer { kind } }');
  expect({ data, errors }).toEqual({ data: { viewer: null }, errors: null });
});

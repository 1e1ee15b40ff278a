import { expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { addPerson, openPage } from '../../support/people/people.ts';
import { loggedRequests } from '../../support/requests/logged-requests.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

const SEND =
  'mutation Welcome($to: String!) { sendMessage(input: { to: $to, text: "Hello", channels: [SMS], sender: "ACME" }) { id } }';

async function ask(query: string, variables: Record<string, unknown> = {}, token = customer.tokens.unified) {
  await on.graphql(query, { token, variables });
  return loggedRequests(on, customer.accountId);
}

test('a refused field is kept with the name of its operation, its code and its field', async () => {
  expect(await ask(SEND, { to: 'nobody' })).toMatchObject([
    {
      method: 'POST',
      path: '/graphql',
      operation: 'Welcome',
      status: 200,
      code: 'invalid_input',
      field: 'to',
      actor: 'token',
    },
  ]);
});

test('an operation without a name is kept by its first field', async () => {
  expect(await ask('{ tokens { id } }')).toMatchObject([{ operation: 'tokens', code: 'wrong_area', field: null }]);
});

test('a document that is none is kept', async () => {
  expect(await ask('query Broken {')).toMatchObject([{ operation: 'Broken', code: 'graphql_parse_failed' }]);
});

test('a variable that does not fit is kept by its field alone', async () => {
  const rows = await ask(SEND, { to: 482913 });
  expect(rows).toMatchObject([{ operation: 'Welcome', code: 'invalid_input', field: 'to' }]);
  expect(JSON.stringify(rows)).not.toContain('482913');
});

test('a limited operation is kept', async () => {
  await on.sql('update accounts set rate_limit = 1 where id = $1', [toUuid(customer.accountId)]);
  on.app.authenticator.forget();
  for (let nth = 0; nth < 3; nth++) await ask('query Name { account { id } }');
  expect((await loggedRequests(on, customer.accountId)).at(-1)).toMatchObject({
    operation: 'Name',
    status: 429,
    code: 'rate_limited',
  });
});

test.each([
  ['invalid_json', '{', {}],
  ['unsupported_media_type', '{}', { 'content-type': 'text/plain' }],
])('a body that cannot be read is kept: %s', async (code, body, headers) => {
  await on.rest('POST', '/graphql', { token: customer.tokens.unified, body, headers });
  expect(await loggedRequests(on, customer.accountId)).toMatchObject([{ path: '/graphql', code, operation: null }]);
});

test('what a person is refused is kept', async () => {
  const page = await openPage(on, await addPerson(on, customer.accountId, 'viewer'));
  const { accountId } = customer;
  await on.graphql(`mutation Make { createToken(input: { accountId: "${accountId}", area: SMS }) { secret } }`, {
    headers: page,
  });
  expect(await loggedRequests(on, customer.accountId)).toMatchObject([
    { actor: 'user', token_id: null, operation: 'Make', code: 'wrong_area' },
  ]);
});

test('what a stranger is refused is for the operator', async () => {
  const { headers } = await on.graphql('query Mine { account { id } }');
  const rows = await loggedRequests(on, null);
  expect(rows.filter(row => row.request_id === headers.get('x-request-id'))).toMatchObject([
    { actor: 'stranger', operation: 'Mine', code: 'unauthenticated' },
  ]);
});

test('what is accepted is not kept, by whatever form it is answered', async () => {
  for (const accept of ['application/json', 'application/graphql-response+json', '*/*'])
    await on.graphql('{ account { id } }', { token: customer.tokens.unified, headers: { accept } });
  expect(await loggedRequests(on, customer.accountId)).toEqual([]);
});

test('what is accepted is kept where the account asks for it, by the choice of its own people', async () => {
  const change = 'mutation ($accepted: Boolean!) { updateRequestLog(input: { accepted: $accepted }) { logsAccepted } }';
  const { data } = await on.graphql(change, { token: customer.tokens.management, variables: { accepted: true } });
  expect(data).toEqual({ updateRequestLog: { logsAccepted: true } });
  on.app.authenticator.forget();
  const rows = await ask('query Name { account { id } }');
  expect(rows.at(-1)).toMatchObject({ operation: 'Name', status: 200, code: null });
  expect(
    await on.sql(`select action, details from audit_entries where account_id = $1`, [toUuid(customer.accountId)]),
  ).toEqual([{ action: 'account.updated', details: { logsAccepted: { from: false, to: true } } }]);
});

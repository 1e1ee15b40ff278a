import { expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerFile, setUpApp, setUpCustomer } from '../../support/fixtures.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
const carrier = oncePerFile(openHttpGateway, gate => gate.close());

test('providers are told the port that is listened on, also where it is any free one', async () => {
  const input = { accountId: customer.accountId, provider: 'http-sms', channel: 'SMS', name: 'Carrier' };
  const { errors } = await on.graphql(
    'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }',
    { token: OPERATOR_TOKEN, variables: { input: { ...input, config: carrier.config } } },
  );
  expect(errors).toBeNull();
  const { url } = await on.app.start();
  const body = { to: '+12025550177', sender: 'ACME', text: 'Hello' };
  expect((await on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body })).status).toBe(200);
  expect(carrier.messages.map(({ receipts }) => receipts)).toEqual([expect.stringMatching(`^${url}/receipts/con_`)]);
});

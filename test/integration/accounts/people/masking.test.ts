import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { ROLES, type Role } from '../../../../src/kernel/role.ts';
import { createConnection } from '../../../../src/modules/connections/manage-connections.ts';
import { OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';
import { addPerson, openPage } from '../../../support/people/people.ts';
import { OPERATOR } from '../../../support/services.ts';
import { makeEndpoint, queueDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
const pages: Partial<Record<Role, Record<string, string>>> = {};
let endpointId: string;

beforeAll(async () => {
  for (const role of ROLES) pages[role] = await openPage(on, await addPerson(on, customer.accountId, role));
  await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body: { ...SMS, text: 'Dear Ada' } });
  await on.rest('POST', '/api/omni/otp/send', { token: customer.tokens.unified, body: { to: '+12025550101' } });
  const webhooks = { sql: on.sql, services: on.app.services };
  await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: customer.accountId,
    provider: 'http-sms',
    channel: 'sms',
    name: 'Carrier',
    config: { request: { url: 'https://carrier.example.com/send' } },
    countries: ['KI'],
  });
  ({ endpointId } = await makeEndpoint(webhooks, customer.accountId));
  await queueDeliveries(webhooks, customer.accountId, endpointId, 1);
});

async function ask(role: Role, query: string): Promise<unknown> {
  const { data, errors } = await on.graphql(query, { headers: pages[role] ?? {} });
  return errors ? errors.map(({ extensions }) => extensions.code) : data;
}

describe('a viewer', () => {
  test('sees the recipient of a message masked, and not its text', async () => {
    const query = '{ messages { nodes { recipient text status } } }';
    expect(await ask('developer', query)).toEqual({
      messages: { nodes: [{ recipient: '12025550100', text: 'Dear Ada', status: 'SENT' }] },
    });
    expect(await ask('viewer', query)).toEqual({
      messages: { nodes: [{ recipient: '1••••••••00', text: '', status: 'SENT' }] },
    });
  });

  test('sees the recipients of the log and of passcodes masked', async () => {
    const query = '{ logs { nodes { recipient } } otps { nodes { recipient } } }';
    expect(await ask('viewer', query)).toEqual({
      logs: { nodes: [{ recipient: '1••••••••01' }, { recipient: '1••••••••00' }] },
      otps: { nodes: [{ recipient: '1••••••••01' }] },
    });
  });

  test.each(['+12025550100', '+1 202 555 0100', '+1 (202) 555-0100'])(
    'sees no number in what the operator wrote of the balance, like %s',
    async number => {
      const input = { accountId: customer.accountId, credits: 5, reason: `Given back for ${number}` };
      const adjusted = await on.graphql(
        'mutation ($input: AdjustBalanceInput!) { adjustBalance(input: $input) { id } }',
        {
          variables: { input },
          token: OPERATOR_TOKEN,
        },
      );
      expect(adjusted.errors).toBeNull();
      const query = '{ ledger(first: 1) { nodes { reason } } }';
      expect(await ask('developer', query)).toEqual({ ledger: { nodes: [{ reason: input.reason }] } });
      expect(await ask('viewer', query)).toEqual({ ledger: { nodes: [{ reason: 'Given back for +…' }] } });
    },
  );

  test('sees no number in what a provider said, in the timeline neither', async () => {
    const { accountId, tokens } = await on.customer();
    const { body } = await on.rest('POST', '/api/omni/send', { token: tokens.unified, body: SMS });
    const messageId = String(body.data?.messageId);
    await on.sql(
      `update attempts set status = 'failed', provider_message_id = null, error_code = 'x', error_message = $1 where message_id = $2`,
      ['No such subscriber: 12025550100', toUuid(messageId)],
    );
    const read = async (role: Role) => {
      const query = `{ message(id: "${messageId}") { timeline { kind reason } } }`;
      const headers = await openPage(on, await addPerson(on, accountId, role));
      return JSON.stringify((await on.graphql(query, { headers })).data);
    };
    expect(await read('developer')).toContain('No such subscriber: 12025550100');
    expect(await read('viewer')).toContain('The provider refused it.');
    expect(await read('viewer')).not.toContain('subscriber');
  });

  test('sees no body of a webhook', async () => {
    const query = `{ webhookDeliveries(endpointId: "${endpointId}") { nodes { body } } }`;
    expect(await ask('owner', query)).toEqual({
      webhookDeliveries: { nodes: [{ body: expect.stringContaining('"data"') }] },
    });
    expect(await ask('viewer', query)).toEqual({ webhookDeliveries: { nodes: [{ body: null }] } });
  });

  test('sees what was done in the audit trail, and not with which values', async () => {
    await on.graphql(
      'mutation { createToken(input: { accountId: "'.concat(customer.accountId, '", area: SMS }) { token { id } } }'),
      {
        headers: pages.owner ?? {},
      },
    );
    const query = '{ auditEntries(first: 1) { nodes { action details } } }';
    expect(await ask('owner', query)).toMatchObject({
      auditEntries: { nodes: [{ action: 'token.created', details: { area: 'sms' } }] },
    });
    expect(await ask('viewer', query)).toEqual({ auditEntries: { nodes: [{ action: 'token.created', details: {} }] } });
  });

  test.each(['logs', 'messages', 'otps'])('cannot look for a number in %s', async list => {
    const query = `{ ${list}(filter: { recipient: "+12025550100" }) { nodes { id } } }`;
    expect(await ask('viewer', query)).toEqual(['WRONG_AREA']);
    expect(await ask('developer', query)).toHaveProperty(list);
  });
});

test('a viewer sees no config of a connection', async () => {
  const query = '{ connections { name config } }';
  expect(await ask('owner', query)).toMatchObject({ connections: [{ config: { request: {} } }] });
  expect(await ask('viewer', query)).toEqual({ connections: [{ name: 'Carrier', config: null }] });
});

describe('support', () => {
  test('sees numbers and texts, bodies of webhooks and values of the audit trail', async () => {
    const query = `{
      messages { nodes { recipient text } }
      webhookDeliveries(endpointId: "${endpointId}") { nodes { body } }
      connections { config }
      auditEntries { nodes { details } }
    }`;
    expect(await ask('support', query)).toEqual(await ask('owner', query));
  });

  test.each(['logs', 'messages', 'otps'])('looks for a number in %s', async list => {
    const query = `{ ${list}(filter: { recipient: "+12025550100" }) { nodes { recipient } } }`;
    expect(await ask('support', query)).toEqual(await ask('owner', query));
  });

  test.each([
    '{ sandboxMessages(to: "+12025550101") { text } }',
    '{ sandboxPhones { number } }',
    '{ sandboxWaitForCode(to: "+12025550101", timeoutSeconds: 1) { code } }',
  ])('sees no code: %s', async query => {
    expect(await ask('support', query)).toEqual(['WRONG_AREA']);
  });
});

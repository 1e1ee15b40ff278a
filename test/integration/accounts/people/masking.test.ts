import { beforeAll, describe, expect, test } from 'vitest';
import { ROLES, type Role } from '../../../../src/kernel/role.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';
import { addPerson, openPage } from '../../../support/people/people.ts';
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

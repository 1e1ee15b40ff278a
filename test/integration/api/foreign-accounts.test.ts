import { type GraphQLInputType, getNamedType, isInputObjectType, parse, validate } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildSchema } from '../../../src/graphql/schema.ts';
import { AREAS, type Area } from '../../../src/kernel/crypto/secrets.ts';
import { policyOf } from '../../../src/kernel/field-policy.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { createAlertRule } from '../../../src/modules/alerts/manage-alert-rules.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { addNote } from '../../../src/modules/conversations/manage-notes.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import type { Customer } from '../../support/app.ts';
import { expectRows } from '../../support/expect-rows.ts';
import { setUpApp } from '../../support/fixtures.ts';
import { SMS } from '../../support/messaging/send-cases.ts';
import { sendPin } from '../../support/otp/rest-calls.ts';
import { OPERATOR } from '../../support/services.ts';
import { makeEndpoint, queueDeliveries } from '../../support/webhooks/stored-webhooks.ts';

const on = setUpApp();
const schema = buildSchema();
let customer: Customer;
let other: Customer;
let foreign: {
  readonly messageId: string;
  readonly attemptId: string;
  readonly pinId: string;
  readonly tokenId: string;
  readonly accountId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly textId: string;
  readonly connectionId: string;
  readonly ruleId: string;
  readonly inboundId: string;
  readonly noteId: string;
};

beforeAll(async () => {
  [customer, other] = await Promise.all([on.customer(), on.customer()]);
  const { body } = await on.rest('POST', '/api/omni/send', {
    token: other.tokens.unified,
    body: { ...SMS, reference: 'theirs' },
  });
  const { pinId } = await sendPin(on, other);
  const [token] = await on.sql<{ id: string }>(
    "select 'tok_' || replace(id::text, '-', '') as id from tokens where account_id = $1 limit 1",
    [toUuid(other.accountId)],
  );
  const [attempt] = await on.sql<{ id: string }>(
    "select 'att_' || replace(attempt_id::text, '-', '') as id from ledger where account_id = $1 and kind = 'capture' limit 1",
    [toUuid(other.accountId)],
  );
  const [text] = await on.sql<{ id: string }>(
    "select 'sbx_' || replace(id::text, '-', '') as id from sandbox_messages where account_id = $1 limit 1",
    [toUuid(other.accountId)],
  );
  const webhooks = { sql: on.sql, services: on.app.services };
  const { endpointId } = await makeEndpoint(webhooks, other.accountId);
  const [deliveryId = ''] = await queueDeliveries(webhooks, other.accountId, endpointId, 1);
  const { id: connectionId } = await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: other.accountId,
    provider: 'http-sms',
    channel: 'sms',
    name: 'Theirs',
    config: { request: { url: 'http://127.0.0.1:9/send' } },
  });
  const [inbound] = await receiveInbound(
    on.app.makeCtx(OPERATOR, 'test'),
    { id: null, accountId: other.accountId, providerId: 'sandbox', channel: 'sms' },
    [{ providerMessageId: null, from: '12025550100', to: 'ACME', type: 'text', text: 'Hello' }],
  );
  const note = await addNote(on.app.makeCtx(other.operator, 'test'), { to: '+12025550100', text: 'Calls at noon.' });
  const rule = await createAlertRule(on.app.makeCtx(other.operator, 'test'), { kind: 'connection_down' });
  foreign = {
    ruleId: rule.id,
    messageId: String(body.data?.messageId),
    attemptId: attempt?.id ?? '',
    pinId,
    tokenId: token?.id ?? '',
    accountId: other.accountId,
    endpointId,
    deliveryId,
    textId: text?.id ?? '',
    connectionId,
    inboundId: inbound?.messageId ?? '',
    noteId: note.id,
  };
});

/** Every argument that takes an id of something, with a call that names it: `foreign` is what belongs to another account. */
const PROBES: Record<
  string,
  {
    readonly of:
      | 'messageId'
      | 'attemptId'
      | 'pinId'
      | 'tokenId'
      | 'accountId'
      | 'endpointId'
      | 'deliveryId'
      | 'textId'
      | 'connectionId'
      | 'ruleId'
      | 'inboundId'
      | 'noteId'
      | 'own';
    readonly call: string;
    /** The fault of the input that a missing id is; absent: none. */
    readonly hears?: string;
  }
> = {
  'sandboxReceipt.id': {
    of: 'textId',
    call: 'mutation ($id: String!) { sandboxReceipt(id: $id, outcome: READ) { id } }',
  },
  'message.id': { of: 'messageId', call: 'query ($id: String!) { message(id: $id) { id text } }' },
  'logs.filter.messageId': {
    of: 'messageId',
    call: 'query ($id: String!) { logs(filter: { messageId: $id }) { edges { node { id } } } }',
  },
  'logs.filter.attemptId': {
    of: 'attemptId',
    call: 'query ($id: String!) { logs(filter: { attemptId: $id }) { edges { node { id } } } }',
  },
  'logs.filter.pinId': {
    of: 'pinId',
    call: 'query ($id: String!) { logs(filter: { pinId: $id }) { edges { node { id } } } }',
  },
  'logHistogram.filter.messageId': {
    of: 'messageId',
    call: 'query ($id: String!) { logHistogram(filter: { messageId: $id }) { buckets { entries } } }',
  },
  'logHistogram.filter.attemptId': {
    of: 'attemptId',
    call: 'query ($id: String!) { logHistogram(filter: { attemptId: $id }) { buckets { entries } } }',
  },
  'logHistogram.filter.pinId': {
    of: 'pinId',
    call: 'query ($id: String!) { logHistogram(filter: { pinId: $id }) { buckets { entries } } }',
  },
  'sends.filter.messageId': {
    of: 'messageId',
    call: 'query ($id: String!) { sends(filter: { messageId: $id }) { edges { cursor } } }',
  },
  'sends.filter.attemptId': {
    of: 'attemptId',
    call: 'query ($id: String!) { sends(filter: { attemptId: $id }) { edges { cursor } } }',
  },
  'sends.filter.pinId': {
    of: 'pinId',
    call: 'query ($id: String!) { sends(filter: { pinId: $id }) { edges { cursor } } }',
  },
  'logs.filter.connectionId': {
    of: 'connectionId',
    call: 'query ($id: String!) { logs(filter: { connectionId: $id }) { edges { node { id } } } }',
  },
  'logHistogram.filter.connectionId': {
    of: 'connectionId',
    call: 'query ($id: String!) { logHistogram(filter: { connectionId: $id }) { buckets { entries } } }',
  },
  'sends.filter.connectionId': {
    of: 'connectionId',
    call: 'query ($id: String!) { sends(filter: { connectionId: $id }) { edges { cursor } } }',
  },
  'otp.pinId': { of: 'pinId', call: 'query ($id: String!) { otp(pinId: $id) { id recipient } }' },
  'markRead.input.messageId': {
    of: 'inboundId',
    call: 'mutation ($id: String!) { markRead(input: { to: "+12025550100", messageId: $id }) { id } }',
    hears: 'is no message that the person sent to the account (`inboundMessages`)',
  },
  'removeNote.id': { of: 'noteId', call: 'mutation ($id: String!) { removeNote(id: $id) { id } }' },
  'resendMessage.input.messageId': {
    of: 'messageId',
    call: 'mutation ($id: String!) { resendMessage(input: { messageId: $id }) { id recipient } }',
  },
  'resendOtp.input.pinId': {
    of: 'pinId',
    call: 'mutation ($id: String!) { resendOtp(input: { pinId: $id }) { id recipient } }',
  },
  'verifyOtp.input.pinId': {
    of: 'pinId',
    call: 'mutation ($id: String!) { verifyOtp(input: { pinId: $id, pin: "1" }) { id recipient } }',
  },
  'balance.accountId': { of: 'accountId', call: 'query ($id: String!) { balance(accountId: $id) { id credits } }' },
  'ledger.filter.attemptId': {
    of: 'attemptId',
    call: 'query ($id: String!) { ledger(filter: { attemptId: $id }) { edges { node { id } } } }',
  },
  'senders.accountId': { of: 'accountId', call: 'query ($id: String!) { senders(accountId: $id) { id } }' },
  'auditEntries.accountId': {
    of: 'accountId',
    call: 'query ($id: String!) { auditEntries(accountId: $id) { edges { node { id } } } }',
  },
  'exportRecipient.accountId': {
    of: 'accountId',
    call: 'query ($id: String!) { exportRecipient(to: "+12025550168", accountId: $id) { to } }',
  },
  'eraseRecipient.accountId': {
    of: 'accountId',
    call: 'mutation ($id: String!) { eraseRecipient(to: "+12025550168", accountId: $id) { isSuppressed } }',
  },
  'requests.accountId': {
    of: 'accountId',
    call: 'query ($id: String!) { requests(accountId: $id) { edges { node { id } } } }',
  },
  'requests.filter.tokenId': {
    of: 'tokenId',
    call: 'query ($id: String!) { requests(filter: { tokenId: $id }) { edges { node { id } } } }',
  },
  'updateRequestLog.input.accountId': {
    of: 'accountId',
    call: 'mutation ($id: String!) { updateRequestLog(input: { accountId: $id, accepted: true }) { id } }',
  },
  // The caller chooses it: what another account chose is found in its own log alone, see `list.test.ts` of requests.
  'requests.filter.requestId': { of: 'own', call: '' },
  'tokens.accountId': { of: 'accountId', call: 'query ($id: String!) { tokens(accountId: $id) { id } }' },
  'revokeToken.tokenId': { of: 'tokenId', call: 'mutation ($id: String!) { revokeToken(tokenId: $id) { id } }' },
  'updateToken.input.tokenId': {
    of: 'tokenId',
    call: 'mutation ($id: String!) { updateToken(input: { tokenId: $id, name: "Other" }) { id name } }',
  },
  'otpSettings.accountId': { of: 'accountId', call: 'query ($id: String!) { otpSettings(accountId: $id) { id } }' },
  'updateAlertRule.input.ruleId': {
    of: 'ruleId',
    call: 'mutation ($id: String!) { updateAlertRule(input: { ruleId: $id, paused: true }) { id kind } }',
  },
  'deleteAlertRule.ruleId': {
    of: 'ruleId',
    call: 'mutation ($id: String!) { deleteAlertRule(ruleId: $id) { id kind } }',
  },
  'testAlertRule.ruleId': {
    of: 'ruleId',
    call: 'mutation ($id: String!) { testAlertRule(ruleId: $id) { text } }',
  },
  'webhookEndpoint.endpointId': {
    of: 'endpointId',
    call: 'query ($id: String!) { webhookEndpoint(endpointId: $id) { id url } }',
  },
  'updateWebhookEndpoint.input.endpointId': {
    of: 'endpointId',
    call: 'mutation ($id: String!) { updateWebhookEndpoint(input: { endpointId: $id, paused: true }) { id url } }',
  },
  'deleteWebhookEndpoint.endpointId': {
    of: 'endpointId',
    call: 'mutation ($id: String!) { deleteWebhookEndpoint(endpointId: $id) { id url } }',
  },
  'rotateWebhookSecret.endpointId': {
    of: 'endpointId',
    call: 'mutation ($id: String!) { rotateWebhookSecret(endpointId: $id) { secret } }',
  },
  'enableWebhookEndpoint.endpointId': {
    of: 'endpointId',
    call: 'mutation ($id: String!) { enableWebhookEndpoint(endpointId: $id) { id url } }',
  },
  'webhookDeliveries.endpointId': {
    of: 'endpointId',
    call: 'query ($id: String!) { webhookDeliveries(endpointId: $id) { edges { node { id body } } } }',
  },
  'webhookDelivery.deliveryId': {
    of: 'deliveryId',
    call: 'query ($id: String!) { webhookDelivery(deliveryId: $id) { id body tries { id } } }',
  },
  'redeliverWebhook.deliveryId': {
    of: 'deliveryId',
    call: 'mutation ($id: String!) { redeliverWebhook(deliveryId: $id) { id body } }',
  },
  'redeliverWebhooks.endpointId': {
    of: 'endpointId',
    call: 'mutation ($id: String!) { redeliverWebhooks(endpointId: $id, filter: { status: DEAD }) { count } }',
  },
  'recoverWebhooks.endpointId': {
    of: 'endpointId',
    call: 'mutation ($id: String!) { recoverWebhooks(endpointId: $id, since: "2026-01-01T00:00:00Z") { count } }',
  },
  'testWebhookEndpoint.endpointId': {
    of: 'endpointId',
    call: 'mutation ($id: String!) { testWebhookEndpoint(endpointId: $id) { id response } }',
  },
  // Of no account: it names a key of the gateway.
  'forgetSecretKey.keyId': { of: 'own', call: '' },
  'connections.accountId': { of: 'accountId', call: 'query ($id: String!) { connections(accountId: $id) { id } }' },
  'cloudTemplates.filter.connectionId': {
    of: 'connectionId',
    call: 'query ($id: String!) { cloudTemplates(filter: { connectionId: $id }) { nodes { id } } }',
  },
  'connectionGaps.accountId': { of: 'accountId', call: 'query ($id: String!) { connectionGaps(accountId: $id) }' },
  // The operator's, who names an account, and whose connections and rules are for every account.
  'adjustBalance.input.accountId': { of: 'own', call: '' },
  'updateBilling.input.accountId': { of: 'own', call: '' },
  'createToken.input.accountId': { of: 'own', call: '' },
  'addSender.input.accountId': { of: 'own', call: '' },
  'approveSender.input.accountId': { of: 'own', call: '' },
  'updateAccount.input.accountId': { of: 'own', call: '' },
  'updateOtpSettings.input.accountId': { of: 'own', call: '' },
  'setOtpTemplate.input.accountId': { of: 'own', call: '' },
  'setTemplateRequired.input.accountId': { of: 'own', call: '' },
  'createConnection.input.accountId': { of: 'own', call: '' },
  'updateConnection.input.connectionId': { of: 'own', call: '' },
  'deleteConnection.connectionId': { of: 'own', call: '' },
  'testConnection.connectionId': { of: 'own', call: '' },
  'probeConnection.input.connectionId': { of: 'own', call: '' },
  'renewReceiptsUrl.connectionId': { of: 'own', call: '' },
  'acceptChatRisks.input.connectionId': { of: 'own', call: '' },
  'unlinkConnection.connectionId': { of: 'own', call: '' },
  'syncTemplates.connectionId': { of: 'own', call: '' },
  'createOtpTemplate.input.connectionId': { of: 'own', call: '' },
  'setSenderRule.input.connectionId': { of: 'own', call: '' },
  'removeSenderRule.connectionId': { of: 'own', call: '' },
  // Of people, whom no token manages; what they hear of another account is in `people.test.ts`.
  'users.accountId': { of: 'own', call: '' },
  'invitations.accountId': { of: 'own', call: '' },
  'inviteUser.input.accountId': { of: 'own', call: '' },
  'updateUser.input.userId': { of: 'own', call: '' },
  'removeUser.userId': { of: 'own', call: '' },
  'takeSecondFactorAway.userId': { of: 'own', call: '' },
  'requireSecondFactor.input.accountId': { of: 'own', call: '' },
  'revokeInvitation.invitationId': { of: 'own', call: '' },
  'revokeSession.sessionId': { of: 'own', call: '' },
  // The caller chooses it, and each account has its own.
  'createPlant.input.id': { of: 'own', call: '' },
};

function idPaths(type: GraphQLInputType, path: string): string[] {
  const named = getNamedType(type);
  if (/(^|\.)(id|[a-z]+Id)$/.test(path)) return [path];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap(field => idPaths(field.type, `${path}.${field.name}`));
}

test('every argument of a query or mutation that takes an id has a row in the table of this file', () => {
  const types = [on.app.schema.getQueryType(), on.app.schema.getMutationType()];
  const found = types.flatMap(type =>
    Object.values(type?.getFields() ?? {}).flatMap(field =>
      field.args.flatMap(argument => idPaths(argument.type, `${field.name}.${argument.name}`)),
    ),
  );
  expectRows('PROBES', Object.keys(PROBES), found);
});

const MISSING = {
  messageId: newId('msg'),
  attemptId: newId('att'),
  pinId: newId('pin'),
  tokenId: newId('tok'),
  accountId: newId('acc'),
  endpointId: newId('whk'),
  deliveryId: newId('dlv'),
  textId: newId('sbx'),
  connectionId: newId('con'),
  ruleId: newId('alr'),
  inboundId: newId('msg'),
  noteId: newId('not'),
};

/** The areas that the field of a row opens to; `areas.test.ts` holds the schema to them. Others are refused before the id is looked at. */
function areasOf(name: string): readonly Area[] {
  const [field = ''] = name.split('.');
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const opens = roots.map(root => policyOf(root?.getFields()[field])?.opens).find(found => found !== undefined);
  if (opens === 'any') return AREAS;
  return typeof opens === 'object' ? opens : [];
}

describe.each(Object.entries(PROBES).filter(([, probe]) => probe.of !== 'own'))('%s', (name, { of, call, hears }) => {
  test('opens to an area and fits the schema, so that the id is looked at', () => {
    expect(areasOf(name)).not.toEqual([]);
    expect(validate(schema, parse(call))).toEqual([]);
  });

  test.each(areasOf(name))(
    "answers a token of the area %s for another account's id as for a missing one",
    async area => {
      if (of === 'own') return;
      const ask = async (id: string): Promise<string> => {
        const { status, errors, text } = await on.graphql(call, { token: customer.tokens[area], variables: { id } });
        // A call that does not fit the rules of the input would tell nothing of the id.
        const faults = errors?.flatMap(({ extensions }) =>
          extensions.code === 'INVALID_INPUT' ? extensions.errors : [],
        );
        expect([status, faults ?? []]).toEqual([200, hears ? [{ field: expect.anything(), message: hears }] : []]);
        return text;
      };
      expect(await ask(foreign[of])).toBe(await ask(MISSING[of]));
    },
  );
});

test("a token's account does not change by the header X-Account-Id", async () => {
  const { data } = await on.graphql('{ account { accountId } }', {
    token: customer.tokens.unified,
    headers: { 'x-account-id': other.accountId },
  });
  expect(data).toEqual({ account: { accountId: customer.accountId } });
});

test("another account's sender is as one that does not exist", async () => {
  const rich = await on.customer({ senders: [{ channel: 'sms', address: 'RICH' }] });
  expect(rich.accountId).not.toBe(customer.accountId);
  const ask = async (sender: string): Promise<unknown> => {
    const body = { ...SMS, sender };
    const { status, body: answer } = await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body });
    return [status, answer.code, answer.detail];
  };
  expect(await ask('RICH')).toEqual(await ask('NONE'));
});

test("lists hold nothing of another account's", async () => {
  const query = '{ messages { edges { node { id } } } logs { edges { node { id } } } plants { id } }';
  const { data } = await on.graphql(query, { token: (await on.customer()).tokens.unified });
  expect(data).toEqual({ messages: { edges: [] }, logs: { edges: [] }, plants: [] });
});

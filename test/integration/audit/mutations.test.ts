import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { inviteUser } from '../../../src/modules/accounts/people/invitations.ts';
import { createAlertRule } from '../../../src/modules/alerts/manage-alert-rules.ts';
import type { AuditAction } from '../../../src/modules/audit/audit-actions.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { addNote } from '../../../src/modules/conversations/manage-notes.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { auditedState, type StoredAudit, storedAudit, withoutAudit } from '../../support/audit/audit-entries.ts';
import { expectRows } from '../../support/expect-rows.ts';
import { oncePerFile, setUpApp } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { addPerson } from '../../support/people/people.ts';
import { makeAccount, OPERATOR, SENDERS, type TestAccount } from '../../support/services.ts';
import { makeEndpoint, queueDeliveries } from '../../support/webhooks/stored-webhooks.ts';
import { graphConfig } from '../../support/whatsapp/connected.ts';
import { Graph } from '../../support/whatsapp/graph.ts';

const on = setUpApp();
const cloud = oncePerFile(
  async () => {
    const graph = await new Graph({}).open();
    return { graph, config: graphConfig(graph) };
  },
  ({ graph }) => graph.close(),
);
let account: TestAccount;
let endpointId: string;
let deliveryId: string;
let tokenId: string;
let messageId: string;
let connectionId: string;
let numberId: string;
let cloudId: string;
let userId: string;
let noteId: string;
let invitationId: string;
let ruleId: string;

/** The id of a secret key that nobody has any more. */
const LOST_KEY = 'deadbeef';

beforeEach(makeSubjects);

/** Makes an account, and one of everything that a mutation may be about. */
async function makeSubjects(): Promise<void> {
  const senders = [...SENDERS, { channel: 'sms', address: 'RAW', approved: false } as const];
  account = await makeAccount(on.app.services, { senders });
  await account.token('unified');
  const webhooks = { sql: on.sql, services: on.app.services };
  ({ endpointId } = await makeEndpoint(webhooks, account.accountId, { status: 'paused' }));
  [deliveryId = ''] = await queueDeliveries(webhooks, account.accountId, endpointId, 1);
  await on.sql(
    `update webhook_deliveries set status = 'dead', finished_at = now() - interval '1 minute', next_try_at = null where id = $1`,
    [toUuid(deliveryId)],
  );
  await on.sql(
    `update webhook_endpoints set previous_secret = 'sealed', previous_secret_key_id = $2,
       previous_secret_until = now() + interval '1 hour' where id = $1`,
    [toUuid(endpointId), LOST_KEY],
  );
  const [token] = await on.sql<{ id: string }>(
    `select 'tok_' || replace(id::text, '-', '') as id from tokens where account_id = $1`,
    [toUuid(account.accountId)],
  );
  tokenId = token?.id ?? '';
  ({ id: connectionId } = await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: account.accountId,
    provider: 'http-sms',
    channel: 'sms',
    name: 'Carrier',
    config: { request: { url: 'http://127.0.0.1:9/send' } },
  }));
  ({ id: numberId } = await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: account.accountId,
    provider: 'chat-qr',
    channel: 'chat_qr',
    name: 'Linked',
    config: { number: newPhone() },
  }));
  await on.sql(`insert into chat_sessions (connection_id, state, state_since) values ($1, 'linked', now())`, [
    toUuid(numberId),
  ]);
  ({ id: cloudId } = await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: account.accountId,
    provider: 'whatsapp-cloud',
    channel: 'chat_cloud',
    name: 'Cloud',
    config: cloud.config,
  }));
  const sent = await on.graphql<{ sendMessage: { messageId: string } }>(
    'mutation { sendMessage(input: { to: "+12025550100", text: "Hello", sender: "ACME" }) { messageId } }',
    { token: OPERATOR_TOKEN, headers: { 'x-account-id': account.accountId } },
  );
  messageId = sent.data?.sendMessage.messageId ?? '';
  ({ userId } = await addPerson(on, account.accountId, 'viewer'));
  await on.sql('update dashboard_users set second_factor_since = now() where id = $1', [toUuid(userId)]);
  ({ id: invitationId } = (
    await inviteUser(on.app.makeCtx(OPERATOR, 'test'), {
      accountId: account.accountId,
      email: `${newId('usr')}@people.example`,
      role: 'viewer',
    })
  ).invitation);
  ({ id: ruleId } = await createAlertRule(on.app.makeCtx(account.operator, 'test'), { kind: 'connection_down' }));
  await on.sql(
    `insert into suppressions (id, account_id, person, origin, created_at)
     values (gen_random_uuid(), $1, '12025550167', 'account', now())`,
    [toUuid(account.accountId)],
  );
  ({ id: noteId } = await addNote(on.app.makeCtx(account.operator, 'test'), {
    to: '+12025550168',
    text: 'Calls in the morning.',
  }));
  await on.sql(
    `insert into auto_replies (account_id, keyword, text, updated_at) values ($1, 'PRICE', 'See our list.', now())`,
    [toUuid(account.accountId)],
  );
  await on.sql('delete from sender_rules');
  await on.sql(
    `insert into sender_rules (id, country, alphanumeric, updated_at) values (gen_random_uuid(), 'CA', 'refused', now())`,
  );
}

interface Audited {
  readonly action: AuditAction;
  readonly call: () => string;
  /** Whether it is about the gateway, and no account. */
  readonly ofNobody?: boolean;
  /** Whether doing it once more changes nothing. */
  readonly idempotent?: boolean;
  /** Whether a phone or a provider is told before it is recorded: it cannot be done again. */
  readonly tellsOthers?: boolean;
}

/** Every mutation that changes what belongs to an account for good. */
const AUDITED: Record<string, Audited> = {
  addSender: {
    action: 'sender.added',
    call: () => `addSender(input: { accountId: "${account.accountId}", name: "NEW" }) { id }`,
    idempotent: true,
  },
  adjustBalance: {
    action: 'balance.adjusted',
    call: () => `adjustBalance(input: { accountId: "${account.accountId}", credits: 5, reason: "gift" }) { credits }`,
  },
  approveSender: {
    action: 'sender.approved',
    call: () => `approveSender(input: { accountId: "${account.accountId}", name: "RAW" }) { id }`,
    idempotent: true,
  },
  createAccount: { action: 'account.created', call: () => 'createAccount(input: { name: "New" }) { id }' },
  createConnection: {
    action: 'connection.created',
    call: () =>
      `createConnection(input: { accountId: "${account.accountId}", provider: "http-sms", channel: SMS, name: "New", config: { request: { url: "http://127.0.0.1:9/send" } } }) { id }`,
  },
  updateConnection: {
    action: 'connection.updated',
    call: () => `updateConnection(input: { connectionId: "${connectionId}", name: "Other" }) { id }`,
    idempotent: true,
  },
  deleteConnection: {
    action: 'connection.deleted',
    call: () => `deleteConnection(connectionId: "${connectionId}") { id }`,
  },
  renewReceiptsUrl: {
    action: 'connection.receipts_renewed',
    call: () => `renewReceiptsUrl(connectionId: "${connectionId}") { id }`,
  },
  acceptChatRisks: {
    action: 'connection.risks_accepted',
    call: () => `acceptChatRisks(input: { connectionId: "${numberId}", name: "Ada Lovelace" }) { id }`,
    idempotent: true,
  },
  unlinkConnection: {
    action: 'connection.unlinked',
    call: () => `unlinkConnection(connectionId: "${numberId}") { id }`,
    idempotent: true,
  },
  testConnection: {
    action: 'connection.tested',
    call: () => `testConnection(connectionId: "${connectionId}", to: "+12025550123") { outcome }`,
  },
  createOtpTemplate: {
    action: 'template.created',
    call: () =>
      `createOtpTemplate(input: { connectionId: "${cloudId}", name: "codes_${randomBytes(8).toString('hex')}", language: "en_US" }) { result }`,
    tellsOthers: true,
  },
  resendMessage: {
    action: 'message.resent',
    call: () => `resendMessage(input: { messageId: "${messageId}" }) { id }`,
  },
  createToken: {
    action: 'token.created',
    call: () => `createToken(input: { accountId: "${account.accountId}", area: SMS }) { token { id } }`,
  },
  createAlertRule: {
    action: 'alert_rule.created',
    call: () => 'createAlertRule(input: { kind: CONNECTION_DOWN }) { id }',
  },
  updateAlertRule: {
    action: 'alert_rule.updated',
    call: () => `updateAlertRule(input: { ruleId: "${ruleId}", paused: true }) { id }`,
    idempotent: true,
  },
  deleteAlertRule: { action: 'alert_rule.deleted', call: () => `deleteAlertRule(ruleId: "${ruleId}") { id }` },
  createWebhookEndpoint: {
    action: 'endpoint.created',
    call: () => 'createWebhookEndpoint(input: { url: "https://8.8.8.8/", events: ["otp.sent"] }) { endpoint { id } }',
  },
  deleteWebhookEndpoint: {
    action: 'endpoint.deleted',
    call: () => `deleteWebhookEndpoint(endpointId: "${endpointId}") { id }`,
  },
  enableWebhookEndpoint: {
    action: 'endpoint.enabled',
    call: () => `enableWebhookEndpoint(endpointId: "${endpointId}") { id }`,
    idempotent: true,
  },
  forgetSecretKey: {
    action: 'secret_key.forgotten',
    call: () => `forgetSecretKey(keyId: "${LOST_KEY}") { keyId }`,
    ofNobody: true,
  },
  inviteUser: {
    action: 'invitation.created',
    call: () =>
      `inviteUser(input: { accountId: "${account.accountId}", email: "${newId('usr')}@people.example", role: VIEWER }) { invitation { id } }`,
  },
  revokeInvitation: {
    action: 'invitation.revoked',
    call: () => `revokeInvitation(invitationId: "${invitationId}") { id }`,
  },
  updateUser: {
    action: 'user.updated',
    call: () => `updateUser(input: { userId: "${userId}", role: DEVELOPER }) { id }`,
    idempotent: true,
  },
  removeUser: { action: 'user.removed', call: () => `removeUser(userId: "${userId}") { id }` },
  takeSecondFactorAway: {
    action: 'second_factor.taken_away',
    call: () => `takeSecondFactorAway(userId: "${userId}") { id }`,
    idempotent: true,
  },
  requireSecondFactor: {
    action: 'account.updated',
    call: () => `requireSecondFactor(input: { accountId: "${account.accountId}", isRequired: true }) { id }`,
    idempotent: true,
  },
  recoverWebhooks: {
    action: 'endpoint.recovered',
    call: () => `recoverWebhooks(endpointId: "${endpointId}", since: "2026-01-01T00:00:00Z") { count }`,
  },
  redeliverWebhook: {
    action: 'delivery.redelivered',
    call: () => `redeliverWebhook(deliveryId: "${deliveryId}") { id }`,
  },
  redeliverWebhooks: {
    action: 'endpoint.redelivered',
    call: () => `redeliverWebhooks(endpointId: "${endpointId}") { count }`,
  },
  removeSenderRule: {
    action: 'sender_rule.removed',
    call: () => 'removeSenderRule(country: "CA") { id }',
    ofNobody: true,
  },
  revokeToken: {
    action: 'token.revoked',
    call: () => `revokeToken(tokenId: "${tokenId}") { id }`,
    idempotent: true,
  },
  rotateWebhookSecret: {
    action: 'endpoint.secret_rotated',
    call: () => `rotateWebhookSecret(endpointId: "${endpointId}") { secret }`,
  },
  seedDemo: { action: 'demo.seeded', call: () => 'seedDemo { accountId }', idempotent: true },
  setTemplateRequired: {
    action: 'sender.updated',
    call: () =>
      `setTemplateRequired(input: { accountId: "${account.accountId}", address: "15550000002", isRequired: false }) { id }`,
    idempotent: true,
  },
  setOtpTemplate: {
    action: 'otp_template.updated',
    call: () =>
      `setOtpTemplate(input: { accountId: "${account.accountId}", address: "15550000002", name: "a", language: "en" }) { id }`,
    idempotent: true,
  },
  setSenderRule: {
    action: 'sender_rule.set',
    call: () => 'setSenderRule(input: { country: "CA", alphanumeric: ALLOWED }) { id }',
    ofNobody: true,
    idempotent: true,
  },
  updateAccount: {
    action: 'account.updated',
    call: () => `updateAccount(input: { accountId: "${account.accountId}", rateLimit: 7 }) { id }`,
    idempotent: true,
  },
  updateToken: {
    action: 'token.updated',
    call: () => `updateToken(input: { tokenId: "${tokenId}", name: "Shop server" }) { id }`,
    idempotent: true,
  },
  updateBilling: {
    action: 'billing.updated',
    call: () => `updateBilling(input: { accountId: "${account.accountId}", dailySpendCap: 7 }) { credits }`,
    idempotent: true,
  },
  updateRequestLog: {
    action: 'account.updated',
    call: () => `updateRequestLog(input: { accountId: "${account.accountId}", accepted: true }) { id }`,
    idempotent: true,
  },
  updateOtpSettings: {
    action: 'otp_settings.updated',
    call: () => `updateOtpSettings(input: { accountId: "${account.accountId}", sendsPerDay: 7 }) { id }`,
    idempotent: true,
  },
  addNote: {
    action: 'note.added',
    call: () => 'addNote(input: { to: "+12025550168", text: "Calls at noon." }) { id }',
  },
  removeNote: { action: 'note.removed', call: () => `removeNote(id: "${noteId}") { id }` },
  suppress: {
    action: 'suppression.added',
    call: () => 'suppress(input: { to: "+12025550166", reason: "Asked for it." }) { id }',
    idempotent: true,
  },
  unsuppress: { action: 'suppression.removed', call: () => 'unsuppress(to: "+12025550167") { id }' },
  eraseRecipient: {
    action: 'recipient.erased',
    call: () => `eraseRecipient(to: "+12025550168", accountId: "${account.accountId}") { isSuppressed }`,
  },
  updateOptOutSettings: {
    action: 'opt_out_settings.updated',
    call: () => 'updateOptOutSettings(input: { stopWords: ["basta"] }) { stopWords }',
    idempotent: true,
  },
  setAutoReply: {
    action: 'auto_reply.set',
    call: () => 'setAutoReply(input: { keyword: "hours", text: "From 9 to 18." }) { keyword }',
    idempotent: true,
  },
  removeAutoReply: { action: 'auto_reply.removed', call: () => 'removeAutoReply(keyword: "price") { keyword }' },
  updateRegion: {
    action: 'account.updated',
    call: () => 'updateRegion(input: { timeZone: "Europe/Berlin", country: "DE" }) { id }',
    idempotent: true,
  },
  updateWebhookEndpoint: {
    action: 'endpoint.updated',
    call: () => `updateWebhookEndpoint(input: { endpointId: "${endpointId}", description: "new" }) { id }`,
    idempotent: true,
  },
};

/**
 * The mutations of people on their own sessions, passwords and second factors. The tests in `accounts/people` say what the trail has of
 * them.
 */
const BY_PEOPLE = [
  'acceptInvitation',
  'changePassword',
  'confirmSecondFactor',
  'renewRecoveryCodes',
  'requestPasswordReset',
  'resetPassword',
  'revokeSession',
  'signIn',
  'signInAsOperator',
  'signInByOidc',
  'signInWithCode',
  'signOut',
  'signOutEverywhere',
  'turnOffSecondFactor',
];

/** Every other mutation, and why the audit trail does not have it. */
const NOT_AUDITED: Record<string, string> = {
  clearSandbox: 'the texts of the sandbox are samples, which go after a day by themselves',
  startOidc: 'it keeps nothing here: the way back has what became of it',
  startSecondFactor: 'the factor is off until a code was given, which the trail has',
  createPlant: 'a plant is a sample; nobody is charged for it and nothing depends on it',
  syncTemplates: 'it takes in what the provider has',
  probeConnection: 'it keeps nothing, and no text leaves the gateway',
  migrate: 'the list of migrations says what ran and when, and the trail is made by one of them',
  markRead: 'what was read is no change of the account; the list of people has it',
  reply: 'the log has every attempt',
  resendOtp: 'the log has every attempt',
  sandboxNextReceipt: 'it changes what a phone of the sandbox reports, which nobody is charged for',
  sandboxReply: 'it writes as a person does, who is none of the account; the list of what came in has it',
  sandboxReceipt: 'it reports as a phone of the sandbox; the timeline of the send has it',
  sendMessage: 'the log has every attempt',
  sendOtp: 'the log has every attempt',
  testAlertRule: 'it changes nothing, and says that it is a test',
  testWebhookEndpoint: 'it changes nothing, and its try stands in the list of deliveries',
  triggerWebhookEvent: 'it changes nothing, and its tries stand in the lists of deliveries',
  verifyOtp: 'the log has every outcome',
};

async function run(call: string): Promise<readonly string[]> {
  const headers = { 'x-account-id': account.accountId, 'x-request-id': 'the-request' };
  const { errors } = await on.graphql(`mutation { ${call} }`, { token: OPERATOR_TOKEN, headers });
  return errors?.map(error => error.extensions.code) ?? [];
}

test('every mutation stands in one of the tables of this file', () => {
  const all = Object.keys(on.app.schema.getMutationType()?.getFields() ?? {});
  const rows = [...Object.keys(AUDITED), ...BY_PEOPLE, ...Object.keys(NOT_AUDITED)];
  expect(rows).toHaveLength(new Set(rows).size);
  expectRows('AUDITED, BY_PEOPLE or NOT_AUDITED', rows, all);
});

// One account for all three: what was not done has changed nothing.
test.each(Object.entries(AUDITED))(
  '%s is not done where it cannot be recorded, is recorded with who did it and from where, and once where it changes nothing',
  async (name, { action, call, ofNobody = false, idempotent = false, tellsOthers = false }) => {
    // The one account that is not made here.
    if (name === 'seedDemo') await forgetDemo();
    let text = call();
    const state = await auditedState(on);
    await withoutAudit(on, async () => {
      expect(await run(text)).toContain('INTERNAL_ERROR');
    });
    expect(await auditedState(on)).toBe(state);

    if (tellsOthers) {
      await makeSubjects();
      text = call();
    }
    const before = await entriesOf(action);
    expect(await run(text)).toEqual([]);
    if (idempotent) expect(await run(text)).toEqual([]);
    const added = (await entriesOf(action)).slice(before.length);
    expect(added).toEqual([
      expect.objectContaining({
        account_id: ofNobody ? null : isOfAnother(name) ? expect.any(String) : toUuid(account.accountId),
        subject: name === 'forgetSecretKey' ? LOST_KEY : expect.stringMatching(/^[a-z]{3}_[0-9a-f]{32}$/),
        actor: 'operator',
        token_id: null,
        client_address: '127.0.0.1',
        request_id: 'the-request',
      }),
    ]);
  },
);

/** Every entry of an action, whatever the account. */
async function entriesOf(action: AuditAction): Promise<StoredAudit[]> {
  return (await storedAudit(on)).filter(entry => entry.action === action);
}

/** Those that change an account which they make. */
function isOfAnother(name: string): boolean {
  return name === 'createAccount' || name === 'seedDemo';
}

/** The demo account as one whose tokens are lost, so that it is made anew. */
async function forgetDemo(): Promise<void> {
  await on.sql("update tokens t set revoked_at = now() from accounts a where a.id = t.account_id and a.name = 'demo'");
}

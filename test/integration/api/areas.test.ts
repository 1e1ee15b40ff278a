import { type GraphQLSchema, parse, subscribe } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Area } from '../../../src/kernel/crypto/secrets.ts';
import { policyOf } from '../../../src/kernel/field-policy.ts';
import { ROLES, type Role } from '../../../src/kernel/role.ts';
import { routes } from '../../../src/rest/routes.ts';
import { CALLERS, type Caller, credentialsOf, type DeadTokens, deadTokens } from '../../support/actors.ts';
import { expectRows } from '../../support/expect-rows.ts';
import { setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { SMS } from '../../support/messaging/send-cases.ts';
import { addPerson, openPage, type Person } from '../../support/people/people.ts';
import { expectProblem } from '../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
let dead: DeadTokens;
let people: Record<Role, Person>;

beforeAll(async () => {
  dead = await deadTokens(on, customer);
  const added = await Promise.all(
    ROLES.map(async role => [role, await addPerson(on, customer.accountId, role)] as const),
  );
  people = Object.fromEntries(added) as Record<Role, Person>;
});

/**
 * The actors that may use a field. Areas: their tokens, and an operator who acts for an account. `management and operator`: management
 * tokens, and an operator who need not act for an account. `everyone`: strangers too.
 */
type Opens = readonly Area[] | 'operator' | 'management and operator' | 'everyone';

interface FieldRow {
  readonly opens: Opens;
  /** The people who may, where it is not the rule: to read all of them, to change owners and developers, of the operator's none. */
  readonly people?: readonly Role[];
  readonly call: (id: string) => string;
  /** The answer to the actors that are let in; absent: `ok`. */
  readonly hears?: string;
}

/** The roles that may send a text again. */
const RESENDERS: readonly Role[] = ['owner', 'developer', 'support'];

/** They read what people wrote, and answer it. */
const READERS: readonly Role[] = ['owner', 'developer', 'support'];

const ANY: readonly Area[] = ['unified', 'sms', 'otp', 'management'];

/** Longer than a password or a code may be. */
const LONG = 'x'.repeat(2_000);

/** A message that nobody has. */
const NO_MESSAGE = 'msg_00000000000000000000000000000001';

/** A pin that nobody has. */
const NO_PIN = 'pin_00000000000000000000000000000001';

/** A webhook endpoint that nobody has. */
const NO_ENDPOINT = 'whk_00000000000000000000000000000001';

/** A webhook delivery that nobody has. */
const NO_DELIVERY = 'dlv_00000000000000000000000000000001';

/** A text that nobody has. */
const NO_TEXT = 'sbx_00000000000000000000000000000001';

/** A connection that nobody has. */
const NO_CONNECTION = 'con_00000000000000000000000000000001';

/** An alert rule that nobody has. */
const NO_RULE = 'alr_00000000000000000000000000000001';

/** Every root field, who opens it, and a call that then succeeds. */
const FIELDS: Record<string, FieldRow> = {
  'Query.viewer': { opens: 'everyone', call: () => '{ viewer { kind } }' },
  'Query.invitationOffer': { opens: 'everyone', call: () => '{ invitationOffer(token: "x") { role } }' },
  'Query.accountFigures': { opens: 'operator', call: () => '{ accountFigures { attempts } }' },
  'Query.recipients': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer', 'support'],
    call: () => '{ recipients(endingWith: "0100") }',
  },
  'Query.sessions': { opens: 'operator', people: ROLES, call: () => '{ sessions { id } }' },
  'Query.roles': { opens: 'operator', people: ROLES, call: () => '{ roles { role } }' },
  'Query.rights': { opens: 'operator', people: ROLES, call: () => '{ rights { right } }' },
  'Query.users': { opens: 'operator', people: ROLES, call: () => '{ users { id } }' },
  'Query.invitations': { opens: 'operator', people: ['owner'], call: () => '{ invitations { id } }' },
  // Callers that are let in get INVALID_INPUT: the email is empty.
  'Mutation.signIn': {
    opens: 'everyone',
    hears: 'INVALID_INPUT',
    call: () => 'mutation { signIn(input: { email: "", password: "x" }) { kind } }',
  },
  'Mutation.signInAsOperator': {
    opens: 'everyone',
    hears: 'INVALID_INPUT',
    call: () => `mutation { signInAsOperator(input: { token: "${'x'.repeat(2_000)}" }) { kind } }`,
  },
  'Mutation.acceptInvitation': {
    opens: 'everyone',
    call: () => 'mutation { acceptInvitation(input: { token: "x", password: "a long password" }) { kind } }',
  },
  'Mutation.changePassword': {
    opens: 'operator',
    people: ROLES,
    hears: 'INVALID_INPUT',
    call: () => 'mutation { changePassword(input: { current: "x", new: "short" }) { id } }',
  },
  // Callers that are let in get INVALID_INPUT: the code is too long.
  'Mutation.signInWithCode': {
    opens: 'everyone',
    hears: 'INVALID_INPUT',
    call: () => `mutation { signInWithCode(input: { code: "${LONG}" }) { kind } }`,
  },
  'Query.signInOptions': { opens: 'everyone', call: () => '{ signInOptions { oidcName } }' },
  // Callers that are let in get INVALID_INPUT: the password is too short.
  'Mutation.resetPassword': {
    opens: 'everyone',
    hears: 'INVALID_INPUT',
    call: () => 'mutation { resetPassword(input: { token: "x", password: "short" }) }',
  },
  'Mutation.requestPasswordReset': {
    opens: 'everyone',
    call: () => 'mutation { requestPasswordReset(input: { email: "a@b.example" }) }',
  },
  'Mutation.startOidc': { opens: 'everyone', call: () => 'mutation { startOidc }' },
  'Mutation.signInByOidc': {
    opens: 'everyone',
    hears: 'INVALID_INPUT',
    call: () => 'mutation { signInByOidc(input: { address: "" }) { kind } }',
  },
  'Mutation.startSecondFactor': {
    opens: 'operator',
    people: ROLES,
    hears: 'INVALID_INPUT',
    call: () => `mutation { startSecondFactor(input: { password: "${LONG}" }) { uri } }`,
  },
  'Mutation.confirmSecondFactor': {
    opens: 'operator',
    people: ROLES,
    hears: 'INVALID_INPUT',
    call: () => `mutation { confirmSecondFactor(input: { code: "${LONG}" }) { codes } }`,
  },
  'Mutation.renewRecoveryCodes': {
    opens: 'operator',
    people: ROLES,
    hears: 'INVALID_INPUT',
    call: () => `mutation { renewRecoveryCodes(input: { password: "x", code: "${LONG}" }) { codes } }`,
  },
  'Mutation.turnOffSecondFactor': {
    opens: 'operator',
    people: ROLES,
    hears: 'INVALID_INPUT',
    call: () => `mutation { turnOffSecondFactor(input: { password: "x", code: "${LONG}" }) { id } }`,
  },
  'Mutation.takeSecondFactorAway': {
    opens: 'operator',
    people: ['owner'],
    call: () => 'mutation { takeSecondFactorAway(userId: "usr_00000000000000000000000000000001") { id } }',
  },
  'Mutation.requireSecondFactor': {
    opens: 'operator',
    people: ['owner'],
    call: id => `mutation { requireSecondFactor(input: { accountId: "${id}", isRequired: false }) { id } }`,
  },
  'Mutation.signOut': { opens: 'everyone', call: () => 'mutation { signOut }' },
  'Mutation.signOutEverywhere': { opens: 'operator', people: ROLES, call: () => 'mutation { signOutEverywhere }' },
  'Mutation.revokeSession': {
    opens: 'operator',
    people: ROLES,
    call: () => 'mutation { revokeSession(sessionId: "ses_00000000000000000000000000000001") { id } }',
  },
  'Mutation.inviteUser': {
    opens: 'operator',
    people: ['owner'],
    call: id =>
      `mutation { inviteUser(input: { accountId: "${id}", email: "a@b.example", role: VIEWER }) { invitation { id } } }`,
  },
  'Mutation.revokeInvitation': {
    opens: 'operator',
    people: ['owner'],
    call: () => 'mutation { revokeInvitation(invitationId: "inv_00000000000000000000000000000001") { id } }',
  },
  'Mutation.updateUser': {
    opens: 'operator',
    people: ['owner'],
    call: () => 'mutation { updateUser(input: { userId: "usr_00000000000000000000000000000001" }) { id } }',
  },
  'Mutation.removeUser': {
    opens: 'operator',
    people: ['owner'],
    call: () => 'mutation { removeUser(userId: "usr_00000000000000000000000000000001") { id } }',
  },
  'Query.account': { opens: ANY, call: () => '{ account { id } }' },
  'Query.accounts': { opens: 'operator', call: () => '{ accounts { id } }' },
  'Query.alertSettings': { opens: ['management'], call: () => '{ alertSettings { sendsMail } }' },
  'Query.alertRules': { opens: ['management'], call: () => '{ alertRules { id } }' },
  'Query.alerts': { opens: ['management'], call: () => '{ alerts { nodes { id } } }' },
  'Query.auditActions': { opens: 'management and operator', call: () => '{ auditActions }' },
  'Query.auditEntries': { opens: 'management and operator', call: () => '{ auditEntries { edges { node { id } } } }' },
  'Query.exportRecipient': {
    opens: 'management and operator',
    people: ['owner'],
    call: id => `{ exportRecipient(to: "+12025550168", accountId: "${id}") { to } }`,
  },
  'Query.balance': { opens: ANY, call: () => '{ balance { id } }' },
  'Query.connections': { opens: 'management and operator', call: () => '{ connections { id } }' },
  'Query.connectionGaps': { opens: 'management and operator', call: () => '{ connectionGaps }' },
  'Query.cloudTemplates': { opens: 'management and operator', call: () => '{ cloudTemplates { nodes { id } } }' },
  'Query.templateConnections': {
    opens: 'management and operator',
    call: () => '{ templateConnections { name } }',
  },
  'Query.providers': { opens: 'management and operator', call: () => '{ providers { id } }' },
  'Query.creditDays': { opens: ['unified', 'management'], call: () => '{ creditDays(days: 1) { spent } }' },
  'Query.gatewayStatus': { opens: 'operator', call: () => '{ gatewayStatus { version } }' },
  'Query.doctor': { opens: 'operator', call: () => '{ doctor { status } }' },
  'Query.ledger': { opens: ['unified', 'sms', 'management'], call: () => '{ ledger { edges { node { id } } } }' },
  'Query.ledgerFaults': { opens: 'operator', call: () => '{ ledgerFaults { kind } }' },
  'Query.inboundMessages': {
    opens: ['unified', 'management'],
    call: () => '{ inboundMessages { edges { node { id } } } }',
  },
  'Query.people': {
    opens: ['unified', 'management'],
    people: READERS,
    call: () => '{ people { edges { node { id } } } }',
  },
  'Query.person': {
    opens: ['unified', 'management'],
    people: READERS,
    call: () => '{ person(to: "+12025550166") { id } }',
  },
  'Query.conversation': {
    opens: ['unified', 'management'],
    people: READERS,
    call: () => '{ conversation(to: "+12025550166") { edges { cursor } } }',
  },
  'Query.unreadPeople': { opens: ['unified', 'management'], people: READERS, call: () => '{ unreadPeople }' },
  'Query.suppressions': { opens: ['unified', 'management'], call: () => '{ suppressions { edges { node { id } } } }' },
  'Query.optOutSettings': { opens: ['unified', 'management'], call: () => '{ optOutSettings { stopsOtps } }' },
  'Query.autoReplies': { opens: ['unified', 'management'], call: () => '{ autoReplies { keyword } }' },
  'Query.logs': { opens: ANY, call: () => '{ logs { edges { node { id } } } }' },
  'Query.message': {
    opens: ['unified', 'sms', 'management'],
    call: () => '{ message(id: "msg_00000000000000000000000000000000") { id } }',
  },
  'Query.messages': { opens: ['unified', 'sms', 'management'], call: () => '{ messages { edges { node { id } } } }' },
  'Query.otp': {
    opens: ['unified', 'otp', 'management'],
    call: () => '{ otp(pinId: "pin_00000000000000000000000000000000") { id } }',
  },
  'Query.otpSettings': { opens: ['unified', 'management'], call: () => '{ otpSettings { id } }' },
  'Query.otpSummary': { opens: ['unified', 'otp', 'management'], call: () => '{ otpSummary { sent } }' },
  'Query.otps': { opens: ['unified', 'otp', 'management'], call: () => '{ otps { edges { node { id } } } }' },
  'Query.overview': { opens: ['unified', 'management'], call: () => '{ overview { to notices { kind name } } }' },
  'Query.sends': { opens: ANY, call: () => '{ sends { pageInfo { hasNextPage } } }' },
  'Query.logHistogram': { opens: ['unified', 'management'], call: () => '{ logHistogram { to } }' },
  'Query.plants': { opens: ANY, call: () => '{ plants { id } }' },
  'Query.previewOtp': {
    opens: ['unified', 'otp'],
    people: ['owner', 'developer'],
    call: () => '{ previewOtp(input: { to: "+12025550100" }) { credits } }',
  },
  'Query.previewSend': {
    opens: ['unified', 'sms'],
    people: READERS,
    call: () =>
      '{ previewSend(input: { to: "+12025550100", text: "Hello", channels: [SMS], sender: "ACME" }) { credits } }',
  },
  'Query.sandboxMessages': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer'],
    call: () => '{ sandboxMessages(to: "+12025550100") { id } }',
  },
  'Query.sandboxPhones': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer'],
    call: () => '{ sandboxPhones { number } }',
  },
  'Query.sandboxWaitForCode': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer'],
    call: () => '{ sandboxWaitForCode(to: "+12025550100", timeoutSeconds: 1) { code } }',
  },
  'Query.sandboxWaitForText': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer'],
    call: () => '{ sandboxWaitForText(to: "+12025550100", timeoutSeconds: 1) { id } }',
  },
  'Query.senderRules': { opens: 'operator', call: () => '{ senderRules { id } }' },
  'Query.senders': { opens: ANY, call: () => '{ senders { id } }' },
  'Query.requests': { opens: 'management and operator', call: () => '{ requests { edges { node { id } } } }' },
  'Query.tokens': { opens: 'management and operator', call: () => '{ tokens { id } }' },
  'Query.webhookDeliveries': {
    opens: ['management'],
    call: () => `{ webhookDeliveries(endpointId: "${NO_ENDPOINT}") { edges { node { id } } } }`,
  },
  'Query.webhookDelivery': {
    opens: ['management'],
    call: () => `{ webhookDelivery(deliveryId: "${NO_DELIVERY}") { id } }`,
  },
  'Query.webhookEndpoint': {
    opens: ['management'],
    call: () => `{ webhookEndpoint(endpointId: "${NO_ENDPOINT}") { id } }`,
  },
  'Query.webhookEndpoints': { opens: ['management'], call: () => '{ webhookEndpoints { total } }' },
  'Query.webhookEventKinds': { opens: ['management'], call: () => '{ webhookEventKinds { event } }' },
  'Mutation.addSender': {
    opens: 'operator',
    call: id => `mutation { addSender(input: { accountId: "${id}", name: "NEW" }) { id } }`,
  },
  'Mutation.adjustBalance': {
    opens: 'operator',
    call: id => `mutation { adjustBalance(input: { accountId: "${id}", credits: 1, reason: "test" }) { id } }`,
  },
  'Mutation.approveSender': {
    opens: 'operator',
    call: id => `mutation { approveSender(input: { accountId: "${id}", name: "ACME" }) { id } }`,
  },
  'Mutation.createAccount': {
    opens: 'operator',
    call: () => 'mutation { createAccount(input: { name: "New" }) { id } }',
  },
  'Mutation.createConnection': {
    opens: 'operator',
    call: id =>
      `mutation { createConnection(input: { accountId: "${id}", provider: "http-sms", channel: SMS, name: "A", config: { request: { url: "http://127.0.0.1:9/send" } }, countries: ["KI"] }) { id } }`,
  },
  'Mutation.updateConnection': {
    opens: 'operator',
    call: () => `mutation { updateConnection(input: { connectionId: "${NO_CONNECTION}" }) { id } }`,
  },
  'Mutation.deleteConnection': {
    opens: 'operator',
    call: () => `mutation { deleteConnection(connectionId: "${NO_CONNECTION}") { id } }`,
  },
  'Mutation.testConnection': {
    opens: 'operator',
    call: () => `mutation { testConnection(connectionId: "${NO_CONNECTION}", to: "+12025550100") { outcome } }`,
  },
  'Mutation.probeConnection': {
    opens: 'operator',
    call: () =>
      `mutation { probeConnection(input: { provider: "http-sms", config: {}, connectionId: "${NO_CONNECTION}" }) { result } }`,
  },
  'Mutation.renewReceiptsUrl': {
    opens: 'operator',
    call: () => `mutation { renewReceiptsUrl(connectionId: "${NO_CONNECTION}") { id } }`,
  },
  'Mutation.acceptChatRisks': {
    opens: 'operator',
    call: () => `mutation { acceptChatRisks(input: { connectionId: "${NO_CONNECTION}", name: "Ada" }) { id } }`,
  },
  'Mutation.unlinkConnection': {
    opens: 'operator',
    call: () => `mutation { unlinkConnection(connectionId: "${NO_CONNECTION}") { id } }`,
  },
  'Mutation.syncTemplates': {
    opens: 'operator',
    call: () => `mutation { syncTemplates(connectionId: "${NO_CONNECTION}") { result } }`,
  },
  'Mutation.createOtpTemplate': {
    opens: 'operator',
    call: () =>
      `mutation { createOtpTemplate(input: { connectionId: "${NO_CONNECTION}", name: "codes", language: "en_US" }) { result } }`,
  },
  'Mutation.clearSandbox': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer'],
    call: () => 'mutation { clearSandbox }',
  },
  'Mutation.createPlant': {
    opens: ANY,
    call: () => `mutation { createPlant(input: { id: ${nextPlantId()}, name: "a" }) { id } }`,
  },
  'Mutation.createToken': {
    opens: 'operator',
    people: ['owner', 'developer'],
    call: id => `mutation { createToken(input: { accountId: "${id}", area: SMS }) { token { id } } }`,
  },
  'Mutation.createAlertRule': {
    opens: ['management'],
    call: () => 'mutation { createAlertRule(input: { kind: CONNECTION_DOWN }) { id } }',
  },
  'Mutation.updateAlertRule': {
    opens: ['management'],
    call: () => `mutation { updateAlertRule(input: { ruleId: "${NO_RULE}" }) { id } }`,
  },
  'Mutation.deleteAlertRule': {
    opens: ['management'],
    call: () => `mutation { deleteAlertRule(ruleId: "${NO_RULE}") { id } }`,
  },
  'Mutation.testAlertRule': {
    opens: ['management'],
    call: () => `mutation { testAlertRule(ruleId: "${NO_RULE}") { text } }`,
  },
  'Mutation.createWebhookEndpoint': {
    opens: ['management'],
    call: () =>
      'mutation { createWebhookEndpoint(input: { url: "https://8.8.8.8/", events: ["otp.sent"] }) { endpoint { id } } }',
  },
  'Mutation.deleteWebhookEndpoint': {
    opens: ['management'],
    call: () => `mutation { deleteWebhookEndpoint(endpointId: "${NO_ENDPOINT}") { id } }`,
  },
  'Mutation.enableWebhookEndpoint': {
    opens: ['management'],
    call: () => `mutation { enableWebhookEndpoint(endpointId: "${NO_ENDPOINT}") { id } }`,
  },
  'Mutation.forgetSecretKey': {
    opens: 'operator',
    call: () => 'mutation { forgetSecretKey(keyId: "00000000") { keyId } }',
  },
  'Mutation.migrate': { opens: 'operator', call: () => 'mutation { migrate }' },
  'Mutation.recoverWebhooks': {
    opens: ['management'],
    people: RESENDERS,
    call: () => `mutation { recoverWebhooks(endpointId: "${NO_ENDPOINT}", since: "2026-01-01T00:00:00Z") { count } }`,
  },
  'Mutation.redeliverWebhook': {
    opens: ['management'],
    people: RESENDERS,
    call: () => `mutation { redeliverWebhook(deliveryId: "${NO_DELIVERY}") { id } }`,
  },
  'Mutation.redeliverWebhooks': {
    opens: ['management'],
    people: RESENDERS,
    call: () => `mutation { redeliverWebhooks(endpointId: "${NO_ENDPOINT}") { count } }`,
  },
  'Mutation.removeSenderRule': {
    opens: 'operator',
    call: () => 'mutation { removeSenderRule(country: "FR") { id } }',
  },
  'Mutation.markRead': {
    opens: ['unified', 'management'],
    people: READERS,
    call: () => `mutation { markRead(input: { to: "+12025550166", messageId: "${NO_MESSAGE}" }) { id } }`,
    hears: 'INVALID_INPUT',
  },
  'Mutation.addNote': {
    opens: ['unified', 'management'],
    people: READERS,
    call: () => 'mutation { addNote(input: { to: "+12025550166", text: "Calls at noon." }) { id } }',
  },
  'Mutation.removeNote': {
    opens: ['unified', 'management'],
    people: READERS,
    call: () => 'mutation { removeNote(id: "not_00000000000000000000000000000000") { id } }',
  },
  'Mutation.reply': {
    opens: ['unified', 'sms'],
    people: READERS,
    call: () => `mutation { reply(input: { replyTo: "${NO_MESSAGE}", text: "Hello" }) { id } }`,
    hears: 'INVALID_INPUT',
  },
  'Mutation.resendMessage': {
    opens: ['unified', 'sms'],
    people: RESENDERS,
    call: () => `mutation { resendMessage(input: { messageId: "${NO_MESSAGE}" }) { id } }`,
  },
  'Mutation.resendOtp': {
    opens: ['unified', 'otp'],
    people: RESENDERS,
    call: () => `mutation { resendOtp(input: { pinId: "${NO_PIN}" }) { id } }`,
  },
  'Mutation.updateToken': {
    opens: 'management and operator',
    call: () =>
      'mutation { updateToken(input: { tokenId: "tok_00000000000000000000000000000000", name: "x" }) { id } }',
  },
  'Mutation.revokeToken': {
    opens: 'management and operator',
    call: () => 'mutation { revokeToken(tokenId: "tok_00000000000000000000000000000000") { id } }',
  },
  'Mutation.rotateWebhookSecret': {
    opens: ['management'],
    call: () => `mutation { rotateWebhookSecret(endpointId: "${NO_ENDPOINT}") { endpoint { id } } }`,
  },
  'Mutation.seedDemo': { opens: 'operator', call: () => 'mutation { seedDemo { accountId } }' },
  'Mutation.sendMessage': {
    opens: ['unified', 'sms'],
    call: () => 'mutation { sendMessage(input: { to: "+12025550100", text: "Hello", sender: "ACME" }) { id } }',
  },
  'Mutation.sandboxNextReceipt': {
    opens: ['unified', 'management'],
    call: () => 'mutation { sandboxNextReceipt(to: "+12025550199", outcome: FAILED) }',
  },
  'Mutation.sandboxReply': {
    opens: ['unified', 'management'],
    call: () => 'mutation { sandboxReply(input: { phone: "+12025550100", to: "ACME", text: "Hello" }) { id } }',
  },
  'Mutation.sandboxReceipt': {
    opens: ['unified', 'management'],
    call: () => `mutation { sandboxReceipt(id: "${NO_TEXT}", outcome: READ) { id } }`,
  },
  'Mutation.sendOtp': {
    opens: ['unified', 'otp'],
    call: () => 'mutation { sendOtp(input: { to: "+12025550100" }) { id } }',
  },
  'Mutation.setOtpTemplate': {
    opens: 'operator',
    call: id =>
      `mutation { setOtpTemplate(input: { accountId: "${id}", address: "15550000002", name: "a", language: "en" }) { id } }`,
  },
  'Mutation.setTemplateRequired': {
    opens: 'operator',
    call: id =>
      `mutation { setTemplateRequired(input: { accountId: "${id}", address: "15550000002", isRequired: true }) { id } }`,
  },
  'Mutation.setSenderRule': {
    opens: 'operator',
    call: () => 'mutation { setSenderRule(input: { country: "DE", alphanumeric: ALLOWED }) { id } }',
  },
  'Mutation.testWebhookEndpoint': {
    opens: ['management'],
    call: () => `mutation { testWebhookEndpoint(endpointId: "${NO_ENDPOINT}") { id } }`,
  },
  'Mutation.triggerWebhookEvent': {
    opens: ['management'],
    call: () => 'mutation { triggerWebhookEvent(event: OTP_SENT) { eventId } }',
  },
  'Mutation.updateAccount': {
    opens: 'operator',
    call: id => `mutation { updateAccount(input: { accountId: "${id}" }) { id } }`,
  },
  'Mutation.updateBilling': {
    opens: 'operator',
    call: id => `mutation { updateBilling(input: { accountId: "${id}" }) { id } }`,
  },
  'Mutation.updateRequestLog': {
    opens: 'management and operator',
    call: id => `mutation { updateRequestLog(input: { accountId: "${id}", accepted: false }) { id } }`,
  },
  'Mutation.updateOtpSettings': {
    opens: 'operator',
    call: id => `mutation { updateOtpSettings(input: { accountId: "${id}" }) { id } }`,
  },
  'Mutation.suppress': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer', 'support'],
    call: () => 'mutation { suppress(input: { to: "+12025550166" }) { id } }',
  },
  'Mutation.unsuppress': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer', 'support'],
    call: () => 'mutation { unsuppress(to: "+12025550167") { id } }',
  },
  'Mutation.eraseRecipient': {
    opens: 'management and operator',
    people: ['owner'],
    call: id => `mutation { eraseRecipient(to: "+12025550168", accountId: "${id}") { isSuppressed } }`,
  },
  'Mutation.updateOptOutSettings': {
    opens: ['management'],
    call: () => 'mutation { updateOptOutSettings(input: {}) { stopsOtps } }',
  },
  'Mutation.setAutoReply': {
    opens: ['management'],
    call: () => 'mutation { setAutoReply(input: { keyword: "hours", text: "From 9 to 18." }) { keyword } }',
  },
  'Mutation.removeAutoReply': {
    opens: ['management'],
    call: () => 'mutation { removeAutoReply(keyword: "hours") { keyword } }',
  },
  'Mutation.updateRegion': {
    opens: ['management'],
    call: () => 'mutation { updateRegion(input: {}) { id } }',
  },
  'Mutation.updateWebhookEndpoint': {
    opens: ['management'],
    call: () => `mutation { updateWebhookEndpoint(input: { endpointId: "${NO_ENDPOINT}" }) { id } }`,
  },
  'Mutation.verifyOtp': {
    opens: ['unified', 'otp'],
    call: () => `mutation { verifyOtp(input: { pinId: "${NO_PIN}", pin: "123456" }) { id } }`,
  },
  'Subscription.inboundMessageAdded': {
    opens: ['unified', 'management'],
    call: () => 'subscription { inboundMessageAdded { id } }',
  },
  'Subscription.linkConnection': {
    opens: 'operator',
    call: () => `subscription { linkConnection(connectionId: "${NO_CONNECTION}", method: QR) { state } }`,
  },
  'Subscription.logAdded': { opens: ANY, call: () => 'subscription { logAdded { id } }' },
  'Subscription.sandboxMessageAdded': {
    opens: ['unified', 'management'],
    people: ['owner', 'developer'],
    call: () => 'subscription { sandboxMessageAdded { id } }',
  },
  'Subscription.webhookTryAdded': { opens: ['management'], call: () => 'subscription { webhookTryAdded { id } }' },
  'Subscription.webhookEventAdded': {
    opens: ['management'],
    call: () => 'subscription { webhookEventAdded(events: ["otp.sent", MESSAGE_SENT]) { id } }',
  },
};

let plantId = 0;
function nextPlantId(): number {
  plantId += 1;
  return plantId;
}

function rootFields(schema: GraphQLSchema): string[] {
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(type =>
    Object.keys(type?.getFields() ?? {}).map(field => `${type?.name}.${field}`),
  );
}

/** The answer to a caller: `ok`, or the code of the refusal. */
function expected(opens: Opens, caller: Caller): string {
  if (opens === 'everyone') return 'ok';
  if (caller === 'nobody' || caller === 'revoked token' || caller === 'expired token') return 'UNAUTHENTICATED';
  if (caller === 'operator') return typeof opens === 'string' ? 'ok' : 'INVALID_INPUT';
  if (caller === 'operator for the account') return 'ok';
  const areas = opens === 'operator' ? [] : opens === 'management and operator' ? ['management'] : opens;
  return areas.includes(caller) ? 'ok' : 'WRONG_AREA';
}

/** The people who may, if the row does not say. */
function peopleOf(name: string, { opens, people: own }: FieldRow): readonly Role[] {
  if (own) return own;
  if (opens === 'operator') return [];
  return name.startsWith('Mutation.') && opens !== 'everyone' ? ['owner', 'developer'] : ROLES;
}

async function ask(query: string, headers: Record<string, string>): Promise<string> {
  if (query.startsWith('subscription')) return follow(query, headers);
  const { errors } = await on.graphql(query, { headers });
  // A caller that gets NOT_FOUND for a token or a pin was let in.
  const codes = errors?.map(error => error.extensions.code).filter(code => !/^(OTP_)?NOT_FOUND$/.test(code)) ?? [];
  return codes.join() || 'ok';
}

async function follow(query: string, headers: Record<string, string>): Promise<string> {
  const { app } = on;
  const session = headers.cookie?.split('=')[1];
  const actor = await (session === undefined
    ? app.authenticator.authenticate(headers.authorization, headers['x-account-id'])
    : app.authenticator.session(session)
  ).catch(() => ({ kind: 'anonymous' }) as const);
  const contextValue = app.makeCtx(actor, 'test');
  const result = await subscribe({ schema: app.schema, document: parse(query), contextValue });
  if ('errors' in result) {
    const original = result.errors?.[0]?.originalError;
    const code = original && 'code' in original ? String(original.code).toUpperCase() : String(original);
    return code === 'NOT_FOUND' ? 'ok' : code;
  }
  if (Symbol.asyncIterator in result) await result.return(undefined);
  return 'ok';
}

describe('the areas of the fields', () => {
  test('every root field has a row in the table of this file', () => {
    expectRows('FIELDS', Object.keys(FIELDS), rootFields(on.app.schema));
  });

  test.each(Object.entries(FIELDS))('%s', async (_name, { opens, call, hears = 'ok' }) => {
    const heard: Record<string, string> = {};
    for (const caller of CALLERS)
      heard[caller] = await ask(call(customer.accountId), credentialsOf(caller, customer, dead));
    const wanted = CALLERS.map(caller => [caller, expected(opens, caller)]);
    expect(heard).toEqual(Object.fromEntries(wanted.map(([caller, code]) => [caller, code === 'ok' ? hears : code])));
  });
});

describe('the roles of the people', () => {
  test.each(Object.entries(FIELDS))('%s', async (name, row) => {
    const heard: Record<string, string> = {};
    // A session of its own for each call: some end it.
    for (const role of ROLES) heard[role] = await ask(row.call(customer.accountId), await openPage(on, people[role]));
    const open = peopleOf(name, row);
    const wanted = ROLES.map(role => [role, open.includes(role) ? (row.hears ?? 'ok') : 'WRONG_AREA']);
    expect(heard).toEqual(Object.fromEntries(wanted));
  });

  test('are those that the policies of the schema name', () => {
    const { schema } = on.app;
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const told = roots.flatMap(type =>
      Object.values(type?.getFields() ?? {}).map(field => [`${type?.name}.${field.name}`, policyOf(field)?.people]),
    );
    const wanted = Object.entries(FIELDS).map(([name, row]) => [name, peopleOf(name, row)]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(wanted));
  });
});

interface RouteRow {
  readonly opens: readonly Area[];
  /** A body that is taken from those who are let in. */
  readonly body?: () => object;
  /** The answer that they hear, as status and code; `200` unless told. */
  readonly hears?: string;
  /** Whether its refusals have a code; absent: they do. */
  readonly hasCodes?: false;
}

const SEND_OTP = { body: () => ({ to: '+12025550100' }) };
const VERIFY_OTP = { body: () => ({ pinId: NO_PIN, pin: '123456' }), hears: '404 otp_not_found' };

/** Every route, and who opens it. */
const ROUTES: Record<string, RouteRow> = {
  'POST /api/omni/send': { opens: ['unified'], body: () => SMS },
  'POST /api/omni/otp/send': { opens: ['unified'], ...SEND_OTP },
  'POST /api/omni/otp/verify': { opens: ['unified'], ...VERIFY_OTP },
  'GET /api/omni/logs': { opens: ['unified'] },
  'POST /api/sms/send': { opens: ['sms'], body: () => SMS },
  'POST /api/sms/otp/send': { opens: ['otp'], ...SEND_OTP },
  'POST /api/sms/otp/verify': { opens: ['otp'], ...VERIFY_OTP },
  'GET /api/sms/otp/logs': { opens: ['otp'] },
  'POST /plants': { opens: ANY, body: () => ({ id: nextPlantId(), name: 'a' }), hasCodes: false },
};

describe('the areas of the routes', () => {
  test('every route has a row in the table of this file', () => {
    expectRows(
      'ROUTES',
      Object.keys(ROUTES),
      routes.map(route => `${route.method} ${route.path}`),
    );
  });

  test.each(Object.entries(ROUTES))('%s', async (name, { opens, body, hears = '200', hasCodes = true }) => {
    const [method = '', path = ''] = name.split(' ');
    const heard: Record<string, string> = {};
    for (const caller of CALLERS) {
      const headers = credentialsOf(caller, customer, dead);
      const answer = await on.rest(method, path, { headers, body: body?.() });
      const { status } = answer;
      const { code } = answer.body;
      if (status !== 200 && code !== undefined) expectProblem(answer, status, code);
      heard[caller] = code === undefined ? String(status) : `${status} ${code}`;
    }
    // A session opens no path: a page cannot be made to send by one.
    const headers = await openPage(on, people.owner);
    expect((await on.rest(method, path, { headers, body: body?.() })).status).toBe(401);
    const answers: Record<string, string> = {
      ok: hears,
      UNAUTHENTICATED: '401 unauthenticated',
      WRONG_AREA: '403 wrong_area',
      INVALID_INPUT: '400 invalid_input',
    };
    const wanted = CALLERS.map(caller => [
      caller,
      answers[expected(opens, caller)]?.slice(0, hasCodes ? undefined : 3),
    ]);
    expect(heard).toEqual(Object.fromEntries(wanted));
  });

  test.each(['/healthz', '/readyz', '/metrics', '/openapi.json'])('%s is open to everyone', async path => {
    for (const caller of CALLERS) {
      const headers = credentialsOf(caller, customer, dead);
      expect((await on.rest('GET', path, { headers })).status).toBe(200);
    }
  });
});

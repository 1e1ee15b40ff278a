/** Every operation of the command line, with the shape of its answer. Words come in lower case, as in REST. */
import { z } from 'zod';
import { FINDING_STATUSES } from '../../modules/doctor/finding.ts';
import { BILLING_OPERATIONS } from './billing-operations.ts';
import { operation, text, time, word } from './operation.ts';
import { WEBHOOK_OPERATIONS } from './webhook-operations.ts';

const account = z.object({
  accountId: text,
  name: text,
  unifiedApi: z.boolean(),
  planExpiresAt: time.nullable(),
  credits: z.int(),
  rateLimit: z.int().nullable(),
  createdAt: time,
});
const accountFields = 'accountId name unifiedApi planExpiresAt credits rateLimit createdAt';

const token = z.object({
  tokenId: text,
  accountId: text,
  area: word,
  prefix: text,
  createdAt: time,
  lastUsedAt: time.nullable(),
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
});
const tokenFields = 'tokenId accountId area prefix createdAt lastUsedAt expiresAt revokedAt';

const auditEntry = z.object({
  id: text,
  accountId: text.nullable(),
  action: text,
  subject: text.nullable(),
  actor: word,
  tokenId: text.nullable(),
  clientAddress: text.nullable(),
  requestId: text,
  details: z.record(z.string(), z.unknown()),
  createdAt: time,
});
const auditFields = 'id accountId action subject actor tokenId clientAddress requestId details createdAt';

const sender = z.object({
  id: text,
  channel: word,
  name: text,
  approved: z.boolean(),
  approvedAt: time.nullable(),
  isDefault: z.boolean(),
  createdAt: time,
});
const senderFields = 'id channel name approved approvedAt isDefault createdAt';

const otpSettings = z.object({
  accountId: text,
  cooldownSeconds: z.int(),
  sendsPerHour: z.int(),
  sendsPerDay: z.int(),
  wrongCodesPerDay: z.int(),
  wrongCodesPerAddress: z.int(),
  wrongCodesPerAccount: z.int(),
  countries: z.array(text).nullable(),
  fraudMode: word,
});
const otpSettingsFields =
  'accountId cooldownSeconds sendsPerHour sendsPerDay wrongCodesPerDay wrongCodesPerAddress wrongCodesPerAccount countries fraudMode';

const cloudNumber = z.object({
  id: text,
  channel: word,
  name: text,
  otpTemplate: z.object({ name: text, language: text }).nullable(),
});

const attempt = z.object({
  attemptId: text,
  channel: word,
  provider: text.nullable(),
  status: word,
  errorCode: text.nullable(),
  errorMessage: text.nullable(),
  segments: z.int(),
  credits: z.int(),
  startedAt: time,
  finishedAt: time.nullable(),
});

const message = z.object({
  messageId: text,
  reference: text.nullable(),
  recipient: text,
  status: word,
  deliveryMode: word,
  channels: z.array(word),
  channel: word.nullable(),
  sender: text.nullable(),
  chatFrom: text.nullable(),
  segments: z.int(),
  attempts: z.array(attempt),
  createdAt: time,
});

const logEntry = z.object({
  id: text,
  type: word,
  messageId: text.nullable(),
  pinId: text.nullable(),
  channel: word.nullable(),
  provider: text.nullable(),
  recipient: text,
  sender: text.nullable(),
  reference: text.nullable(),
  status: word,
  errorCode: text.nullable(),
  errorMessage: text.nullable(),
  segments: z.int(),
  credits: z.int(),
  latencyMs: z.int().nullable(),
  createdAt: time,
});
const logFields =
  'id type messageId pinId channel provider recipient sender reference status errorCode errorMessage segments credits latencyMs createdAt';

const findingStatus = word.pipe(z.enum(FINDING_STATUSES));

/** An account, as commands show it. */
export type AccountData = z.output<typeof account>;
/** A token without its secret, as commands show it. */
export type TokenData = z.output<typeof token>;
/** An entry of the audit trail, as `audit list` shows it. */
export type AuditEntryData = z.output<typeof auditEntry>;
/** A sender, as commands show it. */
export type SenderData = z.output<typeof sender>;
/** The OTP settings of an account, as commands show them. */
export type OtpSettingsData = z.output<typeof otpSettings>;
/** A message with its attempts, as `send` shows it. */
export type MessageData = z.output<typeof message>;
/** An entry of the log, as `logs` shows it. */
export type LogEntryData = z.output<typeof logEntry>;

/** The operations by name. */
export const OPERATIONS = {
  seedDemo: operation(
    'mutation SeedDemo { result: seedDemo { url accountId tokens dashboard } }',
    z.object({
      url: text,
      accountId: text,
      tokens: z.record(z.string(), text),
      dashboard: z.record(z.string(), text),
    }),
  ),
  migrate: operation('mutation Migrate { result: migrate }', z.array(text)),
  createAccount: operation(
    `mutation CreateAccount($input: CreateAccountInput!) { result: createAccount(input: $input) { ${accountFields} } }`,
    account,
  ),
  accounts: operation(`query Accounts { result: accounts { ${accountFields} } }`, z.array(account)),
  updateAccount: operation(
    `mutation UpdateAccount($input: UpdateAccountInput!) { result: updateAccount(input: $input) { ${accountFields} } }`,
    account,
  ),
  createToken: operation(
    'mutation CreateToken($input: CreateTokenInput!) { result: createToken(input: $input) { token { tokenId area expiresAt } secret } }',
    z.object({ token: z.object({ tokenId: text, area: word, expiresAt: time.nullable() }), secret: text }),
  ),
  tokens: operation(
    `query Tokens($accountId: String) { result: tokens(accountId: $accountId) { ${tokenFields} } }`,
    z.array(token),
  ),
  revokeToken: operation(
    `mutation RevokeToken($tokenId: String!) { result: revokeToken(tokenId: $tokenId) { ${tokenFields} } }`,
    token,
  ),
  auditEntries: operation(
    `query AuditEntries($accountId: String, $first: Int, $filter: AuditFilter) {
      result: auditEntries(accountId: $accountId, first: $first, filter: $filter) { edges { node { ${auditFields} } } }
    }`,
    z.object({ edges: z.array(z.object({ node: auditEntry })) }),
  ),
  forgetSecretKey: operation(
    'mutation ForgetSecretKey($keyId: String!) { result: forgetSecretKey(keyId: $keyId) { keyId passcodes endpoints } }',
    z.object({ keyId: text, passcodes: z.int(), endpoints: z.int() }),
  ),
  doctor: operation(
    'query Doctor { result: doctor { status findings { name status message mend } } }',
    z.object({
      status: findingStatus,
      findings: z.array(z.object({ name: text, status: findingStatus, message: text, mend: text.nullable() })),
    }),
  ),
  addSender: operation(
    `mutation AddSender($input: SenderInput!) { result: addSender(input: $input) { ${senderFields} } }`,
    sender,
  ),
  approveSender: operation(
    `mutation ApproveSender($input: SenderInput!) { result: approveSender(input: $input) { ${senderFields} } }`,
    sender,
  ),
  senders: operation(
    `query Senders($accountId: String) { result: senders(accountId: $accountId) { ${senderFields} } }`,
    z.array(sender),
  ),
  otpSettings: operation(
    `query OtpSettings($accountId: String) { result: otpSettings(accountId: $accountId) { ${otpSettingsFields} } }`,
    otpSettings,
  ),
  updateOtpSettings: operation(
    `mutation UpdateOtpSettings($input: UpdateOtpSettingsInput!) {
      result: updateOtpSettings(input: $input) { ${otpSettingsFields} }
    }`,
    otpSettings,
  ),
  setOtpTemplate: operation(
    `mutation SetOtpTemplate($input: SetOtpTemplateInput!) {
      result: setOtpTemplate(input: $input) { id channel name otpTemplate { name language } }
    }`,
    cloudNumber,
  ),
  sendMessage: operation(
    `mutation SendMessage($input: SendMessageInput!) {
      result: sendMessage(input: $input) {
        messageId reference recipient status deliveryMode channels channel sender chatFrom segments
        attempts { attemptId channel provider status errorCode errorMessage segments credits startedAt finishedAt }
        createdAt
      }
    }`,
    message,
  ),
  logs: operation(
    `query Logs($first: Int, $filter: LogFilter) {
      result: logs(first: $first, filter: $filter) { edges { node { ${logFields} } } }
    }`,
    z.object({ edges: z.array(z.object({ node: logEntry })) }),
  ),
  logAdded: operation(
    `subscription LogAdded($filter: LogFilter) { result: logAdded(filter: $filter) { ${logFields} } }`,
    logEntry,
  ),
  ...BILLING_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
} as const;

/** The list of entities and migrations, and the configuration that MikroORM's command line reads (DATABASE_DIRECT_URL or DATABASE_URL names the database). */
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/postgresql';
import { readConfig } from './src/config.ts';
import { ormOptions, postgresOptions } from './src/db/orm.ts';
import { Account } from './src/modules/accounts/account.entity.ts';
import { DashboardUser } from './src/modules/accounts/people/dashboard-user.entity.ts';
import { Invitation } from './src/modules/accounts/people/invitation.entity.ts';
import { Sender } from './src/modules/accounts/sender.entity.ts';
import { Session } from './src/modules/accounts/sign-in/session.entity.ts';
import { SignInGuard } from './src/modules/accounts/sign-in/sign-in-guard.entity.ts';
import { Token } from './src/modules/accounts/token.entity.ts';
import { Alert, AlertSend } from './src/modules/alerts/alert.entity.ts';
import { AlertRule } from './src/modules/alerts/alert-rule.entity.ts';
import { AlertState } from './src/modules/alerts/alert-state.entity.ts';
import { AuditEntry } from './src/modules/audit/audit-entry.entity.ts';
import { AutoReply } from './src/modules/auto-replies/auto-reply.entity.ts';
import { AutoReplyMark } from './src/modules/auto-replies/auto-reply-mark.entity.ts';
import { LedgerEntry } from './src/modules/billing/ledger-entry.entity.ts';
import { ChatSession } from './src/modules/chat-sessions/chat-session.entity.ts';
import { Handover } from './src/modules/chat-sessions/handovers/handover.entity.ts';
import { ChatSessionKey } from './src/modules/chat-sessions/keys/chat-session-key.entity.ts';
import { ChatContact } from './src/modules/chat-sessions/pace/chat-contact.entity.ts';
import { Connection } from './src/modules/connections/connection.entity.ts';
import { ConnectionHealth } from './src/modules/connections/health/connection-health.entity.ts';
import { ConnectionQuota } from './src/modules/connections/quotas/connection-quota.entity.ts';
import { NumberTurn } from './src/modules/connections/turns/number-turn.entity.ts';
import { PersonNote } from './src/modules/conversations/person-note.entity.ts';
import { LogCount, LogLatency, LogOtpCount, LogRollUp } from './src/modules/figures/figures.entity.ts';
import { InboundMessage } from './src/modules/inbound/inbound-message.entity.ts';
import { InboundSeen } from './src/modules/inbound/inbound-seen.entity.ts';
import { InboundPartial } from './src/modules/inbound/parts/inbound-partial.entity.ts';
import { SecretKey } from './src/modules/keys/secret-key.entity.ts';
import { RequestBucket } from './src/modules/limits/request-bucket.entity.ts';
import { Message } from './src/modules/messaging/message.entity.ts';
import { IdempotencyKey } from './src/modules/messaging/references/idempotency-key.entity.ts';
import {
  OtpAccount,
  OtpAddress,
  OtpRecipient,
  OtpSendAddress,
  OtpTraffic,
} from './src/modules/otp/limits/limits.entity.ts';
import { Otp } from './src/modules/otp/otp.entity.ts';
import { Person } from './src/modules/people/person.entity.ts';
import { PersonAddress } from './src/modules/people/person-address.entity.ts';
import { Plant } from './src/modules/plants/plant.entity.ts';
import { LoggedRequest } from './src/modules/requests/logged-request.entity.ts';
import { Blanked } from './src/modules/retention/blanked.entity.ts';
import { Attempt } from './src/modules/routing/attempt.entity.ts';
import { AttemptPart } from './src/modules/routing/attempt-part.entity.ts';
import { FollowUp } from './src/modules/routing/follow-ups/follow-up.entity.ts';
import { LateAttempt } from './src/modules/routing/receipts/late-attempt.entity.ts';
import { RoutingMark } from './src/modules/routing/recovery/routing-mark.entity.ts';
import { SandboxMessage } from './src/modules/sandbox/sandbox-message.entity.ts';
import { SandboxOrder } from './src/modules/sandbox/sandbox-order.entity.ts';
import { SenderRule } from './src/modules/sender-rules/sender-rule.entity.ts';
import { ErasureKey } from './src/modules/suppressions/erasure-key.entity.ts';
import { Suppression } from './src/modules/suppressions/suppression.entity.ts';
import { CloudTemplate } from './src/modules/templates/cloud-template.entity.ts';
import { WebhookDelivery } from './src/modules/webhooks/deliveries/webhook-delivery.entity.ts';
import { WebhookTry } from './src/modules/webhooks/deliveries/webhook-try.entity.ts';
import { WebhookEndpoint } from './src/modules/webhooks/endpoints/webhook-endpoint.entity.ts';
import { WebhookEvent } from './src/modules/webhooks/events/webhook-event.entity.ts';
import { WebhookListener } from './src/modules/webhooks/feeds/webhook-listener.entity.ts';

/** Every entity of the gateway. */
export const entities = [
  Account,
  Token,
  Sender,
  DashboardUser,
  Session,
  Invitation,
  SignInGuard,
  Message,
  Attempt,
  AttemptPart,
  FollowUp,
  Suppression,
  ErasureKey,
  Person,
  PersonAddress,
  PersonNote,
  AutoReply,
  AutoReplyMark,
  InboundMessage,
  InboundSeen,
  InboundPartial,
  RoutingMark,
  LateAttempt,
  LogCount,
  LogLatency,
  LogOtpCount,
  LogRollUp,
  IdempotencyKey,
  Plant,
  SandboxMessage,
  SandboxOrder,
  Otp,
  OtpRecipient,
  OtpAddress,
  OtpSendAddress,
  OtpAccount,
  OtpTraffic,
  RequestBucket,
  LoggedRequest,
  WebhookEndpoint,
  WebhookEvent,
  WebhookDelivery,
  WebhookTry,
  WebhookListener,
  LedgerEntry,
  AuditEntry,
  Connection,
  ConnectionHealth,
  ConnectionQuota,
  NumberTurn,
  ChatSession,
  ChatSessionKey,
  ChatContact,
  Handover,
  SecretKey,
  SenderRule,
  CloudTemplate,
  Blanked,
  AlertRule,
  AlertState,
  Alert,
  AlertSend,
];

/** For the ORM's own command line. A function, so that importing the list above reads no environment. */
export default function ormConfig() {
  const { databaseUrl, databaseDirectUrl, databaseLimits } = readConfig();
  return defineConfig({
    ...(databaseUrl === null
      ? { ...ormOptions, dbName: 'heliograph' }
      : postgresOptions({ url: databaseDirectUrl ?? databaseUrl, ...databaseLimits, statementTimeoutMs: 0 })),
    extensions: [Migrator],
    entities,
  });
}

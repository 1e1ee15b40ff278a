/** Every audited action, as `<thing>.<what was done>`. Never rename one: stored entries hold the names. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.updated',
  'otp_settings.updated',
  'otp_template.updated',
  'token.created',
  'token.revoked',
  'sender.added',
  'sender.approved',
  'endpoint.created',
  'endpoint.updated',
  'endpoint.enabled',
  'endpoint.deleted',
  'endpoint.secret_rotated',
  'endpoint.redelivered',
  'endpoint.recovered',
  'delivery.redelivered',
  'connection.created',
  'connection.updated',
  'connection.deleted',
  'connection.tested',
  'balance.adjusted',
  'billing.updated',
  'demo.seeded',
  'secret_key.forgotten',
  'sender_rule.set',
  'sender_rule.removed',
] as const;

/** One audited action. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

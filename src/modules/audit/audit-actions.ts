/** The words of the audit trail. */

/** What callers change, as `<thing>.<what was done>`. Names are kept for ever: entries that hold them are. */
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
  'balance.adjusted',
  'billing.updated',
  'demo.seeded',
  'secret_key.forgotten',
] as const;

/** One of them. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

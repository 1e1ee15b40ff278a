/** Writes the audit trail, in the transaction of the change itself. */
import type { Ctx } from '../../context.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { uuid7Of } from '../../db/statements/uuid7.sql.ts';
import { toUuid } from '../../kernel/ids.ts';
import { plainRequestId } from '../../observability/plain-words.policy.ts';
import type { AuditAction } from './audit-actions.ts';

interface AuditedChange {
  /** The changed account, `acc_…`; null: none. */
  readonly accountId: string | null;
  readonly action: AuditAction;
  /** The public id of what is changed. */
  readonly subject: string | null;
  /** The new values by name, or the result of `changes`; never a secret, a token or a code. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The caller as the trail keeps it; `stranger`: whom a sign-in was refused. */
type AuditedActor =
  | { readonly kind: 'anonymous' | 'stranger' | 'operator' }
  | { readonly kind: 'token'; readonly tokenId: string }
  | { readonly kind: 'user'; readonly userId: string; readonly email: string };

/** A value before and after a change. */
export interface Changed {
  readonly from: unknown;
  readonly to: unknown;
}

// The list is filtered by the time in the id and shows the other one: they are the same.
const RECORD_AUDIT = statement('record audit', {
  takes: {
    account: 'uuid?',
    action: 'text',
    subject: 'text?',
    actor: 'text',
    token: 'uuid?',
    user: 'uuid?',
    email: 'text?',
    address: 'text?',
    requestId: 'text?',
    details: 'jsonb',
  },
  sql: p => `insert into audit_entries (account_id, action, subject, actor, token_id, user_id, user_email, client_address, request_id, details, id, created_at)
    select ${p.account}, ${p.action}, ${p.subject}, ${p.actor}, ${p.token}, ${p.user}, ${p.email}, ${p.address}, ${p.requestId}, ${p.details}, ${uuid7Of('at')}, at
    from (select clock_timestamp() as at) clock`,
});

/** Adds a change to the audit trail, in the transaction of `em`; call it only if something changes. @throws Error for an anonymous caller */
export async function recordAudit(
  em: { getKysely(): Sql },
  { actor, request, requestId }: Pick<Ctx, 'request' | 'requestId'> & { readonly actor: AuditedActor },
  { accountId, action, subject, details }: AuditedChange,
): Promise<void> {
  if (actor.kind === 'anonymous') throw new Error('a change by nobody');
  await RECORD_AUDIT.run(em.getKysely(), {
    account: accountId === null ? null : toUuid(accountId),
    action,
    subject,
    actor: actor.kind,
    token: actor.kind === 'token' ? toUuid(actor.tokenId) : null,
    user: actor.kind === 'user' ? toUuid(actor.userId) : null,
    email: actor.kind === 'user' ? actor.email : null,
    address: request.clientAddress,
    requestId: plainRequestId(requestId),
    details,
  });
}

/** Adds a change of a row, which its id names, to the trail of its account; as `recordAudit`. */
export function recordOf(
  em: { getKysely(): Sql },
  by: Parameters<typeof recordAudit>[1],
  { accountId = null, id: subject }: { readonly accountId?: string | null | undefined; readonly id: string },
  action: AuditAction,
  details: AuditedChange['details'],
): Promise<void> {
  return recordAudit(em, by, { accountId, action, subject, details });
}

/** A person who is not signed in yet, as the trail keeps who changed something. */
export function byPerson(
  { request, requestId }: Pick<Ctx, 'request' | 'requestId'>,
  { id: userId, email }: { readonly id: string; readonly email: string },
) {
  return { request, requestId, actor: { kind: 'user', userId, email } } as const;
}

/** The members that differ, for `details`; null if none does. */
export function changes(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed: Record<string, Changed> = {};
  for (const name of names) {
    const [from, to] = [before[name] ?? null, after[name] ?? null];
    if (JSON.stringify(from) !== JSON.stringify(to)) changed[name] = { from, to };
  }
  return Object.keys(changed).length === 0 ? null : changed;
}

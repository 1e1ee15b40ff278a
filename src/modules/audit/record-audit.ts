/** Writes the audit trail: each change by a caller, in the transaction that makes it, so that neither is there without the other. */
import type { Ctx } from '../../context.ts';
import { runSql } from '../../db/statements/sql.ts';
import { UUID7 } from '../../db/statements/uuid7.sql.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { AuditAction } from './audit-actions.ts';

/** A change, as the verb that makes it tells it. */
export interface AuditedChange {
  /** The account that is changed, `acc_…`; null: it concerns no account. */
  readonly accountId: string | null;
  readonly action: AuditAction;
  /** The id of what is changed, in its shown form. */
  readonly subject: string | null;
  /** What was set, by name: never a secret, a token or a code. What changed stands as `changes` makes it. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A value before and after a change. */
export interface Changed {
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * Adds a change to the audit trail, as a part of the transaction of `em`, with who makes it and from where. Call it only where
 * something changes. @throws Error for a caller who is nobody: such a one changes nothing.
 */
export async function recordAudit(
  em: { getKysely(): Parameters<typeof runSql>[0] },
  { actor, exchange, requestId }: Pick<Ctx, 'actor' | 'exchange' | 'requestId'>,
  { accountId, action, subject, details }: AuditedChange,
): Promise<void> {
  if (actor.kind === 'anonymous') throw new Error('a change by nobody');
  await runSql(
    em.getKysely(),
    `insert into audit_entries (id, account_id, action, subject, actor, token_id, client_address, request_id, details, created_at)
     values (${UUID7}, $1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, clock_timestamp())`,
    [
      accountId === null ? null : toUuid(accountId),
      action,
      subject,
      actor.kind,
      actor.kind === 'token' ? toUuid(actor.tokenId) : null,
      exchange.clientAddress,
      requestId,
      JSON.stringify(details),
    ],
  );
}

/** The members in which two states differ, as details; null: they are alike, and there is nothing to record. */
export function changes(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed: Record<string, Changed> = {};
  for (const name of names) {
    const [from, to] = [before[name] ?? null, after[name] ?? null];
    if (JSON.stringify(from) !== JSON.stringify(to)) changed[name] = { from, to };
  }
  return Object.keys(changed).length === 0 ? null : changed;
}

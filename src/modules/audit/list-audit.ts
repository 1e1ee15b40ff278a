/** The verb *list audit entries*: who changed what, newest first. */
import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { type Ctx, managedAccount } from '../../context.ts';
import { given, idBounds, inOrder, keyRange, type Page, pageInput, readPage, timeRange } from '../../db/page.ts';
import { runSql } from '../../db/statements/sql.ts';
import { noSuchAccount } from '../../kernel/errors.ts';
import { parseId, toUuid } from '../../kernel/ids.ts';
import { textInput } from '../../kernel/storable.ts';
import { reading } from '../reading/reading.ts';
import { AUDIT_ACTIONS } from './audit-actions.ts';
import { AuditEntry } from './audit-entry.entity.ts';

/** Longer than any id. An unknown id finds nothing. */
const SUBJECT_LENGTH_MAX = 64;

const ACTIONS: ReadonlySet<string> = new Set(AUDIT_ACTIONS);

const auditFilterInput = inOrder(
  z.strictObject({
    action: z
      .string()
      .refine(action => ACTIONS.has(action), `must be one of ${AUDIT_ACTIONS.join(', ')}`)
      .nullish()
      .meta({ description: 'Entries of this action, such as `token.revoked`; `auditActions` lists them' }),
    subject: textInput(SUBJECT_LENGTH_MAX).nullish().meta({ description: 'Entries about the thing with this id' }),
    from: timeRange.from.meta({ description: 'Entries made at this time or later' }),
    to: timeRange.to.meta({ description: 'Entries made before this time' }),
  }),
).meta({ id: 'AuditFilter', description: 'Which entries to list; what is absent does not narrow' });

/** The input of `listAuditEntries`. */
export const listAuditInput = pageInput.extend({
  accountId: z
    .string()
    .nullish()
    .meta({ description: 'Of this account; absent: of the account of the token, or for an operator of all' }),
  filter: auditFilterInput.nullish().meta({ description: 'Which entries' }),
});

/** The input of `listAuditEntries`. */
export type ListAuditInput = z.infer<typeof listAuditInput>;

/**
 * The audit trail of the caller's account, or, for an operator, of the named account, else the one it acts for, else all. @throws AppError
 * `unauthenticated`, `wrong_area`; `not_found` for an unknown or another's account; `invalid_input` on `after`
 */
export async function listAuditEntries(ctx: Ctx, input: ListAuditInput): Promise<Page<AuditEntry>> {
  const { accountId: named, filter, ...page } = input;
  const accountId = await askedAccount(ctx, named);
  const { action, subject, from, to } = filter ?? {};
  return reading(ctx, ({ em }) =>
    readPage(page, (before, limit) => {
      const where: FilterQuery<AuditEntry> = {
        ...given({ accountId, action, subject: subject?.toLowerCase() }),
        ...keyRange(...idBounds(from, to), before),
      };
      return em.find(AuditEntry, where, { orderBy: { id: 'desc' }, limit, disableIdentityMap: true });
    }),
  );
}

/** Every action that the trail can hold. @throws AppError `unauthenticated`, `wrong_area` */
export function listAuditActions(ctx: Ctx): string[] {
  managedAccount(ctx);
  return [...AUDIT_ACTIONS];
}

/** The caller's address of a change or a request, but an operator's address is hidden from accounts; null too if there is none. */
export function shownAddress({ actor }: Ctx, entry: Pick<AuditEntry, 'actor' | 'clientAddress'>): string | null {
  return entry.actor === 'operator' && actor.kind !== 'operator' ? null : (entry.clientAddress ?? null);
}

/**
 * The account that the caller manages and asks for: the named one, else its own; null: an operator who named none, and means all. Another account's id
 * gets the same answer as an unknown one. @throws AppError `unauthenticated`, `wrong_area`, `not_found`
 */
export async function askedAccount(ctx: Ctx, named: string | null | undefined): Promise<string | null> {
  const within = managedAccount(ctx);
  if (named == null) return within;
  const id = parseId('acc', named);
  const isKnown = id !== null && (ctx.actor.kind === 'operator' ? await exists(ctx.services, id) : id === within);
  if (!isKnown) throw noSuchAccount();
  return id;
}

async function exists({ database }: Ctx['services'], accountId: string): Promise<boolean> {
  const rows = await runSql(database.sql(), 'select 1 from accounts where id = $1', [toUuid(accountId)]);
  return rows.length > 0;
}

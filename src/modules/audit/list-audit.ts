/** The verb *list audit entries*: who changed what, newest first. */
import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { type Ctx, requireAccount } from '../../context.ts';
import { keyRange, type Page, pageInput, readListInput, readPage } from '../../db/page.ts';
import { runSql } from '../../db/statements/sql.ts';
import { AppError } from '../../kernel/errors.ts';
import { parseId, toUuid, uuidFloor } from '../../kernel/ids.ts';
import { isStorableText } from '../../kernel/storable.ts';
import { AUDIT_ACTIONS } from './audit-actions.ts';
import { AuditEntry } from './audit-entry.entity.ts';

/** Longer than any id. One that names nothing is no fault: it finds nothing. */
const SUBJECT_LENGTH_MAX = 64;

/** Which entries. Every field narrows, and an absent one (or null) does not. */
const auditFilterInput = z.strictObject({
  action: z.enum(AUDIT_ACTIONS, `must be one of ${AUDIT_ACTIONS.join(', ')}`).nullish(),
  /** The id of what was changed. */
  subject: z
    .string()
    .min(1, 'must not be empty')
    .max(SUBJECT_LENGTH_MAX, `must have at most ${SUBJECT_LENGTH_MAX} characters`)
    .refine(isStorableText, 'holds a character that cannot be stored')
    .nullish(),
  /** Inclusive. */
  from: z.date('must be a date and time').nullish(),
  /** Exclusive. */
  to: z.date('must be a date and time').nullish(),
});

/** The input of `listAuditEntries`. */
const listAuditInput = pageInput.extend({ accountId: z.string().nullish(), filter: auditFilterInput.nullish() });

/** What the edges hand to `listAuditEntries`. */
export interface ListAuditInput {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly accountId?: string | null | undefined;
  readonly filter?:
    | {
        readonly action?: string | null | undefined;
        readonly subject?: string | null | undefined;
        readonly from?: Date | null | undefined;
        readonly to?: Date | null | undefined;
      }
    | null
    | undefined;
}

/**
 * The audit trail: for a `management` token that of its own account, which it may name; for an operator that of the account that is
 * named, else of the one that the operator acts for, else the whole.
 * @throws AppError `unauthenticated`, `wrong_area`; `not_found` for an account that is not the caller's, or does not exist;
 * `invalid_input` on `first`, `after` or a field of the filter.
 */
export async function listAuditEntries(ctx: Ctx, input: ListAuditInput): Promise<Page<AuditEntry>> {
  const within = callersAccount(ctx);
  const { accountId: named, filter, ...page } = readListInput(listAuditInput, input);
  const accountId = named == null ? within : await namedAccount(ctx, named);
  const { action, subject, from, to } = filter ?? {};
  return readPage(page, (before, limit) => {
    const where: FilterQuery<AuditEntry> = {
      ...(accountId === null ? {} : { accountId }),
      ...(action == null ? {} : { action }),
      ...(subject == null ? {} : { subject }),
      ...keyRange(from ? uuidFloor(from) : null, to ? uuidFloor(to) : null, before),
    };
    return ctx.em.find(AuditEntry, where, { orderBy: { id: 'desc' }, limit, disableIdentityMap: true });
  });
}

/**
 * Where a change came from, as the caller may know it: the address of an operator is none of an account's business; null too for
 * what came from nowhere.
 */
export function shownAddress({ actor }: Ctx, entry: AuditEntry): string | null {
  return entry.actor === 'operator' && actor.kind !== 'operator' ? null : (entry.clientAddress ?? null);
}

/** The account that the caller reads, where no other is named; null: all. */
function callersAccount(ctx: Ctx): string | null {
  if (ctx.actor.kind === 'operator') return ctx.actor.account?.id ?? null;
  const { account, area } = requireAccount(ctx);
  if (area !== 'management') throw new AppError('wrong_area');
  return account.id;
}

/** Another account's id is as one that does not exist. */
async function namedAccount({ actor, services }: Ctx, named: string): Promise<string> {
  const id = parseId('acc', named);
  const isOwn = actor.kind === 'token' && actor.account.id === id;
  const isKnown = isOwn || (actor.kind === 'operator' && id !== null && (await exists(services, id)));
  if (id === null || !isKnown) throw new AppError('not_found', 'There is no such account.');
  return id;
}

async function exists({ database }: Ctx['services'], accountId: string): Promise<boolean> {
  const rows = await runSql(database.sql(), 'select 1 from accounts where id = $1', [toUuid(accountId)]);
  return rows.length > 0;
}

/** The verbs on suppressions: whom an account sends nothing more to (contract §15). */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import type { Em } from '../../db/orm.ts';
import { keyRange, NEWEST_FIRST, type Page, pageInput, readPage } from '../../db/page.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { fromUuid, parseId, toUuid } from '../../kernel/ids.ts';
import { parsePhone } from '../../kernel/phone.ts';
import { isStorableText, UNSTORABLE } from '../../kernel/storable.ts';
import { requireAreas } from '../accounts/read-scope.ts';
import type { AuditAction } from '../audit/audit-actions.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { isErased } from './erased-names.ts';
import { Suppression } from './suppression.entity.ts';
import {
  FIND_ADDRESS,
  LOCK_LISTS,
  RECALL_ERASED,
  SUPPRESS,
  type SuppressionChange,
  UNSUPPRESS,
} from './suppressions.sql.ts';

const shortText = (max: number) =>
  z.string().max(max, `must have at most ${max} characters`).refine(isStorableText, UNSTORABLE);

/** The input of `suppress`. */
export const suppressInput = z
  .strictObject({
    to: shortText(255).meta({
      description: 'The recipient: a phone number with country code, or the id that a channel has in its place',
      example: '+12025550100',
    }),
    reason: shortText(200).nullish().meta({ description: 'Why, for those who read the list' }),
  })
  .meta({ id: 'SuppressInput', description: 'A recipient who gets no messages any more' });

/** The input of the list. */
export const listSuppressionsInput = pageInput;

/** The recipients that the caller's account sends nothing to, the newest first. @throws AppError `invalid_input`, `wrong_area` */
export async function listSuppressions(
  ctx: Ctx,
  page: z.infer<typeof listSuppressionsInput>,
): Promise<Page<Suppression>> {
  const { id: accountId } = requireAreas(ctx, 'unified', 'management');
  return readPage(page, (before, limit) =>
    ctx.em.find(Suppression, { accountId, ...keyRange(null, before) }, { ...NEWEST_FIRST, limit }),
  );
}

/**
 * Puts a recipient onto the list: this process sends nothing more at once, every other one within a second. One who had asked for it by a word stays there
 * whatever word follows. @throws AppError `invalid_input` on `to`; `wrong_area`
 */
export async function suppress(ctx: Ctx, { to, reason = null }: z.infer<typeof suppressInput>): Promise<Suppression> {
  const { id: accountId } = requireAreas(ctx, 'unified', 'management');
  const person = await personOf(ctx, accountId, to);
  return change(ctx, { accountId, action: 'suppression.added' }, async (em, accounts) => ({
    changes: await SUPPRESS.run(em.getKysely(), {
      people: [{ account_id: toUuid(accountId), person, reason }],
      accounts,
    }),
    // Read before the list is let go: another request may take the recipient off at once.
    answer: await em.findOneOrFail(Suppression, { accountId, person }, { disableIdentityMap: true }),
  }));
}

/** Takes a recipient off the list, whoever asked for it. @throws AppError `invalid_input` on `to`; `not_found`, `wrong_area` */
export async function unsuppress(ctx: Ctx, to: string): Promise<Suppression> {
  const { id: accountId } = requireAreas(ctx, 'unified', 'management');
  const person = await personOf(ctx, accountId, to);
  const gone = await change(ctx, { accountId, action: 'suppression.removed' }, async (em, accounts) => {
    const known = await em.findOne(Suppression, { accountId, person }, { disableIdentityMap: true });
    const people = [{ account_id: toUuid(accountId), person }];
    const changes = await UNSUPPRESS.run(em.getKysely(), { people, accounts });
    return { changes, answer: changes.length > 0 ? known : null };
  });
  if (!gone) throw new AppError('not_found', 'There is no such recipient on the list.');
  return gone;
}

/** The changes, and the answer to the caller. */
interface Changed<Told> {
  readonly changes: readonly (SuppressionChange & { readonly id: string })[];
  readonly answer: Told;
}

/** Changes the list with its entry of the audit trail, which names no recipient, and keeps to it. Answers as `run`, which has the list for itself. */
async function change<Told>(
  ctx: Ctx,
  { accountId, action }: { readonly accountId: string; readonly action: AuditAction },
  run: (em: Em, accounts: readonly string[]) => Promise<Changed<Told>>,
): Promise<Told> {
  const accounts = [toUuid(accountId)];
  const { changes, answer } = await ctx.em.transactional(async em => {
    await LOCK_LISTS.run(em.getKysely(), { accounts });
    const changed = await run(em, accounts);
    const [first] = changed.changes;
    if (first) await recordAudit(em, ctx, { accountId, action, subject: fromUuid('sup', first.id), details: {} });
    return changed;
  });
  for (const one of changes) ctx.services.suppressed.note(one);
  return answer;
}

/** A recipient as the list has it; one who was erased is named again */
async function personOf(ctx: Ctx, accountId: string, to: string): Promise<string> {
  const person = await addressOf(ctx, accountId, to);
  const { database, suppressed } = ctx.services;
  const erased = suppressed.erasedName(accountId, person);
  const recalled = await RECALL_ERASED.run(database.sql(), {
    people: [{ account_id: toUuid(accountId), person, erased }],
  });
  for (const change of recalled) suppressed.note(change);
  return person;
}

/** The address of a recipient. @throws AppError `invalid_input`: it is no number, and nobody who wrote is called so */
async function addressOf(ctx: Ctx, accountId: string, to: string): Promise<string> {
  const trimmed = to.trim();
  if (!isStorableText(trimmed)) throw invalidInput('to', UNSTORABLE);
  const digits = parsePhone(trimmed)?.digits;
  const id = parseId('prs', trimmed);
  const known = await FIND_ADDRESS.first(ctx.services.database.sql(), {
    account: toUuid(accountId),
    value: digits ?? trimmed,
    person: id && toUuid(id),
  });
  if (known) return known.value;
  if (digits !== undefined) return digits;
  if (trimmed === '') throw invalidInput('to', 'must not be empty');
  // An id of a channel may be known before its person writes. A number or a person that is none is a slip, as is an erased name.
  const isSlip = trimmed.startsWith('prs_') || isErased(trimmed) || /^[\s()+.-]*(?:[0-9]|$)/.test(trimmed);
  // One that is listed as an id can be taken off.
  if (isSlip && (await ctx.em.count(Suppression, { accountId, person: trimmed })) === 0)
    throw invalidInput('to', 'must be a phone number with country code, like +12025550100, or a person who wrote');
  return trimmed;
}

/** The operator's verbs on accounts. */
import { z } from 'zod';
import { type Ctx, requireOperator } from '../../context.ts';
import { LOCKED } from '../../db/locked.ts';
import type { Database } from '../../db/orm.ts';
import { noSuchAccount } from '../../kernel/errors.ts';
import { newId, parseId } from '../../kernel/ids.ts';
import { intBetween } from '../../kernel/input.ts';
import { nameInput } from '../../kernel/storable.ts';
import type { AuditAction } from '../audit/audit-actions.ts';
import { changes, recordAudit } from '../audit/record-audit.ts';
import { Account } from './account.entity.ts';
import { announceAccountChange } from './authenticate.ts';
import { fallbackInput } from './settings/fallback.input.ts';

/** The input of `createAccount`. */
export const createAccountInput = z
  .strictObject({
    name: nameInput(200).meta({ description: 'Its name, 1 to 200 characters' }),
  })
  .meta({ id: 'CreateAccountInput', description: 'A new account' });

const PLAN_TIME = 'must be a time from 1970 to 9999';

/** PostgreSQL cannot read later years as JavaScript writes them. */
export const LAST_TIME = new Date('9999-12-31T23:59:59.999Z');

/** Absent members stay unchanged; null is never (`planExpiresAt`), no limit (`rateLimit`). */
export const updateAccountInput = z
  .strictObject({
    accountId: z.string().meta({ description: 'The account' }),
    unifiedApi: z.boolean().nullish().meta({ description: 'Whether the unified API is on' }),
    planExpiresAt: z
      .date(PLAN_TIME)
      .min(new Date(0), PLAN_TIME)
      .max(LAST_TIME, PLAN_TIME)
      .nullish()
      .meta({ description: 'When the plan ends; null: never' }),
    rateLimit: intBetween(1, 1_000_000)
      .nullish()
      .meta({ description: 'Requests a second for each token, at least 1; null: no limit' }),
    smartEncoding: z.boolean().nullish().meta({
      description:
        'Whether the SMS of its messages go out with typographic characters as GSM ones; passcodes have a setting of their own',
    }),
    fallbackAfter: fallbackInput.fallbackAfter.meta({
      description:
        'Seconds, 15 to 3600, that an accepted channel of a fallback has before the next one follows, where a send names none; null: no channel follows it',
    }),
    successStatus: fallbackInput.successStatus.meta({
      description: 'The status that an accepted channel has to reach by then, where a send names none',
    }),
  })
  .meta({ id: 'UpdateAccountInput', description: 'Settings of an account. What is absent stays as it is' });

/** Creates an account: the unified API on, no plan end, no credits, 100 requests a second for each token. */
export async function createAccount(ctx: Ctx, input: z.infer<typeof createAccountInput>): Promise<Account> {
  requireOperator(ctx);
  const [id, name] = [newId('acc'), input.name.trim()];
  return ctx.em.transactional(async em => {
    const account = em.create(Account, { id, name, createdAt: ctx.clock.now() });
    await recordAudit(em, ctx, { accountId: id, action: 'account.created', subject: id, details: { name } });
    return account;
  });
}

/** Every account, oldest first. */
export async function listAccounts(ctx: Ctx): Promise<Account[]> {
  requireOperator(ctx);
  return ctx.em.find(Account, {}, { orderBy: { id: 'asc' } });
}

/** Sets the plan, the limit, the encoding and the fallback in time of an account. @throws AppError `not_found`. */
export async function updateAccount(ctx: Ctx, input: z.infer<typeof updateAccountInput>): Promise<Account> {
  requireOperator(ctx);
  return changeAccount(ctx, input.accountId, 'account.updated', account => {
    const before = settingsOf(account);
    if (input.unifiedApi != null) account.unifiedApi = input.unifiedApi;
    if (input.planExpiresAt !== undefined) account.planExpiresAt = input.planExpiresAt;
    if (input.rateLimit !== undefined) account.rateLimit = input.rateLimit;
    if (input.smartEncoding != null) account.smartEncoding = input.smartEncoding;
    if (input.fallbackAfter !== undefined) account.fallbackAfter = input.fallbackAfter;
    if (input.successStatus != null) account.successStatus = input.successStatus;
    return changes(before, settingsOf(account));
  });
}

/** Changes the settings of an account, for every process within a second. @param change answers what it changed; null: nothing @throws AppError `not_found` */
export function changeAccount(
  ctx: Ctx,
  accountId: string,
  action: AuditAction,
  change: (account: Account, em: Ctx['em']) => ReturnType<typeof changes> | Promise<ReturnType<typeof changes>>,
): Promise<Account> {
  return ctx.em.transactional(async em => {
    // Locked, so that concurrent changes do not overwrite each other, and their audit trail is right.
    const account = await getAccount(em, accountId, LOCKED);
    const details = await change(account, em);
    if (details === null) return account;
    await recordAudit(em, ctx, { accountId: account.id, action, subject: account.id, details });
    await announceAccountChange(em);
    return account;
  });
}

function settingsOf(account: Account): Record<string, unknown> {
  const { unifiedApi, planExpiresAt, rateLimit, smartEncoding, fallbackAfter, successStatus } = account;
  return { unifiedApi, planExpiresAt, rateLimit, smartEncoding, fallbackAfter, successStatus };
}

/** The account of an id, with the lock that the caller wants. @throws AppError `not_found`, for a malformed id too */
export async function getAccount(em: Ctx['em'], accountId: string, how?: typeof LOCKED): Promise<Account> {
  const id = parseId('acc', accountId);
  const account = id ? await em.findOne(Account, { id }, how) : null;
  if (!account) throw noSuchAccount();
  return account;
}

/** Whether there is no account yet: the first start of an embedded database. */
export async function isEmpty(database: Database): Promise<boolean> {
  return (await database.fork().count(Account)) === 0;
}

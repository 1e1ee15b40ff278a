/** The verbs on tokens: an operator makes them; who manages an account lists and revokes those of it. */
import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { type Ctx, requireAccount, requireOperator } from '../../context.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { AREAS, type Area, hashToken, newToken, tokenPrefix } from '../../kernel/crypto/secrets.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { newId, parseId } from '../../kernel/ids.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { announceAccountChange } from './authenticate.ts';
import { getAccount } from './manage-accounts.ts';
import { Token } from './token.entity.ts';

const IN_FUTURE = 'must be in the future';

/** The input of `createToken`: `expiresAt` absent or null is never. That it lies ahead is for the database's clock to say. */
export const createTokenInput = z.strictObject({
  accountId: z.string(),
  area: z.enum(AREAS, `must be one of ${AREAS.join(', ')}`),
  // Years before our era are written in a way that PostgreSQL does not read.
  expiresAt: z.date('must be a date and time').min(new Date(0), IN_FUTURE).nullish(),
});

/** A token that was just made, with the only sight of its secret. */
export interface NewToken {
  readonly token: Token;
  /** The token itself; it is kept nowhere. */
  readonly secret: string;
}

/**
 * Makes a token of one area of an account. The operator only.
 * @throws AppError `not_found`; `invalid_input` on `expiresAt` where that is over.
 */
export async function createToken(ctx: Ctx, input: z.infer<typeof createTokenInput>): Promise<NewToken> {
  requireOperator(ctx);
  const { area, expiresAt = null } = input;
  return ctx.em.transactional(async em => {
    const { id: accountId } = await getAccount(em, input.accountId);
    if (expiresAt !== null && !(await isAhead(em.getKysely(), expiresAt))) throw invalidInput('expiresAt', IN_FUTURE);
    const made = makeToken(em, accountId, area, ctx.clock.now(), expiresAt);
    const { id, prefix } = made.token;
    const details = { area, prefix, expiresAt };
    await recordAudit(em, ctx, { accountId, action: 'token.created', subject: id, details });
    return made;
  });
}

/** Whether a time is to come, by the clock that ends tokens. */
async function isAhead(sql: Sql, time: Date): Promise<boolean> {
  const [row] = await runSql<{ ahead: boolean }>(sql, 'select $1::timestamptz > clock_timestamp() as ahead', [
    time.toISOString(),
  ]);
  return row?.ahead === true;
}

/** Adds a token to the unit of work, which the caller commits. @param expiresAt null: it does not end by itself */
export function makeToken(
  em: Ctx['em'],
  accountId: string,
  area: Area,
  createdAt: Date,
  expiresAt: Date | null = null,
): NewToken {
  const secret = newToken(area);
  const token = em.create(Token, {
    id: newId('tok'),
    accountId,
    area,
    hash: hashToken(secret).toString('hex'),
    prefix: tokenPrefix(secret),
    createdAt,
    expiresAt,
  });
  return { token, secret };
}

/**
 * The tokens of an account, those that are over too, oldest first: for a `management` token of its own, which it may name; for an
 * operator of the account that is named, else of the one that the operator acts for, else of all.
 * @throws AppError `unauthenticated`, `wrong_area`, `not_found`.
 */
export async function listTokens(ctx: Ctx, accountId: string | null): Promise<Token[]> {
  const within = managedAccount(ctx);
  if (accountId === null) return findTokens(ctx, within);
  // Another account's id is as one that does not exist.
  if (within !== null && ctx.actor.kind !== 'operator' && parseId('acc', accountId) !== within)
    throw new AppError('not_found', 'There is no such account.');
  return findTokens(ctx, (await getAccount(ctx.em, accountId)).id);
}

function findTokens(ctx: Ctx, accountId: string | null): Promise<Token[]> {
  return ctx.em.find(Token, accountId === null ? {} : { accountId }, { orderBy: { id: 'asc' } });
}

/** The account whose tokens the caller manages; null: those of all. @throws AppError `unauthenticated`, `wrong_area`. */
function managedAccount(ctx: Ctx): string | null {
  if (ctx.actor.kind === 'operator') return ctx.actor.account?.id ?? null;
  const { account, area } = requireAccount(ctx);
  if (area !== 'management') throw new AppError('wrong_area');
  return account.id;
}

/**
 * Revokes a token, everywhere at once: any for an operator, one of its own account for a `management` token, itself too. Doing it again
 * changes nothing. @throws AppError `unauthenticated`, `wrong_area`; `not_found` for another account's too.
 */
export async function revokeToken(ctx: Ctx, tokenId: string): Promise<Token> {
  const within = ctx.actor.kind === 'operator' ? null : managedAccount(ctx);
  const id = parseId('tok', tokenId);
  return ctx.em.transactional(async em => {
    const where = { id: id ?? '', ...(within === null ? {} : { accountId: within }) };
    // Locked, so that of two who revoke it at once only one does.
    const options = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
    const token = id === null ? null : await em.findOne(Token, where, options);
    if (!token) throw new AppError('not_found', 'There is no such token.');
    if (token.revokedAt != null) return token;
    token.revokedAt = ctx.clock.now();
    const { accountId, area, prefix } = token;
    await recordAudit(em, ctx, { accountId, action: 'token.revoked', subject: token.id, details: { area, prefix } });
    await announceAccountChange(em);
    return token;
  });
}

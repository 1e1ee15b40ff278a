/** The operator's verbs on tokens. */
import { z } from 'zod';
import { type Ctx, requireOperator } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId, parseId } from '../../kernel/ids.ts';
import { AREAS, type Area, hashToken, newToken, tokenPrefix } from '../../kernel/secrets.ts';
import { announceAccountChange } from './authenticate.ts';
import { getAccount } from './manage-accounts.ts';
import { Token } from './token.entity.ts';

/** The input of `createToken`. */
export const createTokenInput = z.strictObject({
  accountId: z.string(),
  area: z.enum(AREAS, `must be one of ${AREAS.join(', ')}`),
});

/** A token that was just made, with the only sight of its secret. */
export interface NewToken {
  readonly token: Token;
  /** The token itself; it is kept nowhere. */
  readonly secret: string;
}

/** Makes a token of one area of an account. @throws AppError `not_found`. */
export async function createToken(ctx: Ctx, input: z.infer<typeof createTokenInput>): Promise<NewToken> {
  requireOperator(ctx);
  const account = await getAccount(ctx.em, input.accountId);
  const made = makeToken(ctx.em, account.id, input.area, ctx.clock.now());
  await ctx.em.flush();
  return made;
}

/** Adds a token to the unit of work, which the caller commits. */
export function makeToken(em: Ctx['em'], accountId: string, area: Area, createdAt: Date): NewToken {
  const secret = newToken(area);
  const token = em.create(Token, {
    id: newId('tok'),
    accountId,
    area,
    hash: hashToken(secret).toString('hex'),
    prefix: tokenPrefix(secret),
    createdAt,
  });
  return { token, secret };
}

/** The tokens of an account, or of all where none is named; revoked ones too, oldest first. @throws AppError `not_found`. */
export async function listTokens(ctx: Ctx, accountId: string | null): Promise<Token[]> {
  requireOperator(ctx);
  const account = accountId === null ? null : await getAccount(ctx.em, accountId);
  return ctx.em.find(Token, account ? { accountId: account.id } : {}, { orderBy: { id: 'asc' } });
}

/** Revokes a token, everywhere at once. Doing it again changes nothing. @throws AppError `not_found`. */
export async function revokeToken(ctx: Ctx, tokenId: string): Promise<Token> {
  requireOperator(ctx);
  return ctx.em.transactional(async em => {
    const id = parseId('tok', tokenId);
    const token = id ? await em.findOne(Token, { id }) : null;
    if (!token) throw new AppError('not_found', 'There is no such token.');
    token.revokedAt ??= ctx.clock.now();
    await announceAccountChange(em);
    return token;
  });
}

/** The verbs on tokens: an operator and people create them; a `management` token lists, renames and revokes those of its account. */
import { z } from 'zod';
import { type Ctx, managedAccount, requireOperator } from '../../context.ts';
import { LOCKED } from '../../db/locked.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { AREAS, type Area, hashToken, newToken, tokenPrefix } from '../../kernel/crypto/secrets.ts';
import { AppError, invalidInput, noSuchAccount } from '../../kernel/errors.ts';
import { newId, parseId } from '../../kernel/ids.ts';
import { oneOf } from '../../kernel/input.ts';
import { COMMAND_LINE_AGENT } from '../../kernel/network/command-line.ts';
import { mayRole } from '../../kernel/role.ts';
import { nameInput } from '../../kernel/storable.ts';
import { askedAccount } from '../audit/list-audit.ts';
import { changes, recordOf } from '../audit/record-audit.ts';
import { announceAccountChange } from './authenticate.ts';
import { getAccount, LAST_TIME } from './manage-accounts.ts';
import { requireStill } from './people/people-account.ts';
import { Token } from './token.entity.ts';

const IN_FUTURE = 'must be in the future';

const NEEDS_OWNER = 'must be made by an owner: a token of the area management may export and erase recipients';

/** The input of `createToken`: without `expiresAt` it never expires. The database's clock checks the time. */
export const createTokenInput = z
  .strictObject({
    accountId: z.string().meta({ description: 'The account that it opens' }),
    name: nameInput(100)
      .nullish()
      .meta({ description: 'What people call it, 1 to 100 characters; absent or null: nothing' }),
    area: oneOf(AREAS).meta({ description: 'The area that it opens' }),
    // PostgreSQL cannot read years BC as JavaScript writes them.
    expiresAt: z
      .date('must be a date and time')
      .min(new Date(0), IN_FUTURE)
      .max(LAST_TIME, 'must be before the year 10000')
      .nullish()
      .meta({
        description: 'When it stops to open anything, a time in the future; absent or null: never by itself',
      }),
  })
  .meta({ id: 'CreateTokenInput', description: 'A new token' });

/** The input of `updateToken`. */
export const updateTokenInput = z
  .strictObject({
    tokenId: z.string().meta({ description: 'The token' }),
    name: nameInput(100).nullable().meta({ description: 'What people call it, 1 to 100 characters; null: nothing' }),
  })
  .meta({ id: 'UpdateTokenInput', description: 'What changes of a token' });

/** A new token with its secret, which is shown only here. */
export interface NewToken {
  readonly token: Token;
  /** The token itself; it is not stored. */
  readonly secret: string;
}

/**
 * Creates a token: the operator of any account, a person of the own one; of the area `management` those who may erase, as it may. @throws AppError
 * `not_found`; `unauthenticated` for who might before; `invalid_input` on `area`, and for a past `expiresAt`
 */
export async function createToken(ctx: Ctx, input: z.infer<typeof createTokenInput>): Promise<NewToken> {
  if (ctx.actor.kind !== 'user') requireOperator(ctx);
  else if (parseId('acc', input.accountId) !== ctx.actor.account.id) throw noSuchAccount();
  const { area, name = null, expiresAt = null } = input;
  const right = area === 'management' ? 'erase' : 'change';
  if (ctx.actor.kind === 'user' && !mayRole(ctx.actor.role, right)) throw invalidInput('area', NEEDS_OWNER);
  return ctx.em.transactional(async em => {
    const { id: accountId } = await getAccount(em, input.accountId, LOCKED);
    await requireStill(em, ctx.actor, right);
    if (expiresAt !== null && !(await isAhead(em.getKysely(), expiresAt))) throw invalidInput('expiresAt', IN_FUTURE);
    const made = makeToken(em, accountId, area, ctx.clock.now(), { name, expiresAt, ...makerOf(ctx) });
    await recordOf(em, ctx, made.token, 'token.created', { area, prefix: made.token.prefix, expiresAt });
    return made;
  });
}

/** The maker of the token that this request creates. */
function makerOf({ actor, request }: Ctx): Pick<TokenFacts, 'madeBy' | 'makerEmail'> {
  if (actor.kind === 'user') return { madeBy: 'user', makerEmail: actor.email };
  const isCommand = request.userAgent === COMMAND_LINE_AGENT;
  return { madeBy: isCommand ? 'command_line' : 'operator', makerEmail: null };
}

/** Whether a time is in the future, by the database's clock, which also expires tokens. */
async function isAhead(sql: Sql, time: Date): Promise<boolean> {
  const [row] = await runSql<{ ahead: boolean }>(sql, 'select $1::timestamptz > clock_timestamp() as ahead', [
    time.toISOString(),
  ]);
  return row?.ahead === true;
}

/** The name, the end and the maker of a new token. */
type TokenFacts = Pick<Token, 'name' | 'expiresAt' | 'madeBy' | 'makerEmail'>;

/** A token that the gateway makes for itself. */
const OF_GATEWAY: TokenFacts = { name: null, expiresAt: null, madeBy: 'gateway', makerEmail: null };

/** Adds a token to the unit of work; the caller commits. */
export function makeToken(
  em: Ctx['em'],
  accountId: string,
  area: Area,
  createdAt: Date,
  facts: TokenFacts = OF_GATEWAY,
): NewToken {
  const secret = newToken(area);
  const token = em.create(Token, {
    id: newId('tok'),
    accountId,
    area,
    hash: hashToken(secret).toString('hex'),
    prefix: tokenPrefix(secret),
    createdAt,
    ...facts,
  });
  return { token, secret };
}

/**
 * The tokens of an account, expired ones too, oldest first. A `management` token lists those of its account. An operator lists those of the
 * named account, else of the one it acts for, else of all. @throws AppError `unauthenticated`, `wrong_area`, `not_found`
 */
export async function listTokens(ctx: Ctx, accountId: string | null): Promise<Token[]> {
  const owner = await askedAccount(ctx, accountId);
  return ctx.em.find(Token, owner === null ? {} : { accountId: owner }, { orderBy: { id: 'asc' } });
}

/**
 * Revokes a token in every process; safe to repeat. An operator may revoke any, a `management` token those of its account, itself too.
 * @throws AppError `unauthenticated`, `wrong_area`; `not_found` for another account's too
 */
export async function revokeToken(ctx: Ctx, tokenId: string): Promise<Token> {
  return changeToken(ctx, tokenId, async (em, token) => {
    if (token.revokedAt != null) return;
    token.revokedAt = ctx.clock.now();
    await recordOf(em, ctx, token, 'token.revoked', { area: token.area, prefix: token.prefix });
    await announceAccountChange(em);
  });
}

/**
 * Gives a token another name, a revoked one too: of any account by an operator, of its own by a `management` token.
 * @throws AppError `unauthenticated`, `wrong_area`; `not_found` for another account's too
 */
export async function updateToken(ctx: Ctx, { tokenId, name }: z.infer<typeof updateTokenInput>): Promise<Token> {
  return changeToken(ctx, tokenId, async (em, token) => {
    const details = changes({ name: token.name ?? null }, { name });
    if (details === null) return;
    token.name = name;
    await recordOf(em, ctx, token, 'token.updated', details);
  });
}

/** Changes a token that the caller may manage, locked, so that only one of two concurrent calls changes it. */
async function changeToken(
  ctx: Ctx,
  tokenId: string,
  change: (em: Ctx['em'], token: Token) => Promise<void>,
): Promise<Token> {
  const within = ctx.actor.kind === 'operator' ? null : managedAccount(ctx);
  const id = parseId('tok', tokenId);
  return ctx.em.transactional(async em => {
    const where = { id: id ?? '', ...(within === null ? {} : { accountId: within }) };
    const token = id === null ? null : await em.findOne(Token, where, LOCKED);
    if (!token) throw new AppError('not_found', 'There is no such token.');
    await change(em, token);
    return token;
  });
}

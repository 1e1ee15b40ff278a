/** Holds guessing down: places are taken before a password is looked at, and given back when it was right. */
import type { Ctx } from '../../../context.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import { hashToken } from '../../../kernel/crypto/secrets.ts';
import { AppError } from '../../../kernel/errors.ts';
import { limitKey } from '../../../kernel/network/address.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { DashboardUser } from '../people/dashboard-user.entity.ts';
import { FORGET_TRIES, GIVE_TRY_BACK, KEEP_TRIES, TAKE_TRY, WAIT_FOR_TRY } from './session.sql.ts';

/** Sign-ins that may fail before they are refused unseen, until 15 minutes have passed since the last that was looked at. */
export const TRIES = { email: 5, address: 20 } as const;

/** Whose password is tried. */
interface Tried {
  /** In lower case. */
  readonly email: string;
  /** Who signs in by it; null: nobody. */
  readonly user: DashboardUser | null;
}

/**
 * Runs the check of a sign-in where places are left for the caller's address and for the e-mail address, and answers what it found, or
 * null where the try was wrong. The audit trail tells who was locked out by it.
 * @param tried null: no address is named @throws AppError `rate_limited`, and what `check` throws
 */
export async function guardSignIn<Found>(
  ctx: Ctx,
  tried: Tried | null,
  check: () => Promise<Found | null>,
): Promise<Found | null> {
  const { clientAddress } = ctx.request;
  const address = `address/${limitKey(clientAddress) ?? clientAddress}`;
  const person = tried === null ? null : emailKey(tried.email);
  const sql = ctx.services.database.sql();
  const failures = await takePlaces(ctx, person, address);
  const found = await check().catch(async error => {
    // It was not looked at.
    await GIVE_TRY_BACK.run(sql, { key: address });
    if (person !== null) await GIVE_TRY_BACK.run(sql, { key: person });
    throw error;
  });
  if (found !== null) {
    await GIVE_TRY_BACK.run(sql, { key: address });
    if (person !== null) await FORGET_TRIES.run(sql, { key: person });
  }
  if (found === null && tried !== null) await recordFailure(ctx, tried, failures);
  return found;
}

/** The failures of a person in a row that stand in the audit trail: the first, and the one that locks out. So strangers cannot fill it. */
const TOLD: ReadonlyMap<number, AuditAction> = new Map([
  [1, 'session.refused'],
  [TRIES.email, 'user.locked_out'],
]);

/** Who is signed in as the person tried to change the password. Anybody else is a stranger, whoever else's session it may have. */
async function recordFailure(ctx: Ctx, { email, user }: Tried, failures: number): Promise<void> {
  const { em, actor, request, requestId, log } = ctx;
  const action = TOLD.get(failures);
  if (!action) return;
  if (!user) {
    // Who measures the time must not learn which addresses there are.
    await KEEP_TRIES.run(ctx.services.database.sql(), { key: emailKey(email) });
    return;
  }
  const { id, accountId } = user;
  if (action === 'user.locked_out')
    log.warn({ event: 'sign_in_locked_out', userId: id, accountId }, 'too many sign-ins of a person have failed');
  const by = actor.kind === 'user' && actor.userId === id ? actor : ({ kind: 'stranger' } as const);
  await recordAudit(em, { request, requestId, actor: by }, { accountId, action, subject: id, details: {} });
}

/** The key of an e-mail address. */
function emailKey(email: string): string {
  return `email/${hashToken(email).toString('hex')}`;
}

/**
 * Takes a place under both keys or under none, so that what is refused unseen counts nowhere, and answers how many the person has taken.
 * @param person null: none is named @throws AppError `rate_limited`
 */
function takePlaces({ services }: Ctx, person: string | null, address: string): Promise<number> {
  // Always in this order: two that want the same places do not lock one another.
  return services.database.prepared.transaction(async sql => {
    const failures = person === null ? 0 : await takePlace(sql, person, TRIES.email);
    await takePlace(sql, address, TRIES.address);
    return failures;
  });
}

/** Takes a place, and answers how many are taken. @throws AppError `rate_limited` where none is left */
async function takePlace(sql: Sql, key: string, quota: number): Promise<number> {
  const taken = await TAKE_TRY.first(sql, { key, quota });
  if (taken) return taken.failures;
  const wait = await WAIT_FOR_TRY.first(sql, { key });
  const retryAfter = Math.max(1, Math.ceil(wait?.seconds ?? 1));
  const minutes = Math.ceil(retryAfter / 60);
  throw new AppError(
    'rate_limited',
    `Too many sign-ins failed. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { retryAfter },
  );
}

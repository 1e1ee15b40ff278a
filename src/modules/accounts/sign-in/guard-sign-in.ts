/** Holds guessing down: places are taken before a password is looked at, and given back when it was right. */
import type { Ctx } from '../../../context.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import { hashToken } from '../../../kernel/crypto/secrets.ts';
import { AppError } from '../../../kernel/errors.ts';
import { limitKey } from '../../../kernel/network/address.ts';
import { FORGET_TRIES, GIVE_TRY_BACK, TAKE_TRY, WAIT_FOR_TRY } from './session.sql.ts';

/** Sign-ins that may fail before they are refused unseen, until 15 minutes have passed since the last that was looked at. */
export const TRIES = { email: 5, address: 20 } as const;

/** What came of a try. */
interface Tried<Found> {
  /** What the check found; null: the try was wrong. */
  readonly found: Found | null;
  /** How many places of the e-mail address are taken by tries that were wrong; 0 after a right one. */
  readonly failures: number;
}

/**
 * Runs the check of a sign-in where places are left for the caller's address and for the e-mail address (null: none is named).
 * @param check answers what it found, or null where the try was wrong @throws AppError `rate_limited`, and what `check` throws
 */
export async function guardSignIn<Found>(
  ctx: Ctx,
  email: string | null,
  check: () => Promise<Found | null>,
): Promise<Tried<Found>> {
  const { clientAddress } = ctx.request;
  const address = `address/${limitKey(clientAddress) ?? clientAddress}`;
  const person = email === null ? null : emailKey(email);
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
  return { found, failures: found === null ? failures : 0 };
}

/** The key of an e-mail address. */
export function emailKey(email: string): string {
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

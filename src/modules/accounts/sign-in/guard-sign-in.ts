/** Holds guessing down: places are taken before a password is looked at, and given back when it was right. */
import type { Ctx } from '../../../context.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import { hashToken } from '../../../kernel/crypto/secrets.ts';
import { AppError } from '../../../kernel/errors.ts';
import { limitKey } from '../../../kernel/network/address.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { DashboardUser } from '../people/dashboard-user.entity.ts';
import type { KnownDevice } from './known-device.ts';
import { FORGET_TRIES, GIVE_TRY_BACK, KEEP_TRIES, PROLONG_TRIES, TAKE_TRY, WAIT_FOR_TRY } from './session.sql.ts';

/**
 * Passwords that may be wrong before more are refused unseen, until 15 minutes have passed since the last of them. `pair` is one network
 * address for one person, `person` all strangers for one person, `address` one network address for anybody. `device` is a known device,
 * `session` a signed-in person. `codes` of a second factor may be wrong as often.
 */
export const TRIES = { pair: 5, person: 20, address: 20, device: 5, session: 5, codes: 5 } as const;

/** Links for a new password in 15 minutes: for one person, and from one network address. */
const RESETS = { person: 3, address: 10 } as const;

/** Something by which wrong passwords or codes are counted. */
export interface Count {
  readonly key: string;
  readonly quota: number;
  /** When the key ends, by the database's clock; absent: never. */
  readonly until?: Date;
  /** Whether others count here too, whose tries a right password does not forget. */
  readonly isShared?: boolean;
  /** The kind of tries that are counted; absent: passwords. */
  readonly of?: 'codes' | 'links';
}

/** Whose password is tried. */
export interface Tried {
  /** In lower case. */
  readonly email: string;
  /** The person who signs in by the address; null: nobody does. */
  readonly user: DashboardUser | null;
}

/** How strangers are counted. Always in this order: two that want the same places do not lock one another. @param email null: none is named */
export function countsOfStrangers({ request: { clientAddress } }: Ctx, email: string | null): readonly Count[] {
  const address = limitKey(clientAddress) ?? clientAddress;
  const byAddress = { key: `address/${address}`, quota: TRIES.address, isShared: true };
  if (email === null) return [byAddress];
  return [
    { key: `email/${hashed(email)}`, quota: TRIES.person },
    { key: `pair/${hashed(`${email} ${address}`)}`, quota: TRIES.pair },
    byAddress,
  ];
}

/** How a known device is counted: strangers count elsewhere. */
export function countsOfDevice({ id, until }: KnownDevice): readonly Count[] {
  return [{ key: `device/${hashed(id)}`, quota: TRIES.device, until }];
}

/** How a signed-in person is counted, over all sessions of the person. */
export function countsOfSession(userId: string): readonly Count[] {
  return [{ key: `session/${hashed(userId)}`, quota: TRIES.session }];
}

/**
 * How codes of a person are counted, apart from passwords: a right password forgets none of them. Known devices and sessions are counted apart
 * from strangers who know the password. All known devices count together: each reset of the password makes one.
 */
export function countsOfCodes(ctx: Ctx, userId: string, by: KnownDevice | 'session' | 'stranger'): readonly Count[] {
  const rule = { quota: TRIES.codes, of: 'codes' } as const;
  if (by === 'session') return [{ ...rule, key: `code-session/${hashed(userId)}` }];
  if (by !== 'stranger') return [{ ...rule, key: `code-device/${hashed(userId)}`, until: by.until }];
  return [{ ...rule, key: `code/${hashed(userId)}` }, ...countsOfStrangers(ctx, null)];
}

/** How links for a new password are counted: by e-mail address, known or not, and by the network address of the request. */
export function countsOfResets({ request: { clientAddress } }: Ctx, email: string): readonly Count[] {
  const address = limitKey(clientAddress) ?? clientAddress;
  return [
    { key: `reset/${hashed(email)}`, quota: RESETS.person, of: 'links' },
    { key: `reset-address/${address}`, quota: RESETS.address, of: 'links' },
  ];
}

/**
 * Runs the check of a password or code where places are left under all keys, and answers what it found; null: wrong. The audit trail tells
 * who was locked out by it. @param tried null: nobody is named @throws AppError `rate_limited`, and what `check` throws
 */
export async function guardSignIn<Found>(
  ctx: Ctx,
  counts: readonly Count[],
  tried: Tried | null,
  check: () => Promise<Found | null>,
): Promise<Found | null> {
  const sql = ctx.services.database.sql();
  const failures = await takePlaces(ctx, counts);
  const found = await check().catch(async error => {
    // A check that broke off counts nowhere.
    for (const { key } of counts) await GIVE_TRY_BACK.run(sql, { key });
    throw error;
  });
  if (found === null) {
    for (const { key } of counts) await PROLONG_TRIES.run(sql, { key });
    if (tried !== null) await recordFailure(ctx, tried, counts, failures);
    return null;
  }
  for (const { key, isShared = false } of counts) await (isShared ? GIVE_TRY_BACK : FORGET_TRIES).run(sql, { key });
  return found;
}

/** The failures that stand in the audit trail: the first of a row, and those that lock out. So strangers cannot fill it. */
function toldAs(counts: readonly Count[], failures: readonly number[]): AuditAction | null {
  if (counts.some(({ quota, isShared }, index) => !isShared && failures[index] === quota)) return 'user.locked_out';
  return failures[0] === 1 ? 'session.refused' : null;
}

/** Records a failure as done by the person only in a session of that person. Anybody else is a stranger, even in another person's session. */
async function recordFailure(
  ctx: Ctx,
  { email, user }: Tried,
  counts: readonly Count[],
  failures: readonly number[],
): Promise<void> {
  const { em, actor, request, requestId, log } = ctx;
  const action = toldAs(counts, failures);
  if (action === null) return;
  if (!user) {
    // Unknown addresses take as long as known ones: the time must not tell them apart.
    await KEEP_TRIES.run(ctx.services.database.sql(), { key: `email/${hashed(email)}` });
    return;
  }
  const { id, accountId } = user;
  if (action === 'user.locked_out')
    log.warn({ event: 'sign_in_locked_out', userId: id, accountId }, 'too many sign-ins of a person have failed');
  const by = actor.kind === 'user' && actor.userId === id ? actor : ({ kind: 'stranger' } as const);
  await recordAudit(em, { request, requestId, actor: by }, { accountId, action, subject: id, details: {} });
}

/** People mistype passwords into the field of the address. */
function hashed(text: string): string {
  return hashToken(text).toString('hex');
}

/**
 * Takes a place under all keys or under none, so that what is refused unseen counts nowhere, and answers how many are taken under each.
 * @throws AppError `rate_limited`
 */
export function takePlaces({ services }: Ctx, counts: readonly Count[]): Promise<number[]> {
  return services.database.prepared.transaction(async sql => {
    const taken: number[] = [];
    for (const count of counts) taken.push(await takePlace(sql, count));
    return taken;
  });
}

const TOO_MANY = {
  passwords: (again: string) =>
    `Too many wrong passwords. ${again}, or sign in with a browser in which you did before.`,
  codes: (again: string) => `Too many wrong codes. ${again}.`,
  links: (again: string) => `Too many links were asked for. ${again}.`,
} as const;

/** Takes a place, and answers how many are taken. @throws AppError `rate_limited` where none is left */
async function takePlace(sql: Sql, { key, quota, until, of }: Count): Promise<number> {
  const taken = await TAKE_TRY.first(sql, { key, quota, until: until ?? null });
  if (taken) return taken.failures;
  const wait = await WAIT_FOR_TRY.first(sql, { key });
  const retryAfter = Math.max(1, Math.ceil(wait?.seconds ?? 1));
  const minutes = Math.ceil(retryAfter / 60);
  const again = `Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  throw new AppError('rate_limited', TOO_MANY[of ?? 'passwords'](again), { retryAfter });
}

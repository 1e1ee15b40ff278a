/** The verbs on second factors: turn one's own on and off, take that of another person away, require one of all people of an account. */
import type { z } from 'zod';
import { type Ctx, requireAccount, type UserActor } from '../../../context.ts';
import { LOCKED } from '../../../db/locked.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { parseId, toUuid } from '../../../kernel/ids.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { changes, recordOf } from '../../audit/record-audit.ts';
import type { Account } from '../account.entity.ts';
import { announceAccountChange } from '../authenticate.ts';
import { changeAccount } from '../manage-accounts.ts';
import { DashboardUser } from '../people/dashboard-user.entity.ts';
import { changeUser } from '../people/manage-users.ts';
import { peopleAccount, requireStill } from '../people/people-account.ts';
import { requirePerson, withPassword } from '../people/prove-password.ts';
import { countsOfCodes, guardSignIn } from '../sign-in/guard-sign-in.ts';
import { Session } from '../sign-in/session.entity.ts';
import type {
  confirmSecondFactorInput,
  provenInput,
  requireSecondFactorInput,
  startSecondFactorInput,
} from './factor.input.ts';
import { CONFIRM_FACTOR, REMOVE_FACTOR, RENEW_RECOVERY_CODES, START_FACTOR } from './factor.sql.ts';
import { wrongCode } from './sign-in-with-code.ts';
import { newRecoveryCodes, sealSecret, spendCode, stepOfCode } from './spend-code.ts';
import { newSecret, uriOf } from './totp.ts';

/** A secret for an app, which is shown only here. */
export interface NewFactor {
  /** In base32, to type. */
  readonly secret: string;
  /** `otpauth://…`, to draw as a QR code. */
  readonly uri: string;
}

/**
 * Makes the secret of the caller's second factor, which is off until a code of it was given. @throws AppError `unauthenticated` for a wrong
 * password, `rate_limited`, `wrong_area`; `invalid_input` where it is on
 */
export async function startFactor(ctx: Ctx, { password }: z.infer<typeof startSecondFactorInput>): Promise<NewFactor> {
  const actor = requirePerson(ctx);
  const { id, email, passwordHash } = await withPassword(ctx, actor, password, async (user, hash) => ({
    id: user.id,
    email: user.email,
    passwordHash: hash,
  }));
  const secret = newSecret();
  const { keyId, sealed } = sealSecret(ctx.services.keys, id, secret);
  const started = await START_FACTOR.first(ctx.em.getKysely(), { id: toUuid(id), passwordHash, sealed, keyId });
  if (!started) throw new AppError('invalid_input', 'Your second factor is on already. Turn it off first.');
  return { secret, uri: uriOf(secret, email) };
}

/**
 * Turns the caller's second factor on by a code of the app, ends the other sessions, and answers the recovery codes. @throws AppError
 * `invalid_input` on `code`; `rate_limited`, `wrong_area`
 */
export async function confirmFactor(
  ctx: Ctx,
  { code }: z.infer<typeof confirmSecondFactorInput>,
): Promise<readonly string[]> {
  const actor = requirePerson(ctx);
  const { codes, hashes } = newRecoveryCodes();
  const isOn = await withCode(ctx, actor, async (em, user) => {
    const step = stepOfCode(ctx, user, code);
    const sealed = user.secondFactor;
    if (step === null || !sealed) return false;
    const id = toUuid(user.id);
    if (!(await CONFIRM_FACTOR.first(em.getKysely(), { id, sealed, step, codes: hashes }))) return false;
    await em.nativeDelete(Session, { userId: user.id, id: { $ne: actor.sessionId } });
    await recordOf(em, ctx, user, 'second_factor.turned_on', {});
    await announceAccountChange(em);
    return true;
  });
  if (!isOn) throw invalidInput('code', 'is not the one that the app shows now: look at the clock of the phone');
  return codes;
}

/** Makes new recovery codes for the caller, in the place of those that are left. @throws AppError `unauthenticated`, `rate_limited`, `wrong_area` */
export async function renewRecoveryCodes(ctx: Ctx, input: z.infer<typeof provenInput>): Promise<readonly string[]> {
  const { codes, hashes } = newRecoveryCodes();
  await withProof(ctx, input, async (em, user) => {
    await RENEW_RECOVERY_CODES.run(em.getKysely(), { id: toUuid(user.id), codes: hashes });
    await recordOf(em, ctx, user, 'second_factor.recovery_codes_renewed', {});
  });
  return codes;
}

/** Turns the caller's second factor off. @throws AppError `unauthenticated`, `rate_limited`, `wrong_area` */
export function turnOffFactor(ctx: Ctx, input: z.infer<typeof provenInput>): Promise<DashboardUser> {
  return withProof(ctx, input, (em, user) => remove(em, ctx, user, 'second_factor.turned_off'));
}

/**
 * Takes the second factor of a person away who has lost it, and ends the person's sessions. Owners, of others in their account; an operator.
 * @throws AppError `not_found`; `invalid_input` for the own one
 */
export function takeFactorAway(ctx: Ctx, userId: string): Promise<DashboardUser> {
  const { actor } = ctx;
  if (actor.kind === 'user' && actor.userId === parseId('usr', userId))
    throw invalidInput('userId', 'is your own: turn your second factor off with a code');
  return changeUser(ctx, userId, async (user, em) => {
    if (!user.secondFactorSince) return;
    await em.nativeDelete(Session, { userId: user.id });
    await remove(em, ctx, user, 'second_factor.taken_away');
  });
}

/** Sets whether everybody of an account who signs in by password must have a second factor. @throws AppError `not_found`; `invalid_input` as `requireAccount` */
export async function requireFactor(
  ctx: Ctx,
  { accountId, isRequired }: z.infer<typeof requireSecondFactorInput>,
): Promise<Account> {
  const within = peopleAccount(ctx, accountId ?? null) ?? requireAccount(ctx).account.id;
  return changeAccount(ctx, within, 'account.updated', async (account, em) => {
    await requireStill(em, ctx.actor, 'people');
    const { secondFactorRequired } = account;
    account.secondFactorRequired = isRequired;
    return changes({ secondFactorRequired }, { secondFactorRequired: isRequired });
  });
}

/** Changes something for who has shown password and code, in one transaction with the use of the code. */
async function withProof<Result>(
  ctx: Ctx,
  { password, code }: z.infer<typeof provenInput>,
  change: (em: Ctx['em'], user: DashboardUser) => Promise<Result>,
): Promise<Result> {
  const actor = requirePerson(ctx);
  await withPassword(ctx, actor, password, async () => undefined);
  const changed = await withCode(ctx, actor, async (em, user) =>
    (await spendCode(em, ctx, user, code)) ? { result: await change(em, user) } : false,
  );
  if (!changed) throw wrongCode();
  return changed.result;
}

/** Checks a code of the caller where tries are left, with the person locked; false: it was wrong. */
async function withCode<Found>(
  ctx: Ctx,
  { userId: id, email }: UserActor,
  check: (em: Ctx['em'], user: DashboardUser) => Promise<Found | false>,
): Promise<Found | null> {
  const tried = { email, user: await ctx.em.findOne(DashboardUser, { id }) };
  return guardSignIn(ctx, countsOfCodes(ctx, id, 'session'), tried, () =>
    ctx.em.transactional(async em => {
      const user = await em.findOne(DashboardUser, { id }, LOCKED);
      return (user && (await check(em, user))) || null;
    }),
  );
}

async function remove(em: Ctx['em'], ctx: Ctx, user: DashboardUser, action: AuditAction): Promise<DashboardUser> {
  await REMOVE_FACTOR.run(em.getKysely(), { id: toUuid(user.id) });
  await recordOf(em, ctx, user, action, {});
  await announceAccountChange(em);
  await em.refresh(user);
  return user;
}

/** Codes of a second factor, used up as they are looked at: those of an app, and recovery codes. */
import type { Ctx } from '../../../context.ts';
import { defineReseal } from '../../../db/statements/reseal.sql.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../../kernel/crypto/sealed.ts';
import { hashToken, newPassword } from '../../../kernel/crypto/secrets.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { byPerson, recordOf } from '../../audit/record-audit.ts';
import type { DashboardUser } from '../people/dashboard-user.entity.ts';
import { USE_RECOVERY_CODE, USE_STEP } from './factor.sql.ts';
import { stepOf } from './totp.ts';

const PURPOSE = 'second-factor';

/** How many recovery codes a person is given. */
const RECOVERY_CODES = 10;

/** A code of an app, without the blanks that people type into it. */
const APP_CODE = /^\d{6}$/;

/** Seals the secret of a person. */
export function sealSecret(keys: KeyRing, userId: string, secret: string) {
  return seal(keys, PURPOSE, secret, userId);
}

/** Seals anew the secrets of former keys. */
export const resealFactors = defineReseal({
  table: 'dashboard_users',
  column: 'second_factor',
  keyColumn: 'second_factor_key_id',
  prefix: 'usr',
  purpose: PURPOSE,
});

/** Makes recovery codes: what is shown once, and what is stored. Each has 100 random bits, so a slow hash is needless. */
export function newRecoveryCodes(): { readonly codes: readonly string[]; readonly hashes: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, newPassword);
  return { codes, hashes: codes.map(code => hashOf(plain(code))) };
}

/** Opens it; null: there is none, or its key is lost. */
function openSecret(
  keys: KeyRing,
  { id, secondFactor, secondFactorKeyId }: Pick<DashboardUser, 'id' | 'secondFactor' | 'secondFactorKeyId'>,
): string | null {
  if (!secondFactor || !secondFactorKeyId) return null;
  return unseal(keys, PURPOSE, { keyId: secondFactorKeyId, sealed: secondFactor }, id);
}

/** The step of a code of the person's app; null: it is none. */
export function stepOfCode({ services, clock }: Ctx, user: DashboardUser, code: string): number | null {
  const text = plain(code);
  const secret = APP_CODE.test(text) ? openSecret(services.keys, user) : null;
  return secret === null ? null : stepOf(secret, text, clock.now());
}

/** Uses a code of a person up in the transaction of `em`, and answers whether it was right: a code is so once. */
export async function spendCode(em: Ctx['em'], ctx: Ctx, user: DashboardUser, code: string): Promise<boolean> {
  const [sql, id] = [em.getKysely(), toUuid(user.id)];
  if (APP_CODE.test(plain(code))) {
    const step = stepOfCode(ctx, user, code);
    if (step === null) return false;
    return (await USE_STEP.first(sql, { id, sealed: user.secondFactor ?? '', step })) !== undefined;
  }
  const used = await USE_RECOVERY_CODE.first(sql, { id, hash: hashOf(plain(code)) });
  if (!used) return false;
  await recordOf(em, byPerson(ctx, user), user, 'second_factor.recovery_code_used', { left: used.left });
  return true;
}

function plain(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase();
}

function hashOf(code: string): string {
  return hashToken(code).toString('hex');
}

/** The verb *forget a secret key*: gives up the data of a lost key, so that gateways start without it. */
import type { Ctx } from '../../context.ts';
import { requireOperator } from '../../context.ts';
import { runSql } from '../../db/statements/sql.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { readCanary, sealCanary } from './canary.ts';

const KEY_ID = /^[0-9a-f]{8}$/;

/** What was given up. */
export interface ForgottenKey {
  readonly keyId: string;
  /** Live OTPs that were cancelled. */
  readonly passcodes: number;
  /** Webhook endpoints that cannot sign until their secret is rotated. */
  readonly endpoints: number;
}

/**
 * Cancels the live OTPs of a key, blanks its webhook secrets, and, if the database belongs to it, moves the canary to
 * the current key. Irreversible. The operator only.
 * @throws AppError `unauthenticated`, `wrong_area`; `invalid_input` for an invalid `keyId`, or a key that this process
 * has; `not_found` if nothing needs the key
 */
export async function forgetSecretKey(ctx: Ctx, keyId: string): Promise<ForgottenKey> {
  requireOperator(ctx);
  const { keys } = ctx.services;
  if (!KEY_ID.test(keyId)) throw invalidInput('keyId', 'must be the id of a key, 8 hex digits');
  if (keys.ids.includes(keyId)) throw invalidInput('keyId', 'is the id of a key that this gateway has');
  return ctx.em.transactional(async em => {
    const sql = em.getKysely();
    const canary = await readCanary(sql);
    const isOwner = canary?.keyId === keyId && (await sealCanary(sql, keys, canary));
    const [lost] = await runSql<{ passcodes: number; endpoints: number }>(
      sql,
      `with cancelled as (
         update otps set status = 'cancelled' where key_id = $1 and status in ('pending', 'sent') returning 1
       ), blanked as (
         update webhook_endpoints
         set secret = case when secret_key_id = $1 then '' else secret end,
             secret_key_id = case when secret_key_id = $1 then '' else secret_key_id end,
             previous_secret = case when previous_secret_key_id = $1 then null else previous_secret end,
             previous_secret_until = case when previous_secret_key_id = $1 then null else previous_secret_until end,
             previous_secret_key_id = nullif(previous_secret_key_id, $1)
         where secret_key_id = $1 or previous_secret_key_id = $1 returning 1
       )
       select (select count(*) from cancelled)::int as passcodes, (select count(*) from blanked)::int as endpoints`,
      [keyId],
    );
    const { passcodes = 0, endpoints = 0 } = lost ?? {};
    if (!isOwner && passcodes + endpoints === 0)
      throw new AppError('not_found', 'Nothing in this database needs a key with this id.');
    const details = { passcodes, endpoints };
    await recordAudit(em, ctx, { accountId: null, action: 'secret_key.forgotten', subject: keyId, details });
    return { keyId, ...details };
  });
}

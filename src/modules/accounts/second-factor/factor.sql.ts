/** The statements on second factors. Of any number at once that use one code, one has a row. */
import { statement } from '../../../db/statements/statement.ts';

/** Keeps the secret of a factor that is not on yet, in the place of one that was not confirmed. No row: it is on, or the password was changed. */
export const START_FACTOR = statement('start factor', {
  takes: { id: 'uuid', passwordHash: 'text', sealed: 'text', keyId: 'text' },
  gives: { id: 'uuid' },
  sql: p => `update dashboard_users set second_factor = ${p.sealed}, second_factor_key_id = ${p.keyId}, second_factor_step = null
    where id = ${p.id} and password_hash = ${p.passwordHash} and second_factor_since is null returning id`,
});

/** Turns a factor on by a code of this step; no row: it is on, or the secret is another one. */
export const CONFIRM_FACTOR = statement('confirm factor', {
  takes: { id: 'uuid', sealed: 'text', step: 'int', codes: 'text[]' },
  gives: { id: 'uuid' },
  sql: p => `update dashboard_users
    set second_factor_since = clock_timestamp(), second_factor_step = ${p.step}, recovery_codes = ${p.codes}
    where id = ${p.id} and second_factor = ${p.sealed} and second_factor_since is null returning id`,
});

/** Uses a step up, and with it all before; no row: it is used, or the factor is off. */
export const USE_STEP = statement('use step', {
  takes: { id: 'uuid', sealed: 'text', step: 'int' },
  gives: { id: 'uuid' },
  sql: p => `update dashboard_users set second_factor_step = ${p.step}
    where id = ${p.id} and second_factor = ${p.sealed} and second_factor_since is not null and second_factor_step < ${p.step}
    returning id`,
});

/** Uses a recovery code up, and answers how many are left; no row: there is no such code. */
export const USE_RECOVERY_CODE = statement('use recovery code', {
  takes: { id: 'uuid', hash: 'text' },
  gives: { left: 'int' },
  sql: p => `update dashboard_users set recovery_codes = array_remove(recovery_codes, ${p.hash})
    where id = ${p.id} and second_factor_since is not null and ${p.hash} = any(recovery_codes)
    returning cardinality(recovery_codes) as left`,
});

/** Puts new recovery codes in the place of those that are left; no row: the factor is off. */
export const RENEW_RECOVERY_CODES = statement('renew recovery codes', {
  takes: { id: 'uuid', codes: 'text[]' },
  gives: { id: 'uuid' },
  sql: p => `update dashboard_users set recovery_codes = ${p.codes}
    where id = ${p.id} and second_factor_since is not null returning id`,
});

/** Takes a factor away, with its recovery codes; no row: there is none. */
export const REMOVE_FACTOR = statement('remove factor', {
  takes: { id: 'uuid' },
  gives: { id: 'uuid' },
  sql: p => `update dashboard_users set second_factor = null, second_factor_key_id = null, second_factor_since = null,
      second_factor_step = null, recovery_codes = '{}'
    where id = ${p.id} and second_factor_since is not null returning id`,
});

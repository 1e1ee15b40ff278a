/**
 * What an overtaken process knows of its attempts may say more than the end that another one wrote meanwhile: that a provider took
 * what nobody knew of, or refused it. The attempts and the send are raised to it, what was accepted is charged, and its events are told.
 */
import type { Ctx } from '../../../context.ts';
import { runSql } from '../../../db/statements/sql.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { ChannelAttempt } from '../attempt.entity.ts';
import type { Send } from '../send.ts';
import type { SendTable } from '../settle.sql.ts';
import { HEAL_MESSAGE, HEAL_OTP, RAISE_UNKNOWN } from './recover.sql.ts';

/**
 * Heals a send that another process has ended, and answers whether all of these attempts are stored; until they are, nothing can be added to
 * them.
 * @param known the attempts whose outcome the overtaken process knows
 */
export async function healOvertaken(
  ctx: Ctx,
  table: SendTable['table'],
  { id, accountId }: Send,
  known: readonly ChannelAttempt[],
): Promise<boolean> {
  return ctx.services.database.prepared.transaction(async sql => {
    // As everywhere the account comes first; receipts lock the send as well, before they look at its attempts.
    await runSql(sql, 'select 1 from accounts where id = $1 for no key update', [toUuid(accountId)]);
    await runSql(sql, `select 1 from ${table} where id = $1 for update`, [toUuid(id)]);
    const account = toUuid(accountId);
    await RAISE_UNKNOWN.run(sql, { known, account, logged: known.map(attempt => attempt.id) });
    await (table === 'messages' ? HEAL_MESSAGE : HEAL_OTP).run(sql, { id: toUuid(id), account });
    const ids = known.map(attempt => toUuid(attempt.id));
    const stored = await runSql(sql, 'select 1 from attempts where id = any($1)', [ids]);
    return stored.length === known.length;
  });
}

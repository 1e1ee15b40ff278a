/**
 * What an overtaken process knows of its attempts may say more than the end that another one wrote meanwhile: that a provider took
 * what nobody knew of, or refused it. The attempts and the send are raised to it, what was accepted is charged, and its events are told.
 */
import { defineBatch } from '../../../db/batch.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { ChannelAttempt } from '../attempt.entity.ts';
import type { Send } from '../send.ts';
import { LOCK_ACCOUNTS, LOCK_SENDS, type SendTable } from '../settle.sql.ts';
import { ARE_STORED, HEAL_MESSAGE, HEAL_OTP, RAISE_UNKNOWN } from './recover.sql.ts';

/** A send that another process has ended. */
export interface Overtaken {
  readonly send: Send;
  /** The attempts whose outcome the overtaken process knows. */
  readonly known: readonly ChannelAttempt[];
}

/**
 * The batches that heal sends, by their table. They answer whether all of these attempts are stored; until they are, nothing can be added to
 * them.
 */
export const healOvertaken = { messages: defineHeal('messages'), otps: defineHeal('otps') };

function defineHeal(table: SendTable['table']) {
  return defineBatch<Overtaken, boolean>(`heal ${table}`, async (sql, items) => {
    // As everywhere the account comes first; receipts lock the send as well, before they look at its attempts.
    await LOCK_ACCOUNTS.run(sql, { ids: items.map(({ send }) => toUuid(send.accountId)) });
    const ids = items.map(({ send }) => toUuid(send.id)).sort();
    await LOCK_SENDS[table].run(sql, { ids, lowestId: ids[0] ?? null, highestId: ids.at(-1) ?? null });
    const results: boolean[] = [];
    for (const item of items) results.push(await heal(sql, table, item));
    return results;
  });
}

async function heal(sql: Sql, table: SendTable['table'], { send, known }: Overtaken): Promise<boolean> {
  const [id, account] = [toUuid(send.id), toUuid(send.accountId)];
  await RAISE_UNKNOWN.run(sql, { known, account, logged: known.map(attempt => attempt.id) });
  await (table === 'messages' ? HEAL_MESSAGE : HEAL_OTP).run(sql, { id, account });
  const [stored] = await ARE_STORED.run(sql, { ids: known.map(attempt => toUuid(attempt.id)) });
  return stored?.are_stored ?? false;
}

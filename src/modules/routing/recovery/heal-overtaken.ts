/**
 * Heals sends that another process took over and ended: the overtaken process may know that a provider took an attempt, or refused it.
 * The attempts and the send are raised to that, accepted attempts are charged, and the events are told.
 */
import { defineBatch } from '../../../db/batch.ts';
import { rangedIds } from '../../../db/statements/ranged-ids.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { ChannelAttempt } from '../attempt.entity.ts';
import type { Send } from '../send.ts';
import { LOCK_ACCOUNTS, LOCK_SENDS, type SendTable } from '../settle.sql.ts';
import { HEAL_MESSAGES, HEAL_OTPS, RAISE_UNKNOWN, STORED_ATTEMPTS } from './recover.sql.ts';

/** A send that another process has ended. */
interface Overtaken {
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
    const accounts = items.map(({ send }) => toUuid(send.accountId));
    const sends = rangedIds(items.map(({ send }) => toUuid(send.id)));
    const told = items.flatMap(item => item.known);
    // Each once, by a process that knows its outcome.
    const outcomes = told.filter(({ status }) => status !== 'unknown').map(attempt => [attempt.id, attempt] as const);
    const known = [...new Map(outcomes).values()];
    // As everywhere accounts come first; receipts lock the sends as well, before they look at their attempts.
    await LOCK_ACCOUNTS.run(sql, { ids: accounts });
    await LOCK_SENDS[table].run(sql, sends);
    await RAISE_UNKNOWN.run(sql, { known, accounts, logged: known.map(({ id }) => id) });
    await (table === 'messages' ? HEAL_MESSAGES : HEAL_OTPS).run(sql, { ids: sends.ids, accounts });
    const rows = await STORED_ATTEMPTS.run(sql, { ids: told.map(({ id }) => toUuid(id)) });
    const stored = new Set(rows.map(({ id }) => id));
    return items.map(item => item.known.every(({ id }) => stored.has(toUuid(id))));
  });
}

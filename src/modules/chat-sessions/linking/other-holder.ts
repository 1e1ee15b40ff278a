/** The connection that has linked a number before another one is to: a number has one socket. */
import type { Database } from '../../../db/orm.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { Connection } from '../../connections/connection.entity.ts';
import type { ConnectionTable } from '../../connections/live/connection-table.ts';
import { ChatSession } from '../chat-session.entity.ts';
import { unlinkSession } from '../locked-number.ts';

/** Why a connection cannot link a number, in a sentence; null: no other one has. One of another account is not named, and a removed one is unlinked. @throws errors of the database */
export async function otherHolder(
  { database, table }: { readonly database: Database; readonly table: Pick<ConnectionTable, 'get'> },
  connectionId: string,
  number: string,
): Promise<string | null> {
  const where = { number, state: 'linked', connectionId: { $ne: connectionId } } as const;
  const em = database.fork();
  const session = await em.findOne(ChatSession, where);
  if (!session) return null;
  // A process of the release before keeps the session of a connection that it removes. Nobody could unlink it any more.
  if (await em.count(Connection, { id: session.connectionId, removedAt: { $ne: null } })) {
    await database.fork().transactional(within => unlinkSession(within, toUuid(session.connectionId)));
    return null;
  }
  const [own, other] = [table.get(connectionId), table.get(session.connectionId)];
  const isNamed = other && (other.accountId === null || other.accountId === own?.accountId);
  const holder = isNamed ? `the connection ${other.name} (${other.id})` : 'another connection';
  return `The number is linked by ${holder}. Unlink it there first.`;
}

/** Takes a session that is to be linked. */
import type { Database } from '../../../db/orm.ts';
import { TAKE_TO_LINK } from '../lease.sql.ts';
import { LEASE_SECONDS } from '../lease-time.ts';
import { withLockedNumber } from '../locked-number.ts';

/** Takes it for an owner, without any key that its owner before has stored. Answers whether it was to be had. @throws errors of the database */
export async function takeToLink(database: Database, connection: string, owner: string): Promise<boolean> {
  const lease = { connection, owner, leaseSeconds: LEASE_SECONDS };
  return (await withLockedNumber(database, connection, sql => TAKE_TO_LINK.first(sql, lease))) !== undefined;
}

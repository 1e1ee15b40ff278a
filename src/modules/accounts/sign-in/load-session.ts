/** Finds who is signed in, by what the cookie holds. */
import type { Actor, OperatorActor, UserActor } from '../../../context.ts';
import type { Database } from '../../../db/orm.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { hashToken, secretsEqual } from '../../../kernel/crypto/secrets.ts';
import { noSuchAccount } from '../../../kernel/errors.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import { ROLES } from '../../../kernel/role.ts';
import { loadAccount } from '../load-account.ts';
import { LOAD_SESSION, RELOAD_SESSION, TOUCH_SESSION } from './session.sql.ts';

/** What makes an actor of a session. */
export interface SessionSource {
  readonly database: Database;
  /** The operator's token; null: there is none. */
  readonly operatorToken: string | null;
}

/**
 * Who is signed in by a session's token; null: nobody, since it is over or its operator's token was changed.
 * @param accountId the account that an operator acts for @throws AppError `not_found` for that account, and what the driver throws
 */
export async function loadSession(
  { database, operatorToken }: SessionSource,
  token: string,
  accountId: string | undefined,
): Promise<UserActor | OperatorActor | null> {
  const row = await LOAD_SESSION.first(database.sql(), { hash: hashToken(token).toString('hex') });
  if (!row) return null;
  // In the background: the request neither waits nor fails.
  if (row.is_stale) void TOUCH_SESSION.run(database.sql(), { id: row.session_id }).catch(() => undefined);
  if (row.operator_hash === null) return personOf(database, row);
  const isPresent = operatorToken !== null && secretsEqual(row.operator_hash, operatorHashOf(operatorToken));
  return isPresent ? operatorOf(database, row, accountId) : null;
}

/** The present state of a caller who is signed in; null: no longer. For subscriptions, which outlive a cached session. */
export async function reloadSession(
  database: Database,
  actor: UserActor | (OperatorActor & { readonly sessionId: string }),
): Promise<Actor | null> {
  const row = await RELOAD_SESSION.first(database.sql(), { id: toUuid(actor.sessionId) });
  if (!row) return null;
  return actor.kind === 'user' ? personOf(database, row) : operatorOf(database, row, actor.account?.id);
}

/** What an operator's session keeps of the token that it was made with. */
export function operatorHashOf(operatorToken: string): string {
  return hashToken(operatorToken).toString('hex');
}

/** Null if a later release made the role. */
async function personOf(database: Database, row: Answer<typeof LOAD_SESSION>): Promise<UserActor | null> {
  const role = ROLES.find(candidate => candidate === row.role);
  if (row.user_id === null || row.email === null || row.account_id === null || !role) return null;
  const account = await loadAccount(database, fromUuid('acc', row.account_id));
  if (!account) return null;
  const [userId, sessionId] = [fromUuid('usr', row.user_id), fromUuid('ses', row.session_id)];
  return { kind: 'user', userId, email: row.email, sessionId, role, account };
}

async function operatorOf(
  database: Database,
  row: Answer<typeof LOAD_SESSION>,
  accountId: string | undefined,
): Promise<OperatorActor> {
  const sessionId = fromUuid('ses', row.session_id);
  if (accountId === undefined) return { kind: 'operator', account: null, sessionId };
  const account = await loadAccount(database, accountId);
  if (!account) throw noSuchAccount();
  return { kind: 'operator', account, sessionId };
}

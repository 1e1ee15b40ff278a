/** Finds the signed-in caller, by the token that the cookie holds. */
import type { AccountGrant, OperatorActor, UserActor } from '../../../context.ts';
import type { Database } from '../../../db/orm.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { hashToken, secretsEqual } from '../../../kernel/crypto/secrets.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import { ROLES } from '../../../kernel/role.ts';
import { loadAccount, loadAccounts, loadActedFor } from '../load-account.ts';
import { LOAD_SESSION, RELOAD_SESSIONS, TOUCH_SESSION } from './session.sql.ts';

/** The sources of the actor of a session. */
interface SessionSource {
  readonly database: Database;
  /** The operator's token; null: there is none. */
  readonly operatorToken: string | null;
}

/**
 * The actor of a session's token; null: the session is over, or its operator's token was changed.
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
  if (row.operator_hash === null) {
    const account = row.account_id === null ? null : await loadAccount(database, fromUuid('acc', row.account_id));
    return personOf(row, account);
  }
  const isPresent = operatorToken !== null && secretsEqual(row.operator_hash, operatorHashOf(operatorToken));
  if (!isPresent) return null;
  const account = await loadActedFor(database, accountId);
  return { kind: 'operator', account, sessionId: fromUuid('ses', row.session_id) };
}

/** A caller who is signed in by a browser. */
export type SignedIn = UserActor | (OperatorActor & { readonly sessionId: string });

/** The present state of those of these callers who are signed in still. For subscriptions, which outlive a cached session. */
export async function reloadSessions(
  database: Database,
  callers: readonly SignedIn[],
): Promise<Map<SignedIn, UserActor | OperatorActor>> {
  const ids = new Set(callers.map(({ sessionId }) => toUuid(sessionId)));
  const accountIds = new Set(callers.flatMap(({ account }) => account?.id ?? []));
  const [rows, accounts] = await Promise.all([
    RELOAD_SESSIONS.run(database.sql(), { ids: [...ids] }),
    loadAccounts(database, [...accountIds]),
  ]);
  const byId = new Map(rows.map(row => [fromUuid('ses', row.session_id), row]));
  return new Map(
    callers.flatMap(caller => {
      const row = byId.get(caller.sessionId);
      const account = accounts.get(caller.account?.id ?? '') ?? null;
      if (!row) return [];
      const present = caller.kind === 'user' ? personOf(row, account) : { ...caller, account };
      return present ? [[caller, present] as const] : [];
    }),
  );
}

/** The hash of the operator's token that a session of the operator keeps. */
export function operatorHashOf(operatorToken: string): string {
  return hashToken(operatorToken).toString('hex');
}

/** Null if a later release made the role. */
function personOf(row: Answer<typeof LOAD_SESSION>, account: AccountGrant | null): UserActor | null {
  const role = ROLES.find(candidate => candidate === row.role);
  if (row.user_id === null || row.email === null || !account || !role) return null;
  const [userId, sessionId] = [fromUuid('usr', row.user_id), fromUuid('ses', row.session_id)];
  return { kind: 'user', userId, email: row.email, sessionId, role, account, mustEnrol: row.must_enrol === true };
}

/** Reads what authentication and routing need of an account, in one statement. */
import type { AccountGrant } from '../../context.ts';
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { AREAS, type Area } from '../../kernel/crypto/secrets.ts';
import { fromUuid, parseId, toUuid } from '../../kernel/ids.ts';
import { LOAD_ACCOUNT, LOAD_TOKENS, RELOAD_TOKEN, TOUCH_TOKENS } from './load-account.sql.ts';
import { readOtpSettings } from './otp-settings.policy.ts';

/** A live token and the account behind it. */
export interface TokenGrant {
  readonly tokenId: string;
  readonly area: Area;
  readonly account: AccountGrant;
}

interface LiveTokens {
  /** By hash. */
  readonly grants: Map<string, TokenGrant>;
  /** Ids of those tokens whose last use must be stored (it is kept to the minute). */
  readonly staleIds: readonly string[];
}

/** The account of an id, or null if there is none. */
export async function loadAccount(database: Database, id: string): Promise<AccountGrant | null> {
  const known = parseId('acc', id);
  if (known === null) return null;
  const row = await LOAD_ACCOUNT.first(database.sql(), { id: toUuid(known) });
  return row ? toGrant(row) : null;
}

/** The live tokens with these hashes (SHA-256, lower-case hex), by hash. */
export async function loadTokens(sql: Sql, hashes: readonly string[]): Promise<Map<string, TokenGrant>> {
  return (await loadUsedTokens(sql, hashes)).grants;
}

/** The same for tokens that are used now, with those whose last use must be stored (`touchTokens`). */
export async function loadUsedTokens(sql: Sql, hashes: readonly string[]): Promise<LiveTokens> {
  const rows = await LOAD_TOKENS.run(sql, { hashes });
  return {
    grants: new Map(rows.flatMap(row => toTokenGrants(row).map(grant => [row.hash, grant] as const))),
    staleIds: rows.filter(row => row.is_stale).map(row => fromUuid('tok', row.token_id)),
  };
}

/** Stores that these tokens were used now. Skips rows that another process updates. @throws what the driver throws */
export async function touchTokens(sql: Sql, tokenIds: readonly string[]): Promise<void> {
  await TOUCH_TOKENS.run(sql, { ids: tokenIds.map(toUuid) });
}

/** The present state of a token, or null if it is not alive. For subscriptions, which outlive a cached token. */
export async function reloadToken(sql: Sql, tokenId: string): Promise<TokenGrant | null> {
  const row = await RELOAD_TOKEN.first(sql, { id: toUuid(tokenId) });
  return row ? (toTokenGrants(row)[0] ?? null) : null;
}

/** Empty if a later release made the area. */
function toTokenGrants(row: Answer<typeof LOAD_TOKENS>): TokenGrant[] {
  const area = AREAS.find(candidate => candidate === row.area);
  return area ? [{ tokenId: fromUuid('tok', row.token_id), area, account: toGrant(row) }] : [];
}

function toGrant(row: Answer<typeof LOAD_ACCOUNT>): AccountGrant {
  return {
    id: fromUuid('acc', row.account_id),
    unifiedApi: row.unified_api,
    planExpired: row.plan_expired,
    rateLimit: row.rate_limit,
    smartEncoding: row.smart_encoding,
    otp: readOtpSettings(row.otp_settings),
    senders: row.senders,
  };
}

/** Reads what authentication and routing need of an account, in one statement. */
import type { AccountGrant } from '../../context.ts';
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { AREAS, type Area } from '../../kernel/crypto/secrets.ts';
import { noSuchAccount } from '../../kernel/errors.ts';
import { parseId, toUuid } from '../../kernel/ids.ts';
import { LOAD_ACCOUNTS, LOAD_TOKENS, RELOAD_TOKENS, TOUCH_TOKENS } from './load-account.sql.ts';
import { readOtpSettings } from './settings/otp-settings.policy.ts';

/** A live token and the account behind it. */
export interface TokenGrant {
  readonly tokenId: string;
  readonly area: Area;
  readonly account: AccountGrant;
}

interface LiveTokens {
  /** By hash. */
  readonly grants: Map<string, TokenGrant>;
  /** Those tokens whose last use must be stored (it is kept to the minute). */
  readonly stale: readonly { readonly tokenId: string; readonly hash: string }[];
}

/** The account of an id, or null if there is none. */
export async function loadAccount(database: Database, id: string): Promise<AccountGrant | null> {
  const known = parseId('acc', id);
  return known === null ? null : ((await loadAccounts(database, [known])).get(known) ?? null);
}

/** The account that an operator acts for; null: none is named. @throws AppError `not_found` */
export async function loadActedFor(database: Database, id: string | undefined): Promise<AccountGrant | null> {
  if (id === undefined) return null;
  const account = await loadAccount(database, id);
  if (!account) throw noSuchAccount();
  return account;
}

/** The accounts of these ids, by id. */
export async function loadAccounts(database: Database, ids: readonly string[]): Promise<Map<string, AccountGrant>> {
  const rows = await LOAD_ACCOUNTS.run(database.sql(), { ids: ids.map(toUuid) });
  return new Map(rows.map(toGrant).map(grant => [grant.id, grant]));
}

/** The live tokens with these hashes (SHA-256, lower-case hex), with those whose last use must be stored (`touchTokens`). */
export async function loadUsedTokens(sql: Sql, hashes: readonly string[]): Promise<LiveTokens> {
  const rows = await LOAD_TOKENS.run(sql, { hashes });
  return {
    grants: new Map(rows.flatMap(row => toTokenGrants(row).map(grant => [row.hash, grant] as const))),
    stale: rows.filter(({ isStale }) => isStale),
  };
}

/** One use of a token, and the address that it was used from; null: not known. */
export interface TokenUse {
  readonly tokenId: string;
  readonly address: string | null;
}

/** Stores that these tokens were used now. Skips rows that another process updates. @throws the driver's error */
export async function touchTokens(sql: Sql, uses: readonly TokenUse[]): Promise<void> {
  await TOUCH_TOKENS.run(sql, { uses: uses.map(({ tokenId, address }) => ({ id: toUuid(tokenId), address })) });
}

/** The present state of those of these tokens that are alive, by id. For subscriptions, which outlive a cached token. */
export async function reloadTokens(sql: Sql, tokenIds: readonly string[]): Promise<Map<string, TokenGrant>> {
  const rows = await RELOAD_TOKENS.run(sql, { ids: tokenIds.map(toUuid) });
  return new Map(rows.flatMap(toTokenGrants).map(grant => [grant.tokenId, grant]));
}

/** Empty if a later release made the area. */
function toTokenGrants({ tokenId, hash, isStale, ...row }: Answer<typeof LOAD_TOKENS>): TokenGrant[] {
  const { area: named, ...account } = row;
  const area = AREAS.find(candidate => candidate === named);
  return area ? [{ tokenId, area, account: toGrant(account) }] : [];
}

function toGrant(row: Answer<typeof LOAD_ACCOUNTS>): AccountGrant {
  return { ...row, otp: readOtpSettings(row.otp) };
}

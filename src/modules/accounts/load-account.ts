/** Reads what routing and the edges must know of an account, in one statement. */
import type { AccountGrant, SenderGrant } from '../../context.ts';
import type { Database } from '../../db/orm.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { AREAS, type Area } from '../../kernel/crypto/secrets.ts';
import { fromUuid, parseId, toUuid } from '../../kernel/ids.ts';
import { readOtpSettings } from './otp-settings.policy.ts';

/** A grant as the statements below answer it. */
interface GrantRow {
  account_id: string;
  unified_api: boolean;
  plan_expired: boolean;
  rate_limit: number | null;
  otp_settings: unknown;
  senders: SenderGrant[];
}

/** A live token as the statement answers it. */
interface TokenRow extends GrantRow {
  token_id: string;
  hash: string;
  area: string;
  is_stale: boolean;
}

/** The columns of a grant. Whether the plan is over is decided by the database's clock. */
const GRANT = `
  a.id as account_id, a.unified_api, coalesce(a.plan_expires_at <= now(), false) as plan_expired,
  a.rate_limit, a.otp_settings,
  (select coalesce(json_agg(json_build_object('channel', s.channel, 'address', s.address, 'approved', s.approved_at is not null,
     'isDefault', s.is_default, 'templateRequired', s.template_required, 'otpTemplate', s.otp_template) order by s.id), '[]'::json)
   from senders s where s.account_id = a.id) as senders`;

/** Whether what is kept of the last use of a token is older than it should be. */
const IS_STALE = `coalesce(t.last_used_at < clock_timestamp() - interval '1 minute', true)`;

const TOKEN = `t.id as token_id, t.hash, t.area, ${IS_STALE} as is_stale, ${GRANT}`;

/** What is neither revoked nor over, by the database's clock. */
const IS_ALIVE = '(t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp()))';

/** A token that is alive, with what it opens. */
export interface TokenGrant {
  readonly tokenId: string;
  readonly area: Area;
  readonly account: AccountGrant;
}

/** Live tokens that are used. */
export interface LiveTokens {
  /** By hash. */
  readonly grants: Map<string, TokenGrant>;
  /** Ids of those among them whose last use is to be written: it is kept to the minute. */
  readonly staleIds: readonly string[];
}

/** The account of an id, or null where there is none. */
export async function loadAccount(database: Database, id: string): Promise<AccountGrant | null> {
  const known = parseId('acc', id);
  if (known === null) return null;
  const [row] = await runSql<GrantRow>(database.sql(), `select ${GRANT} from accounts a where a.id = $1`, [
    toUuid(known),
  ]);
  return row ? toGrant(row) : null;
}

/** The live tokens with these hashes (SHA-256, lower-case hex), by hash. What was revoked or is over is not among them. */
export async function loadTokens(sql: Sql, hashes: readonly string[]): Promise<Map<string, TokenGrant>> {
  return (await loadUsedTokens(sql, hashes)).grants;
}

/** The same for tokens that are used now: with those whose last use is to be written (`touchTokens`). */
export async function loadUsedTokens(sql: Sql, hashes: readonly string[]): Promise<LiveTokens> {
  const rows = await runSql<TokenRow>(
    sql,
    `select ${TOKEN} from tokens t join accounts a on a.id = t.account_id
     where t.hash in (select json_array_elements_text($1::json)) and ${IS_ALIVE}`,
    [JSON.stringify(hashes)],
  );
  return {
    grants: new Map(rows.flatMap(row => toTokenGrants(row).map(grant => [row.hash, grant] as const))),
    staleIds: rows.filter(row => row.is_stale).map(row => fromUuid('tok', row.token_id)),
  };
}

/**
 * Writes that these tokens are used now. One that another process writes at the same time is left to it, so nobody waits.
 * @throws what the driver throws
 */
export async function touchTokens(sql: Sql, tokenIds: readonly string[]): Promise<void> {
  await runSql(
    sql,
    `update tokens set last_used_at = clock_timestamp() where id in (
       select t.id from tokens t where t.id = any($1::uuid[]) and ${IS_STALE} for no key update skip locked)`,
    [tokenIds.map(toUuid)],
  );
}

/** A token as it stands now; null where it is not alive any more. For what lasts longer than a request. */
export async function reloadToken(sql: Sql, tokenId: string): Promise<TokenGrant | null> {
  const [row] = await runSql<TokenRow>(
    sql,
    `select ${TOKEN} from tokens t join accounts a on a.id = t.account_id where t.id = $1 and ${IS_ALIVE}`,
    [toUuid(tokenId)],
  );
  return row ? (toTokenGrants(row)[0] ?? null) : null;
}

/** None where the area is one of a later release. */
function toTokenGrants(row: TokenRow): TokenGrant[] {
  const area = AREAS.find(candidate => candidate === row.area);
  return area ? [{ tokenId: fromUuid('tok', row.token_id), area, account: toGrant(row) }] : [];
}

function toGrant(row: GrantRow): AccountGrant {
  return {
    id: fromUuid('acc', row.account_id),
    unifiedApi: row.unified_api,
    planExpired: row.plan_expired,
    rateLimit: row.rate_limit,
    otp: readOtpSettings(row.otp_settings),
    senders: row.senders,
  };
}

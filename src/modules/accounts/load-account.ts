/** Reads what authentication and routing need of an account, in one statement. */
import type { AccountGrant, SenderGrant } from '../../context.ts';
import type { Database } from '../../db/orm.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { AREAS, type Area } from '../../kernel/crypto/secrets.ts';
import { fromUuid, parseId, toUuid } from '../../kernel/ids.ts';
import { readOtpSettings } from './otp-settings.policy.ts';

interface GrantRow {
  account_id: string;
  unified_api: boolean;
  plan_expired: boolean;
  rate_limit: number | null;
  otp_settings: unknown;
  senders: SenderGrant[];
}

interface TokenRow extends GrantRow {
  token_id: string;
  hash: string;
  area: string;
  is_stale: boolean;
}

/** The columns of a grant. The database's clock decides whether the plan has expired. */
const GRANT = `
  a.id as account_id, a.unified_api, coalesce(a.plan_expires_at <= now(), false) as plan_expired,
  a.rate_limit, a.otp_settings,
  (select coalesce(json_agg(json_build_object('channel', s.channel, 'address', s.address, 'approved', s.approved_at is not null,
     'isDefault', s.is_default, 'templateRequired', s.template_required, 'otpTemplate', s.otp_template) order by s.id), '[]'::json)
   from senders s where s.account_id = a.id) as senders`;

/** Whether the stored last use of a token is more than a minute old. */
const IS_STALE = `coalesce(t.last_used_at < clock_timestamp() - interval '1 minute', true)`;

const TOKEN = `t.id as token_id, t.hash, t.area, ${IS_STALE} as is_stale, ${GRANT}`;

/** Neither revoked nor expired, by the database's clock. */
const IS_ALIVE = '(t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp()))';

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
  const [row] = await runSql<GrantRow>(database.sql(), `select ${GRANT} from accounts a where a.id = $1`, [
    toUuid(known),
  ]);
  return row ? toGrant(row) : null;
}

/** The live tokens with these hashes (SHA-256, lower-case hex), by hash. */
export async function loadTokens(sql: Sql, hashes: readonly string[]): Promise<Map<string, TokenGrant>> {
  return (await loadUsedTokens(sql, hashes)).grants;
}

/** The same for tokens that are used now, with those whose last use must be stored (`touchTokens`). */
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

/** Stores that these tokens were used now. Skips rows that another process updates. @throws what the driver throws */
export async function touchTokens(sql: Sql, tokenIds: readonly string[]): Promise<void> {
  await runSql(
    sql,
    `update tokens set last_used_at = clock_timestamp() where id in (
       select t.id from tokens t where t.id = any($1::uuid[]) and ${IS_STALE} for no key update skip locked)`,
    [tokenIds.map(toUuid)],
  );
}

/** The present state of a token, or null if it is not alive. For subscriptions, which outlive a cached token. */
export async function reloadToken(sql: Sql, tokenId: string): Promise<TokenGrant | null> {
  const [row] = await runSql<TokenRow>(
    sql,
    `select ${TOKEN} from tokens t join accounts a on a.id = t.account_id where t.id = $1 and ${IS_ALIVE}`,
    [toUuid(tokenId)],
  );
  return row ? (toTokenGrants(row)[0] ?? null) : null;
}

/** Empty if a later release made the area. */
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

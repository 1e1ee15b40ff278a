/** The statements that read accounts and their tokens. */
import type { SenderGrant } from '../../context.ts';
import { idSql } from '../../db/statements/json.sql.ts';
import { records } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { SuccessStatus } from '../../kernel/status.ts';

/** The columns of a grant. The database's clock decides whether the plan has expired. */
const GRANT = `
  ${idSql('acc', 'a.id')} as id, a.unified_api as "unifiedApi", coalesce(a.plan_expires_at <= now(), false) as "planExpired",
  a.rate_limit as "rateLimit", a.smart_encoding as "smartEncoding", a.fallback_after as "fallbackAfter", a.success_status as "successStatus",
  a.logs_accepted as "logsAccepted", a.otp_settings as otp, coalesce((a.opt_out_settings->>'stopsOtps')::boolean, false) as "stopsOtps",
  (select coalesce(json_agg(json_build_object('channel', s.channel, 'address', s.address, 'approved', s.approved_at is not null,
     'isDefault', s.is_default, 'templateRequired', s.template_required, 'otpTemplate', s.otp_template) order by s.id), '[]'::json)
   from senders s where s.account_id = a.id) as senders`;

/** Whether the stored last use of a token is more than a minute old. */
const IS_STALE = `coalesce(t.last_used_at < clock_timestamp() - interval '1 minute', true)`;

const TOKEN = `${idSql('tok', 't.id')} as "tokenId", t.hash, t.area, ${IS_STALE} as "isStale", ${GRANT}`;

/** Neither revoked nor expired, by the database's clock. */
const IS_ALIVE = '(t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp()))';

/** The types of `GRANT`. */
const GRANT_TYPES = {
  id: 'text',
  unifiedApi: 'boolean',
  planExpired: 'boolean',
  rateLimit: 'int?',
  smartEncoding: 'boolean',
  fallbackAfter: 'int?',
  successStatus: typed<SuccessStatus>('text'),
  logsAccepted: 'boolean',
  otp: 'jsonb',
  stopsOtps: 'boolean',
  senders: typed<SenderGrant[]>('json'),
} as const;

/** The types of `TOKEN`. */
const TOKEN_TYPES = { ...GRANT_TYPES, tokenId: 'text', hash: 'varchar', area: 'text', isStale: 'boolean' } as const;

/** Accounts. */
export const LOAD_ACCOUNTS = statement('load accounts', {
  takes: { ids: 'uuid[]' },
  gives: GRANT_TYPES,
  sql: p => `select ${GRANT} from accounts a where a.id = any(${p.ids})`,
});

/** The live tokens with these hashes. */
export const LOAD_TOKENS = statement('load tokens', {
  takes: { hashes: 'json' },
  gives: TOKEN_TYPES,
  sql: p => `select ${TOKEN} from tokens t join accounts a on a.id = t.account_id
    where t.hash in (select json_array_elements_text(${p.hashes})) and ${IS_ALIVE}`,
});

/** Those of these tokens that are alive. */
export const RELOAD_TOKENS = statement('reload tokens', {
  takes: { ids: 'uuid[]' },
  gives: TOKEN_TYPES,
  sql: p => `select ${TOKEN} from tokens t join accounts a on a.id = t.account_id
    where t.id = any(${p.ids}) and ${IS_ALIVE}`,
});

/** Stores that tokens were used now, and from where, but for those that another process is updating. */
export const TOUCH_TOKENS = statement('touch tokens', {
  takes: { uses: records('id uuid, address text?') },
  sql: p => `
  with stale as (
    select t.id, u.address from ${p.uses('u')} join tokens t on t.id = u.id where ${IS_STALE} for no key update of t skip locked
  )
  update tokens t set last_used_at = clock_timestamp(), last_used_from = s.address from stale s where t.id = s.id`,
});

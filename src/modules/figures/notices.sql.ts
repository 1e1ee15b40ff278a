/** The statement of what needs a look. */
import { records } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import { GUARD_CODES } from '../otp/limits/fraud.policy.ts';
import { waitingSql } from '../webhooks/deliveries/endpoint-figures.sql.ts';
import type { NoticeKind } from './notices.policy.ts';

const GUARDED = records('kind text, type text, lo uuid, hi uuid');
const CODES = GUARD_CODES.map(code => `'${code}'`).join(', ');

/**
 * The name of an endpoint `e` for people: the host of its URL with its description. Without one, the end of its id tells it from others at that host.
 * The rest of the URL may hold a secret of its owner, and unified tokens read notices too.
 */
export const ENDPOINT_NAME = `split_part(e.url, '/', 3) || case
  when e.description is not null then ' (' || e.description || ')'
  when exists (select from webhook_endpoints o
    where o.account_id = e.account_id and o.id <> e.id and split_part(o.url, '/', 3) = split_part(e.url, '/', 3))
    then ' (…' || right(e.id::text, 4) || ')'
  else '' end`;

/** The connections that an account sends by, as `c`: its own, or, where it has none, the shared ones. */
export function connectionsSql(account: string): string {
  return `lateral (select * from connections one where one.removed_at is null and (one.account_id = ${account} or (one.account_id is null
    and not exists (select from connections o where o.account_id = ${account} and o.removed_at is null)))) c`;
}

/** A shared connection is the operator's: an account finds no page of it, and is not told what its provider answered. */
const OWN_ID = 'case when c.account_id is not null then c.id end';

/**
 * The notices of an account, newest first: the state of its endpoints, connections and balance, and the newest decisions of its fraud guard. Each row
 * of `guarded` is a time with such a decision, so that few other entries are passed by.
 */
export const LIST_NOTICES = statement('list notices', {
  takes: { account: 'uuid', guarded: GUARDED, limit: 'int' },
  gives: {
    kind: typed<NoticeKind>('text'),
    at: 'timestamptz',
    id: 'uuid?',
    name: 'text?',
    reason: 'text?',
    count: 'int?',
  },
  sql: p => `
  select kind, at, id, name, reason, count from (
    (select 'endpoint_disabled' as kind, disabled_at as at, id, ${ENDPOINT_NAME} as name, disabled_reason::text as reason, null::int as count
      from webhook_endpoints e
      where account_id = ${p.account} and status = 'disabled' and disabled_at is not null order by disabled_at desc limit ${p.limit})
    union all
    (select 'endpoint_failing', failing_since, id, ${ENDPOINT_NAME}, null, ${waitingSql('e.id')} from webhook_endpoints e
      where account_id = ${p.account} and status = 'enabled' and failing_since is not null order by failing_since desc limit ${p.limit})
    union all
    (select 'connection_down', c.health_since, ${OWN_ID}, c.name, case when c.account_id is not null then c.health_error end, null
      from ${connectionsSql(p.account)}
      where not c.is_paused and c.health = 'down' and c.health_since is not null order by c.health_since desc limit ${p.limit})
    union all
    (select 'quota_low', q.low_since, ${OWN_ID}, c.name, case when q.quality = 'red' then 'quality' else 'reach' end, null
      from ${connectionsSql(p.account)} join connection_quotas q on q.connection_id = c.id
      where q.low_since is not null order by q.low_since desc limit ${p.limit})
    union all
    (select 'number_locked', s.locked_since, ${OWN_ID}, c.name, null, null
      from ${connectionsSql(p.account)} join chat_sessions s on s.connection_id = c.id
      where s.state = 'linked' and s.locked_since is not null and coalesce(s.locked_until > now(), true) order by s.locked_since desc limit ${p.limit})
    union all
    select 'balance_low', low_balance_since, null, null, null, null from accounts where id = ${p.account} and low_balance_since is not null
    union all
    select g.kind, n.started_at, null, null, n.error_code, null from ${p.guarded('g')} cross join lateral (
      select a.started_at, a.error_code from attempts a
      where a.account_id = ${p.account} and a.id >= g.lo and a.id < g.hi and a.type = g.type and a.error_code in (${CODES})
      order by a.id desc limit 1) n
  ) notices order by at desc, id limit ${p.limit}`,
});

/** The statements that find watched things that are ill now, for all accounts with such a rule. */
import { idSql } from '../../db/statements/json.sql.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { AlertKind } from '../answers/alert-kind.ts';
import { connectionsSql, ENDPOINT_NAME } from '../figures/notices.sql.ts';

/** The rules to look at, and the time by the database's clock. */
export const WATCHED_RULES = statement('watched alert rules', {
  gives: {
    rule: 'uuid',
    account: 'uuid',
    kind: typed<AlertKind>('text'),
    threshold: 'int?',
    credits: 'int',
    at: 'timestamptz',
  },
  sql: () => `select r.id as rule, r.account_id as account, r.kind, r.threshold, a.credits, clock_timestamp() as at
    from alert_rules r join accounts a on a.id = r.account_id where not r.is_paused order by r.id`,
});

const ILL = {
  rule: 'uuid',
  subject: 'text',
  name: 'text?',
  value: 'float8?',
  since: 'timestamptz?',
} as const;

const rulesOf = (kind: AlertKind): string => `(select * from alert_rules where kind = '${kind}' and not is_paused) r`;

/** Endpoints whose tries fail, and those that were given up for it. */
export const FAILING_ENDPOINTS = statement('failing endpoints', {
  gives: ILL,
  sql: () => `
  select r.id as rule, ${idSql('whk', 'e.id')} as subject, ${ENDPOINT_NAME} as name, e.failures::float8 as value,
    coalesce(e.failing_since, e.disabled_at) as since
  from ${rulesOf('endpoint_failing')} join webhook_endpoints e on e.account_id = r.account_id
  where e.status = 'disabled' or (e.status = 'enabled' and e.failing_since is not null)`,
});

/** The connections `c` that the account of a rule sends by. */
const CONNECTIONS = connectionsSql('r.account_id');

/** Connections that are down. */
export const DOWN_CONNECTIONS = statement('down connections', {
  gives: ILL,
  sql: () => `
  select r.id as rule, ${idSql('con', 'c.id')} as subject, c.name, null::float8 as value, c.health_since as since
  from ${rulesOf('connection_down')} cross join ${CONNECTIONS}
  where not c.is_paused and c.health = 'down'`,
});

/** Linked numbers that the chat has locked. */
export const LOCKED_NUMBERS = statement('locked numbers', {
  gives: ILL,
  sql: () => `
  select r.id as rule, ${idSql('con', 'c.id')} as subject, c.name, null::float8 as value, s.locked_since as since
  from ${rulesOf('number_locked')} cross join ${CONNECTIONS} join chat_sessions s on s.connection_id = c.id
  where s.state = 'linked' and s.locked_since is not null and coalesce(s.locked_until > clock_timestamp(), true)`,
});

/** Balances below the sum of their rule. */
export const LOW_BALANCES = statement('low balances', {
  gives: ILL,
  sql: () => `
  select r.id as rule, '' as subject, null::text as name, a.credits::float8 as value, null::timestamptz as since
  from ${rulesOf('balance_low')} join accounts a on a.id = r.account_id where a.credits < r.threshold`,
});

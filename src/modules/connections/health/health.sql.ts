/** The statements of the health of connections. */
import { OTHERS_CODES as SMPP_CODES } from '../../../channels/smpp/statuses.ts';
import { OTHERS_CODES as TWILIO_CODES } from '../../../channels/twilio/codes.ts';
import { OTHERS_CODES as VONAGE_CODES } from '../../../channels/vonage/codes.ts';
import { records } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { uuid7FloorOf } from '../../../db/statements/uuid7.sql.ts';
import { WHATSAPP_ERRORS } from '../../../kernel/providers/whatsapp-errors.ts';
import { GOOD_STATUSES } from '../../webhooks/events/event-data.sql.ts';
import type { HealthFigures } from './connection-health.entity.ts';
import { ALL_COUNTRIES, ENOUGH, type Rates } from './health.policy.ts';

/** How many attempts are looked at of each of the last 60 minutes, and of each of the 23 hours before. */
const OF_MINUTE = 20;
const OF_HOUR = 50;

/** After this time a receipt is due: routes with slow receipts are compared with their own slow ones. */
const DUE = `interval '2 minutes'`;

/** Templates that are missing, paused or disabled: what follows is another connection's turn, and this one is sound. */
const OF_TEMPLATES: ReadonlySet<number> = new Set([132_001, 132_015, 132_016]);

/** Those of WhatsApp: the faults of recipients, texts and templates, and too much at once. */
const WHATSAPP_CODES = [...WHATSAPP_ERRORS].flatMap(([code, { fault }]) =>
  (fault === 'connection' || fault === 'provider') && !OF_TEMPLATES.has(code) ? [] : [`whatsapp_${code}`],
);

/** The same of every provider. Many come after the message was taken. */
const TOLD_FAULTS = [...WHATSAPP_CODES, ...SMPP_CODES, ...TWILIO_CODES, ...VONAGE_CODES, 'http_429'];

/** Codes of failures for which nobody was asked, or that say nothing about the connection: its load, the recipient, the text and the template. */
const OTHERS_FAULTS = `('connection_down', 'connection_closed', 'throttled', 'window_full', 'interrupted', 'not_accepted', 'recipient_refused', 'recipient_not_found',
  'recipient_suppressed', 'text_not_possible', 'sender_not_possible', 'invalid_address', 'insufficient_balance', 'template_paused', 'template_rejected',
  'template_disabled', 'template_missing', 'not_connected', 'number_restricted', 'number_locked', 'number_capped', 'new_people_limit')`;

const figures = (when: string): string => `json_build_object(
    'attempts', count(*) filter (where ${when}),
    'taken', count(*) filter (where ${when} and is_taken),
    'refused', count(*) filter (where ${when} and not is_taken and status <> 'unknown'),
    'unknown', count(*) filter (where ${when} and status = 'unknown'),
    'due', count(*) filter (where ${when} and is_due),
    'delivered', count(*) filter (where ${when} and is_due and is_delivered),
    'ackMs', percentile_cont(0.5) within group (order by ack_ms) filter (where ${when} and is_taken),
    'receiptMs', percentile_cont(0.5) within group (order by receipt_ms) filter (where ${when} and is_delivered))`;

const share = (good: string, of: string): string =>
  `json_build_object('good', count(*) filter (where ${of} and ${good}), 'of', count(*) filter (where ${of}))`;

const rates = (taken: string, due: string): string =>
  `json_build_object('taken', ${share('is_taken', taken)}, 'delivered', ${share('is_in_time', due)})`;

/**
 * Counts what a connection did, by country and over all of them. Of a busy one samples over the day are read, each by the index: 2,350 rows at most.
 */
export const COUNT_HEALTH = statement('count health', {
  takes: { connection: 'uuid' },
  gives: {
    country: 'text',
    hour: typed<HealthFigures>('json'),
    day: typed<HealthFigures>('json'),
    recent: typed<Rates>('json'),
    usual: typed<Rates>('json'),
    was_sick: 'boolean',
  },
  sql: p => `
  with clock as materialized (
    select at, ${uuid7FloorOf(`at - interval '24 hours'`)} as day, ${uuid7FloorOf(`at - interval '1 hour'`)} as hour,
      ${uuid7FloorOf(`at - interval '10 minutes'`)} as lately from clock_timestamp() at
  ), spans as materialized (
    -- The newest span is open: another process may be ahead.
    select ${uuid7FloorOf(`at - (n + 1) * interval '1 minute'`)} as low,
      ${uuid7FloorOf(`at - (case n when 0 then -1 else n end) * interval '1 minute'`)} as high, ${OF_MINUTE} as newest from clock, generate_series(0, 59) n
    union all
    select ${uuid7FloorOf(`at - (n + 1) * interval '1 hour'`)}, ${uuid7FloorOf(`at - n * interval '1 hour'`)}, ${OF_HOUR} from clock, generate_series(1, 23) n
  ), sampled as materialized (
    select a.*, a.provider_message_id is not null or a.status in ${GOOD_STATUSES} as is_taken,
      a.status in ('delivered', 'read') as is_delivered,
      extract(epoch from a.finished_at - a.started_at)::float8 * 1000 as ack_ms,
      extract(epoch from coalesce(a.delivered_at, a.reported_at) - a.finished_at)::float8 * 1000 as receipt_ms
    from spans s cross join lateral (
      select id, country, status, error_code, provider_message_id, started_at, finished_at, reported_at, delivered_at
      from attempts
      -- As pairs: by the connection and the ids apart the planner takes the primary key, and passes by the attempts of all others.
      where (connection_id, id) >= (${p.connection}, s.low) and (connection_id, id) < (${p.connection}, s.high) and id >= (select day from clock)
        and connection_id is not null and type <> 'inbound' and provider is not null
      order by connection_id desc, id desc limit s.newest
    ) a
  ), tried as materialized (
    select s.*, k.country as of_country, s.id >= clock.hour as is_of_hour, s.id >= clock.lately as is_late,
      s.is_taken and s.finished_at < clock.at - ${DUE} as is_due,
      s.is_delivered and coalesce(coalesce(s.delivered_at, s.reported_at) - s.finished_at <= ${DUE}, true) as is_in_time
    from sampled s cross join clock cross join lateral (values ('${ALL_COUNTRIES}'), (s.country)) k(country)
    where k.country is not null and (s.is_taken or coalesce(s.error_code, '') not in ${OTHERS_FAULTS})
      and coalesce(s.error_code, '') not in (${TOLD_FAULTS.map(code => `'${code}'`).join(', ')})
  ), ranked as (
    select t.*, is_late or row_number() over (partition by of_country order by id desc) <= ${ENOUGH} as is_recent,
      is_due and (is_late or row_number() over (partition by of_country, is_due order by id desc) <= ${ENOUGH}) as is_recent_due
    from tried t
  )
  select of_country as country, ${figures('is_of_hour')} as hour, ${figures('true')} as day,
    ${rates('is_recent', 'is_recent_due')} as recent, ${rates('true', 'is_due')} as usual,
    exists (select from connection_health h where h.connection_id = ${p.connection} and h.country = of_country and h.reason is not null) as was_sick
  from ranked group by of_country having of_country = '${ALL_COUNTRIES}' or count(*) >= ${ENOUGH}`,
});

/** Stores new counts in the place of those of before. Answers the rows that became sick, or well. */
export const KEEP_HEALTH = statement('keep health', {
  takes: { rows: records('connection_id uuid, country text, reason text?, hour jsonb, day jsonb') },
  gives: { connection_id: 'uuid', country: 'text', reason: 'text?' },
  sql: p => `
  with clock as materialized (
    select clock_timestamp() as at
  ), given as materialized (
    select * from ${p.rows('r')}
  ), gone as (
    delete from connection_health h where not exists (select from given g where g.connection_id = h.connection_id and g.country = h.country)
  ), kept as (
    insert into connection_health (connection_id, country, reason, hour, day, counted_at)
    select g.*, clock.at from given g cross join clock order by 1, 2
    on conflict (connection_id, country) do update
      set reason = excluded.reason, hour = excluded.hour, day = excluded.day, counted_at = excluded.counted_at
  )
  select g.connection_id, g.country, g.reason from given g left join connection_health h on h.connection_id = g.connection_id and h.country = g.country
  where (g.reason is null) <> (h.reason is null)`,
});

/** The rows that hold now. An old count is none: no connection stays sick where nobody counts. */
export const HEALTH_NOW = `select * from connection_health where counted_at > clock_timestamp() - interval '10 minutes'`;

/** Reads the health that holds now. */
export const LOAD_HEALTH = statement('load health', {
  gives: { connection_id: 'uuid', country: 'text', reason: 'text?', hour: typed<HealthFigures>('json'), round: 'text' },
  sql: () =>
    `select connection_id, country, reason, hour::json as hour, counted_at::text as round from (${HEALTH_NOW}) h`,
});

/** The statements of the verbs *test a webhook endpoint* and *trigger a webhook event*. */
import { idSql, timeSql } from '../../../db/statements/json.sql.ts';
import { statement } from '../../../db/statements/statement.ts';
import { UUID7 } from '../../../db/statements/uuid7.sql.ts';
import { ENDPOINT, ENDPOINT_COLUMNS } from '../deliveries/take-endpoints.sql.ts';
import { EVENT_CHANNEL } from '../events/announce-webhooks.ts';

/** Whether an endpoint `e` is delivered an event that happens now. */
const gets = (event: string): string => `e.status = 'enabled' and ${event} = any(e.events)`;

/** Counts the endpoints and the followers that would be told of an event now. */
export const AUDIENCE = statement('audience of an event', {
  takes: { account: 'uuid', event: 'text' },
  gives: { endpoints: 'int', listeners: 'int' },
  sql: p => `select
    (select count(*)::int from webhook_endpoints e where e.account_id = ${p.account} and ${gets(p.event)}) as endpoints,
    (select count(*)::int from webhook_listeners
      where account_id = ${p.account} and ${p.event} = any(events) and expires_at > clock_timestamp()) as listeners`,
});

/** Writes a sample with its deliveries, and answers these with their endpoints. */
export const BEGIN_TEST = statement('begin test', {
  takes: {
    eventId: 'uuid',
    account: 'uuid',
    event: 'text',
    data: 'text',
    /**
     * The only endpoint that gets it, whatever it subscribes to: followers are told when it is tried. Null: every one that gets the event, and followers
     * are told now.
     */
    endpoint: 'uuid?',
    /** For how long no worker takes it. */
    ownSeconds: 'int',
  },
  gives: { ...ENDPOINT, delivery_id: 'text', told_at: 'text' },
  sql: p => `
  with told as (
    insert into webhook_events (id, account_id, event, data, created_at)
    values (${p.eventId}, ${p.account}, ${p.event}, ${p.data}, clock_timestamp())
    returning id, account_id, event, created_at, case when ${p.endpoint} is null then pg_notify('${EVENT_CHANNEL}', id::text) end
  ), queued as (
    insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, is_test, tells_again, status, next_try_at, created_at)
    select ${UUID7}, t.account_id, e.id, t.id, t.event, true, ${p.endpoint} is not null, 'pending',
      t.created_at + make_interval(secs => ${p.ownSeconds}), t.created_at
    from told t
    join webhook_endpoints e on e.account_id = t.account_id and case when ${p.endpoint} is null then ${gets('t.event')} else e.id = ${p.endpoint} end
    returning id, endpoint_id
  )
  select ${ENDPOINT_COLUMNS}, ${idSql('dlv', 'q.id')} as delivery_id, ${timeSql('told.created_at', 'us')} as told_at
  from told, queued q join webhook_endpoints e on e.id = q.endpoint_id order by q.id`,
});

/** The statement of the verb *test a webhook endpoint*. */
import { CLOCK_SQL } from '../../../db/clock.ts';
import { timeSql } from '../../../db/statements/json.sql.ts';
import { statement } from '../../../db/statements/statement.ts';
import { ENDPOINT, ENDPOINT_COLUMNS } from '../deliveries/take-endpoints.sql.ts';

/** Writes an event for one endpoint alone, whatever it subscribes to, and answers the endpoint. */
export const BEGIN_TEST = statement('begin test', {
  takes: {
    eventId: 'uuid',
    account: 'uuid',
    event: 'text',
    data: 'text',
    delivery: 'uuid',
    endpoint: 'uuid',
    /** For how long no worker takes it. */
    ownSeconds: 'int',
  },
  gives: { ...ENDPOINT, told_at: 'text', clock: 'float8' },
  sql: p => `
  with told as (
    insert into webhook_events (id, account_id, event, data, created_at)
    values (${p.eventId}, ${p.account}, ${p.event}, ${p.data}, clock_timestamp())
    returning id, account_id, event, created_at
  ), queued as (
    insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, is_test, tells_again, status, next_try_at, created_at)
    select ${p.delivery}, account_id, ${p.endpoint}, id, event, true, true, 'pending',
      created_at + make_interval(secs => ${p.ownSeconds}), created_at
    from told
  )
  select ${ENDPOINT_COLUMNS}, ${timeSql('told.created_at', 'us')} as told_at, ${CLOCK_SQL} as clock
  from told, webhook_endpoints e where e.id = ${p.endpoint}`,
});

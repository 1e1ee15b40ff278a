/** The statements of the verb *count logs*. */
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { LogStatus } from '../../kernel/status.ts';

/** The entry from which on a look is as long as it may be; none where there are fewer. It reads the index alone. */
export const END_OF_LOOK = statement('end of look', {
  takes: { account: 'uuid', from: 'uuid', to: 'uuid', look: 'int' },
  gives: { id: 'uuid' },
  sql: p => `
  select id from attempts where account_id = ${p.account} and id >= ${p.from} and id < ${p.to}
  order by id desc offset ${p.look} - 1 limit 1`,
});

/** How many entries pass a filter, by the last of `bounds` that is not above them. What is null does not narrow. */
export const COUNT_FILTERED = statement('count filtered', {
  takes: {
    bounds: 'uuid[]',
    account: 'uuid',
    from: 'uuid',
    to: 'uuid',
    channel: 'text?',
    status: 'text?',
    type: 'text?',
    recipient: 'text?',
    sender: 'text?',
    reference: 'text?',
    pin: 'uuid?',
    errorCode: 'text?',
    types: typed<readonly string[] | null>('text[]'),
    messages: typed<readonly string[] | null>('uuid[]'),
  },
  gives: { bucket: 'int', status: typed<LogStatus>('text'), entries: 'int' },
  sql: p => `
  select width_bucket(id, ${p.bounds}) - 1 as bucket, status, count(*)::int as entries from attempts
  where account_id = ${p.account} and id >= ${p.from} and id < ${p.to}
    and (${p.channel} is null or channel = ${p.channel}) and (${p.status} is null or status = ${p.status})
    and (${p.type} is null or type = ${p.type}) and (${p.types} is null or type = any(${p.types}))
    and (${p.recipient} is null or recipient = ${p.recipient}) and (${p.sender} is null or sender = ${p.sender})
    and (${p.reference} is null or reference = ${p.reference}) and (${p.pin} is null or pin_id = ${p.pin})
    and (${p.errorCode} is null or error_code = ${p.errorCode})
    and (${p.messages} is null or message_id = any(${p.messages}))
  group by 1, 2`,
});

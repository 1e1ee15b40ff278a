/** The statement of the verb *list sends*, one for each index. */
import { looked } from '../../../db/statements/look.sql.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { uuid7FloorOf, uuid7InstantOf } from '../../../db/statements/uuid7.sql.ts';
import type { LogStatus } from '../../../kernel/status.ts';
import { UNDOCUMENTED_TYPES } from '../../answers/log.data.ts';
import { byIndex, FILTER, found, passes } from '../filtered.sql.ts';

/** The entries of one send are not further apart: a passcode can be tried for a day after its time. */
const APART = "interval '2 days'";

/** The most entries that are shown of a send: who guesses a passcode that is blocked makes many. */
const ENTRIES_MAX = 50;

/** The lowest uuid that an entry of the send of `a` can have. */
const FIRST = uuid7FloorOf(`greatest(to_timestamp(0), ${uuid7InstantOf('a.id')} - ${APART})`);

/** A condition on `e`: it is an entry of the send of `a`. */
const ofOneSend = (key: 'message_id' | 'pin_id'): string => `e.${key} = a.${key} and e.id >= ${FIRST}`;

/** From the entries of a send, those that its key leads to; of an entry that is about no send the entry alone. */
const entriesOf = (what: string): string => `case
    when a.message_id is not null then (${what} where ${ofOneSend('message_id')})
    when a.pin_id is not null then (${what} where ${ofOneSend('pin_id')})`;

/** The status of a send: the outcome of a passcode's tries, else the status of the attempt that got furthest. One that arrived outweighs all failures. */
const OUTCOME = `${entriesOf(`
      select case
        when bool_or(e.type = 'otp_verified') then 'verified'
        when bool_or(e.type = 'otp_blocked') then 'blocked'
        when bool_or(e.type = 'otp_expired') then 'expired'
        else coalesce((array_agg(e.status order by
          array_position(array['read', 'delivered', 'sent', 'unknown', 'pending', 'expired', 'failed'], e.status)
        ) filter (where e.type in ('message_attempt', 'otp_attempt')))[1], min(e.status)) end
      from attempts e`)}
    else a.status end`;

const ENTRIES = `${entriesOf(`select array_agg(e.id order by e.id) from attempts e`)} else array[a.id] end`;

/**
 * A condition: no older entry of the same send passes. Not written as `not exists`, as the planner may join that with the whole log; a subquery asks the
 * index row by row. The planner expects half of the rows to meet a boolean expression: if it expected few, it would read the whole look for them.
 */
const isFirst = (key: 'message_id' | 'pin_id', p: Parameters<typeof passes>[0]): string =>
  `coalesce((select false from attempts e where ${ofOneSend(key)} and e.id < a.id and ${passes(p, 'e')} limit 1), true)`;

/** The types that REST does not have, as an SQL list. */
const BESIDE = `(${UNDOCUMENTED_TYPES.map(type => `'${type}'`).join(', ')})`;

/** A condition: the entry has a row. Incoming messages, and notes of the fraud guard without a passcode, have one where their type is asked for. */
const isShown = (p: Parameters<typeof passes>[0]): string =>
  `(a.type not in ${BESIDE} or a.pin_id is not null or coalesce(a.type = ${p.type}, false) or coalesce(a.type = any(${p.types}), false))`;

/** The sends of the newest entries that pass a filter, each where its first such entry stands, of those that one look passes by. */
export const LIST_SENDS = byIndex(by =>
  statement(`list sends by ${by}`, {
    takes: { ...FILTER, outcomes: typed<readonly LogStatus[] | null>('text[]'), limit: 'int' },
    gives: {
      id: 'uuid',
      message: 'uuid?',
      pin: 'uuid?',
      status: typed<LogStatus>('text'),
      entries: 'uuid[]',
    },
    sql: p => `
  select id, message_id as message, pin_id as pin, ${OUTCOME} as status, (${ENTRIES})[1:${ENTRIES_MAX}] as entries
  from ${looked('attempts', found(by, p))} a
  where ${passes(p, 'a')} and ${isShown(p)} and ${isFirst('message_id', p)} and ${isFirst('pin_id', p)}
    and (${p.outcomes} is null or ${OUTCOME} = any(${p.outcomes}))
  order by id desc limit ${p.limit}`,
  }),
);

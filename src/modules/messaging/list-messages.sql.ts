/** The statements of a look at the messages, for a filter that their indexes do not have. */
import { endOfLooked, listLooked } from '../../db/statements/look.sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { FIRST_UNDER_WAY } from '../routing/recovery/recover.sql.ts';

/** The parameters of what an index finds. */
const FOUND = { account: 'uuid', from: 'uuid', to: 'uuid' } as const;

/** The parameters of a filter. Null does not narrow. */
const FILTER = { channel: 'text?', status: 'text?', recipient: 'text?' } as const;

type Placed<Parameters> = Readonly<Record<keyof Parameters, string>>;

/** Conditions: what the index of the account finds, and that of the messages of tokens `sms`. */
const FOUND_BY = {
  account: (p: Placed<typeof FOUND>) => `account_id = ${p.account} and id >= ${p.from} and id < ${p.to}`,
  sms: (p: Placed<typeof FOUND>) => `${FOUND_BY.account(p)} and area = 'sms'`,
} as const;

/** A condition: a message passes the filter. */
const passes = (p: Placed<typeof FILTER>): string =>
  `(${p.channel} is null or a.channel = ${p.channel}) and (${p.status} is null or a.status = ${p.status})
    and (${p.recipient} is null or a.recipient = ${p.recipient})`;

const lookBy = (by: keyof typeof FOUND_BY) => ({
  /** The newest messages that pass, of those that one look passes by. */
  list: statement(`list messages by ${by}`, {
    takes: { ...FOUND, ...FILTER, limit: 'int' },
    gives: { id: 'uuid' },
    sql: p => listLooked('messages', FOUND_BY[by](p), passes(p), p.limit),
  }),
  /** The message with which a look is as long as it may be; none where there are fewer. */
  end: statement(`end of messages by ${by}`, {
    takes: FOUND,
    gives: { id: 'uuid' },
    sql: p => endOfLooked('messages', FOUND_BY[by](p)),
  }),
});

/** The statements of a look, one for each index. */
export const LOOK_AT_MESSAGES = { account: lookBy('account'), sms: lookBy('sms') };

/** The most entries of a recipient that lead to its messages. One with more is looked for among the messages. */
const ENTRIES_MAX = 1_000;

/**
 * The messages to a recipient that pass, by the index of the log: one on the messages would be written by every send. Messages under way have no entry
 * yet, so the marks of processes lead to these. `isAll`: the recipient has no more entries than are followed.
 */
export const LIST_BY_RECIPIENT = statement('list messages by recipient', {
  takes: { ...FOUND, ...FILTER, area: 'text?', entriesFrom: 'uuid', limit: 'int' },
  gives: { ids: 'uuid[]', isAll: 'boolean' },
  sql: p => `
  with entries as materialized (
    select message_id from attempts
    where account_id = ${p.account} and recipient = ${p.recipient} and id >= ${p.entriesFrom} order by id desc limit ${ENTRIES_MAX}
  ), under_way as (
    select id as message_id from messages
    where account_id = ${p.account} and id >= ${FIRST_UNDER_WAY} and lease_until is not null and recipient = ${p.recipient}
  )
  select array(
      select id from messages a where id = any(array(select message_id from entries union all select message_id from under_way))
        and ${FOUND_BY.account(p)} and ${passes(p)} and (${p.area} is null or a.area = ${p.area})
      order by id desc limit ${p.limit}) as ids,
    (select count(*) from entries) < ${ENTRIES_MAX} as "isAll"`,
});

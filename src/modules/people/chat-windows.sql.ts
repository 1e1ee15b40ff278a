/** The statements that ask whether a cloud chat is open for free text. */
import { statement } from '../../db/statements/statement.ts';
import { uuid7FloorOf } from '../../db/statements/uuid7.sql.ts';

/** The cloud chats of a person that are open: until so many hours after what they wrote last, free text may go. Each sender with the end of its window. */
export const OPEN_WINDOWS = statement('open windows', {
  takes: { account: 'uuid', addresses: 'text[]', channel: 'text', hours: 'int' },
  gives: { sender: 'text', closesAt: 'timestamptz' },
  sql: p => `
  select m.to_address as sender, max(m.received_at) + make_interval(hours => ${p.hours}) as "closesAt"
  from inbound_messages m
  where m.account_id = ${p.account} and (m.from_number = any(${p.addresses}) or m.from_user_id = any(${p.addresses})) and m.channel = ${p.channel}
    and m.type <> 'system' and m.id >= (select ${uuid7FloorOf(`clock_timestamp() - make_interval(hours => ${p.hours} + 1)`)})
  group by m.to_address having max(m.received_at) + make_interval(hours => ${p.hours}) > clock_timestamp() order by 2 desc`,
});

/** Whether one of these chats with somebody is open: by any address of the person, and to this sender. */
export const IS_WINDOW_OPEN = statement('is window open', {
  takes: { account: 'uuid', address: 'text', channel: 'text', sender: 'text', hours: 'int' },
  gives: { is_open: 'boolean' },
  sql: p => `
  with known as materialized (
    select ${p.address} as value
    union
    select b.value from person_addresses a cross join lateral (select value from person_addresses where person_id = a.person_id) b
    where a.account_id = ${p.account} and a.value = ${p.address}
  )
  select exists (
    select from known k cross join lateral (
      ${['from_number', 'from_user_id']
        .map(
          address => `(select from inbound_messages m
        where m.account_id = ${p.account} and m.${address} = k.value and m.channel = ${p.channel} and m.to_address = ${p.sender}
          and m.type <> 'system' and m.id >= (select ${uuid7FloorOf(`clock_timestamp() - make_interval(hours => ${p.hours} + 1)`)})
          and m.received_at > clock_timestamp() - make_interval(hours => ${p.hours}) limit 1)`,
        )
        .join(' union all ')}) m) as is_open`,
});

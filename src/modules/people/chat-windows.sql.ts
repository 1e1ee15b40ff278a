/** The statements that ask until when a cloud chat is open for free text. */
import { statement } from '../../db/statements/statement.ts';
import { uuid7FloorOf } from '../../db/statements/uuid7.sql.ts';

/** The end of the window that a message of `m` opened. The provider counts from when the person wrote; nobody has written later than it came. */
const closesAt = (hours: string): string => `least(m.sent_at, m.received_at) + make_interval(hours => ${hours})`;

/** The messages of `m` that may have opened a window that is open. */
const opens = (hours: string): string => `m.type <> 'system'
    and m.id >= (select ${uuid7FloorOf(`clock_timestamp() - make_interval(hours => ${hours} + 1)`)})`;

/** The cloud chats of a person that are open: until so many hours after what they wrote last, free text may go. Each sender with the end of its window. */
export const OPEN_WINDOWS = statement('open windows', {
  takes: { account: 'uuid', addresses: 'text[]', channel: 'text', hours: 'int' },
  gives: { sender: 'text', closesAt: 'timestamptz' },
  sql: p => `
  select m.to_address as sender, max(${closesAt(p.hours)}) as "closesAt"
  from inbound_messages m
  where m.account_id = ${p.account} and (m.from_number = any(${p.addresses}) or m.from_user_id = any(${p.addresses})) and m.channel = ${p.channel}
    and ${opens(p.hours)}
  group by m.to_address having max(${closesAt(p.hours)}) > clock_timestamp() order by 2 desc`,
});

/** When one of these chats with somebody closes, by any address of the person, and with this sender; none: it is closed. */
export const CHAT_WINDOW = statement('chat window', {
  takes: { account: 'uuid', address: 'text', channel: 'text', sender: 'text', hours: 'int' },
  gives: { closesAt: 'timestamptz' },
  sql: p => `
  with known as materialized (
    select ${p.address} as value
    union
    select b.value from person_addresses a cross join lateral (select value from person_addresses where person_id = a.person_id) b
    where a.account_id = ${p.account} and a.value = ${p.address}
  )
  select max(w.closes_at) as "closesAt" from known k cross join lateral (
      ${['from_number', 'from_user_id']
        .map(
          address => `(select ${closesAt(p.hours)} as closes_at from inbound_messages m
        where m.account_id = ${p.account} and m.${address} = k.value and m.channel = ${p.channel} and m.to_address = ${p.sender}
          and ${opens(p.hours)})`,
        )
        .join(' union all ')}) w
  having max(w.closes_at) > clock_timestamp()`,
});

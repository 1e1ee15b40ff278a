/** The statements that find a recipient: by what addresses, and in which rows, an account knows one. */
import { statement } from '../../db/statements/statement.ts';
import { FIRST_UNDER_WAY } from '../routing/recovery/recover.sql.ts';
import { consentOf } from '../suppressions/suppressions.sql.ts';
import { isCloseTo } from '../webhooks/events/close-to.sql.ts';

/** These numbers and all other addresses of the people who have them. With those people come the ones who turned out to be one with them. */
export const FIND_WHOLE_PERSON = statement('find whole person', {
  takes: { account: 'uuid', numbers: 'text[]' },
  gives: { addresses: 'text[]', people: 'uuid[]' },
  sql: p => `
  with person as materialized (
    select person_id as id from person_addresses where account_id = ${p.account} and value = any(${p.numbers})
  )
  select array(select unnest(${p.numbers}) union select value from person_addresses where person_id in (select id from person)) as addresses,
    array(select id from people where account_id = ${p.account} and (id in (select id from person) or merged_into in (select id from person))) as people`,
});

/** The sends to addresses and the messages from them, with what events about consent share, and the attempts. A send under way has no attempt yet. */
export const FIND_SENDS = statement('find sends of a recipient', {
  takes: { account: 'uuid', addresses: 'text[]' },
  gives: { sends: 'uuid[]', attempts: 'uuid[]' },
  sql: p => `
  with tried as materialized (
    select id, coalesce(message_id, pin_id) as send_id from attempts where account_id = ${p.account} and recipient = any(${p.addresses})
  )
  select array(
      select send_id from tried where send_id is not null
      union select id from messages where account_id = ${p.account} and id >= ${FIRST_UNDER_WAY}
        and lease_until is not null and recipient = any(${p.addresses})
      union select id from otps where account_id = ${p.account} and area in ('unified', 'sms', 'otp', 'management')
        and status in ('pending', 'sent') and recipient = any(${p.addresses})
      union select id from inbound_messages where account_id = ${p.account} and from_number = any(${p.addresses})
      union select id from inbound_messages where account_id = ${p.account} and from_user_id = any(${p.addresses})
      union select ${consentOf(p.account, 'address')} from unnest(${p.addresses}) as a(address)
    ) as sends,
    array(select id from tried) as attempts`,
});

/** The deliveries of the events of sends. An endpoint that was deleted is in the audit trail. */
export const FIND_DELIVERIES = statement('find deliveries of sends', {
  takes: { account: 'uuid', sends: 'uuid[]' },
  gives: { deliveries: 'uuid[]' },
  sql: p => `
  with endpoints as materialized (
    select id from webhook_endpoints where account_id = ${p.account}
    union select substr(subject, 5)::uuid from audit_entries where account_id = ${p.account} and action = 'endpoint.deleted'
  )
  select array(
    select d.id from webhook_events e cross join endpoints w
    join webhook_deliveries d on d.endpoint_id = w.id and d.event_id = e.id and ${isCloseTo('d.id', 'e.id')}
    where e.send_id = any(${p.sends}) and e.account_id = ${p.account}) as deliveries`,
});

/** The endpoints that are still to get some of these deliveries. */
export const FIND_WAITING_ENDPOINTS = statement('find endpoints that wait for deliveries', {
  takes: { deliveries: 'uuid[]' },
  gives: { id: 'uuid' },
  sql: p =>
    `select distinct endpoint_id as id from webhook_deliveries where id = any(${p.deliveries}) and status = 'pending'`,
});

/** Locks people. Whoever heeds a word of theirs has them locked: a stop is on the list before, or finds that they are new. */
export const LOCK_PEOPLE = statement('lock people who are erased', {
  takes: { people: 'uuid[]' },
  gives: { count: 'int' },
  sql: p => `
  with locked as materialized (
    select id from people where id = any(${p.people}) order by id for update
  )
  select count(*)::int as count from locked`,
});

/** Whether one of these sends is in the hands of a process. */
export const FIND_UNDER_WAY = statement('find sends under way', {
  takes: { sends: 'uuid[]' },
  gives: { is_under_way: 'boolean' },
  sql: p => `
  select exists (select from messages where id = any(${p.sends}) and lease_until is not null)
    or exists (select from otps where id = any(${p.sends}) and lease_until is not null) as is_under_way`,
});

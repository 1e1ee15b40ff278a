/** The statements of the batch *accept*. */
import { idSql, timeSql } from '../../db/statements/json.sql.ts';
import { timelyCte } from '../../db/statements/order.sql.ts';
import { records, rowsWith, rowsWithout } from '../../db/statements/records.ts';
import { shownSql } from '../../db/statements/shown.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { type Answer, statement } from '../../db/statements/statement.ts';
import { HOLD_COLUMNS, holdCtes, holdingCte, isPaidOnlySql, TODAY } from '../billing/ledger.sql.ts';
import type { Shortage } from '../billing/shortage.ts';
import { isSuppressedSql } from '../suppressions/suppressions.sql.ts';
import { storedAttempt } from './answer.ts';
import { Message } from './message.entity.ts';
import { IdempotencyKey } from './references/idempotency-key.entity.ts';

/** The lease is the statement's, since the database's clock decides it. */
const NEW_MESSAGES = rowsWithout(Message, 'channel', 'leaseUntil', 'held', 'heldOn');

const KEYS = rowsWith(IdempotencyKey, 'accountId', 'area', 'reference', 'fingerprint', 'messageId');

/** A reference that a send claims. */
export type Key = Parameters<typeof KEYS.encode>[0][number];

/**
 * An attempt as it was first answered, where no answer is kept with the key. All of them were accepted then, but for those that an older gateway
 * settled and no receipt has changed since.
 */
const FIRST_ATTEMPT = shownSql(storedAttempt, 'a', {
  id: idSql('att', 'a.id'),
  status: `case when a.reported_at is null then a.status else 'sent' end`,
  errorCode: 'case when a.reported_at is null then a.error_code end',
  errorMessage: 'case when a.reported_at is null then a.error_message end',
  startedAt: timeSql('a.started_at'),
  finishedAt: timeSql('a.finished_at'),
});

/** The references that others hold, of these, and what was first answered; null while that is under way. */
export const FIND_KEYS = statement('find keys', {
  takes: { keys: KEYS },
  gives: {
    account_id: 'uuid',
    area: 'text',
    reference: 'text',
    fingerprint: 'varchar',
    message_id: 'uuid',
    answer: 'jsonb?',
  },
  sql: p => `
  select k.account_id, k.area, k.reference, k.fingerprint, k.message_id, coalesce(k.answer, (
    select jsonb_build_object('createdAt', ${timeSql('m.created_at')}, 'segments', m.segments, 'smartEncoded', m.smart_encoded, 'attempts', (
      select coalesce(jsonb_agg(jsonb_build_object(${FIRST_ATTEMPT}) order by array_position(m.channels, a.channel), a.id), '[]')
      from attempts a where a.message_id = m.id))
    from messages m where m.id = k.message_id and m.lease_until is null)) as answer
  from ${p.keys('r')}
  join idempotency_keys k using (account_id, area, reference) where k.expires_at > now()`,
});

/** The holder of a reference. */
export type Holder = Answer<typeof FIND_KEYS>;

/**
 * Makes the holds that the balances have room for, and claims the references, one winner each; an expired key is taken over. Stores the
 * messages that won or have none, with the attempts under way. Answers the lease of each, as the text that fences its settles. A repeat pays
 * nothing: a reference that is `taken` asks for no hold, and is not claimed either, whoever forgets it meanwhile. Keys go in their order, so that two processes with the same references wait for each other instead of deadlocking.
 */
export const ACCEPT = statement('accept', {
  takes: {
    /** The references, each once. */
    keys: KEYS,
    referenceDays: 'int',
    messages: NEW_MESSAGES,
    /** The name of each recipient, had it been erased. */
    erased: records('id uuid, name text'),
    leaseSeconds: 'int',
    /** Messages that go to suppressed recipients too. */
    toSuppressed: 'uuid[]',
    holds: records(HOLD_COLUMNS),
    payingAccounts: 'uuid[]',
    by: 'timestamptz',
  },
  gives: { id: 'uuid', lease: 'text?', shortage: typed<Shortage | null>('text'), suppressed: 'boolean' },
  sql: p => `
  with new as materialized (
    select r.*, e.name as erased from ${p.messages('r')} join ${p.erased('e')} on e.id = r.id
  ), taken as materialized (
    select r.message_id from ${p.keys('r')}
    -- One look into the index for each: a join would be planned for a table as small as it once was.
    where (select k.expires_at > now() from idempotency_keys k
      where k.account_id = r.account_id and k.area = r.area and k.reference = r.reference)
  ), suppressed as materialized (
    -- Once more, so that a stop that is committed is never sent over.
    select r.id from new r where r.id <> all(${p.toSuppressed}) and ${isSuppressedSql('r', 'r.erased')}
  ), ${holdCtes(
    `(select * from ${p.holds('r')} where send_id not in (select message_id from taken) and send_id not in (select id from suppressed)) h`,
    p.payingAccounts,
  )}, refused as materialized (
    -- Where no channel is free, nothing of the send is accepted.
    select h.send_id, h.shortage from holds h join new on new.id = h.send_id where h.shortage is not null and ${isPaidOnlySql('new')}
  ), claimed as (
    insert into idempotency_keys as k (${KEYS.columns}, expires_at)
    select ${KEYS.columns}, now() + make_interval(days => ${p.referenceDays})
    from ${p.keys('r')}
    where message_id not in (select send_id from refused) and message_id not in (select message_id from taken)
      and message_id not in (select id from suppressed)
    order by account_id, area, reference
    on conflict (account_id, area, reference) do update
      set fingerprint = excluded.fingerprint, message_id = excluded.message_id, answer = null, expires_at = excluded.expires_at
      where k.expires_at <= now()
    returning message_id
  ), stored as (
    insert into messages (${NEW_MESSAGES.columns}, lease_until, held, held_on)
    select ${NEW_MESSAGES.columns}, clock_timestamp() + make_interval(secs => ${p.leaseSeconds}), coalesce(need, 0),
      case when need is not null then ${TODAY} end
    from new left join (select send_id, need from holds where shortage is null) h on h.send_id = new.id
    where id not in (select send_id from refused) and id not in (select id from suppressed) and (reference is null or id in (select message_id from claimed))
    returning id, lease_until::text as lease
  ), ${holdingCte('send_id in (select id from stored)')}, ${timelyCte('stored', p.by)}
  select s.id, s.lease, h.shortage, false as suppressed from timely join stored s on is_timely left join holds h on h.send_id = s.id
  union all
  select send_id, null, shortage, false from refused
  union all
  select id, null, null, true from suppressed`,
});

/** The result for a message that did not lose its reference: its lease, or why nothing of it was accepted. */
export type AcceptedRow = Answer<typeof ACCEPT>;

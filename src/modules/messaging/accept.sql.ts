/** The statements of the batch *accept*. */
import { timelyCte } from '../../db/statements/order.sql.ts';
import { records, rowsWith, rowsWithout } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { type Answer, statement } from '../../db/statements/statement.ts';
import { bookEntries, HOLD_COLUMNS, holdCtes, holdEntries } from '../billing/ledger.sql.ts';
import type { Shortage } from '../billing/shortage.ts';
import { NEW_ATTEMPTS } from '../routing/rows.ts';
import { IdempotencyKey } from './idempotency-key.entity.ts';
import { Message } from './message.entity.ts';

/** The lease is the statement's, since the database's clock decides it. */
const NEW_MESSAGES = rowsWithout(Message, 'channel', 'leaseUntil');

const KEYS = rowsWith(IdempotencyKey, 'accountId', 'area', 'reference', 'fingerprint', 'messageId');

/** A reference that a send claims. */
export type Key = Parameters<typeof KEYS.toRow>[0];

/** The references that others hold, of these. */
export const FIND_KEYS = statement('find keys', {
  takes: { keys: KEYS },
  gives: {
    account_id: 'uuid',
    area: 'text',
    reference: 'text',
    fingerprint: 'varchar',
    message_id: 'uuid',
    answer: 'jsonb',
  },
  sql: p => `
  select k.account_id, k.area, k.reference, k.fingerprint, k.message_id, k.answer
  from ${p.keys('r')}
  join idempotency_keys k using (account_id, area, reference) where k.expires_at > now()`,
});

/** Who holds a reference. */
export type Holder = Answer<typeof FIND_KEYS>;

/**
 * Makes the holds that the balances have room for; claims the references, one winner each (an expired key is taken over); stores the
 * messages that won or have none, with their attempts; answers the lease of each, as the text that fences its settles. What asks for an
 * answer again pays nothing: a reference that is `taken` asks for no hold, and so is not claimed either, whoever forgets it meanwhile.
 * Keys go in their order, so that two processes with the same references wait for each other instead of deadlocking.
 */
export const ACCEPT = statement('accept', {
  takes: {
    /** The references, each once. */
    keys: KEYS,
    referenceDays: 'int',
    messages: NEW_MESSAGES,
    leaseSeconds: 'int',
    attempts: NEW_ATTEMPTS,
    /** `is_only`: where it is not made, nothing of the send is accepted. */
    holds: records(`${HOLD_COLUMNS}, is_only boolean`),
    payingAccounts: 'uuid[]',
    by: 'timestamptz',
  },
  gives: { id: 'uuid', lease: 'text?', shortage: typed<Shortage | null>('text') },
  sql: p => `
  with taken as materialized (
    select r.message_id from ${p.keys('r')}
    -- One look into the index for each: a join would be planned for a table as small as it once was.
    where (select k.expires_at > now() from idempotency_keys k
      where k.account_id = r.account_id and k.area = r.area and k.reference = r.reference)
  ), ${holdCtes(
    `(select * from ${p.holds('r')} where send_id not in (select message_id from taken)) h`,
    p.payingAccounts,
  )}, refused as materialized (
    select send_id, shortage from holds where shortage is not null and is_only
  ), claimed as (
    insert into idempotency_keys as k (${KEYS.columns}, expires_at)
    select ${KEYS.columns}, now() + make_interval(days => ${p.referenceDays})
    from ${p.keys('r')}
    where message_id not in (select send_id from refused) and message_id not in (select message_id from taken)
    order by account_id, area, reference
    on conflict (account_id, area, reference) do update
      set fingerprint = excluded.fingerprint, message_id = excluded.message_id, answer = null, expires_at = excluded.expires_at
      where k.expires_at <= now()
    returning message_id
  ), stored as (
    insert into messages (${NEW_MESSAGES.columns}, lease_until)
    select ${NEW_MESSAGES.columns}, clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
    from ${p.messages('r')}
    where id not in (select send_id from refused) and (reference is null or id in (select message_id from claimed))
    returning id, lease_until::text as lease
  ), made as (
    insert into attempts (${NEW_ATTEMPTS.columns})
    select ${NEW_ATTEMPTS.columns} from ${p.attempts('r')}
    where message_id in (select id from stored)
  ), booked as (${bookEntries(holdEntries('send_id in (select id from stored)'))}
  ), ${timelyCte('stored', p.by)}
  select s.id, s.lease, h.shortage from timely join stored s on is_timely left join holds h on h.send_id = s.id
  union all
  select send_id, null, shortage from refused`,
});

/** What became of a message that did not lose its reference: its lease, or why nothing of it was accepted. */
export type AcceptedRow = Answer<typeof ACCEPT>;

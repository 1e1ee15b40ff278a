/**
 * Sends that cost less: what is under way stands in the row of its send, a hold is a number of its send and of its account, and nothing that
 * changes with a send is indexed, so that its row changes in place. Run while no gateway does; what one left under way is kept.
 */
import { Migration } from '@mikro-orm/migrations';
import { UUID7 } from '../statements/uuid7.sql.ts';

/** The kinds of sends: the table, the column of `attempts` that names it, and what its attempts say of it. */
const SENDS = [
  {
    table: 'messages',
    key: 'message_id',
    type: 'message_attempt',
    resend: 'null::int',
    reference: 's.reference',
    country: 'null',
  },
  { table: 'otps', key: 'pin_id', type: 'otp_attempt', resend: 's.resends', reference: 'null', country: 's.country' },
];

const ENTRY_BEFORE = `case kind
  when 'adjustment' then credits <> 0 and held = 0 and attempt_id is null and reason is not null
  when 'hold' then credits < 0 and held = -credits and attempt_id is not null
  when 'capture' then credits = 0 and held < 0 and attempt_id is not null
  when 'release' then credits > 0 and held = -credits and attempt_id is not null
  else credits <= 0 and held = 0 and attempt_id is not null end`;

/** What was held is of the account until it is spent; entries of before may stay. */
const ENTRY_NOW = ENTRY_BEFORE.replace(
  'credits = 0 and held < 0 and attempt_id',
  '((credits = 0 and held < 0) or (credits < 0 and held = credits)) and attempt_id',
);

/** What is held, by account. */
const HELD = `select account_id, sum(held)::int as held from (
  select account_id, held from messages where held > 0 union all select account_id, held from otps where held > 0) s group by account_id`;

/** The attempts that were left, of both kinds. */
const LEFT = `select id, account_id, held, held_on from left_messages where held > 0
  union all select id, account_id, held, held_on from left_otps where held > 0`;

/** Puts what is under way into the rows of the sends. */
export class Migration20261125000000 extends Migration {
  override up(): void {
    this.addSql(`alter table "accounts" add column "held" int not null default 0`);
    this.addSql(`alter table "accounts" add constraint "accounts_held_check" check (held >= 0)`);
    for (const { table, key } of SENDS) {
      this.addSql(`alter table "${table}" add column "under_way" text null, add column "held" int not null default 0,
        add column "held_on" date null`);
      this.addSql(`create temporary table "left_${table}" on commit drop as
        select a.*, a.${key} as send_id, h.held, h.spend_day as held_on from ${table} s join attempts a on a.${key} = s.id
        left join ledger h on h.attempt_id = a.id and h.kind = 'hold' and not exists (
          select from ledger e where e.attempt_id = a.id and e.kind in ('capture', 'release'))
        where s.lease_until is not null and a.status = 'pending'`);
      this.addSql(`update ${table} s set under_way = l.under_way, held = l.held, held_on = l.held_on from (
        select send_id, coalesce(sum(held), 0)::int as held, max(held_on) as held_on, json_agg(json_build_array(
          id, channel, provider, sender, floor(extract(epoch from started_at) * 1000)::bigint) order by id)::text as under_way
        from left_${table} group by send_id) l where s.id = l.send_id`);
      this.addSql(`delete from attempts where id in (select id from left_${table})`);
    }
    // Open holds are numbers from now on: what can be spent, and what a day has spent, stays the same.
    for (const table of ['ledger', 'accounts']) this.addSql(`alter table "${table}" disable trigger user`);
    this.addSql(`delete from ledger where kind = 'hold' and attempt_id in (select id from (${LEFT}) l)`);
    this.addSql(`update accounts a set held = h.held from (${HELD}) h where a.id = h.account_id`);
    for (const table of ['ledger', 'accounts']) this.addSql(`alter table "${table}" enable trigger user`);
    this.addSql(`alter table "ledger" drop constraint "ledger_entry_check"`);
    this.addSql(`alter table "ledger" add constraint "ledger_entry_check" check (${ENTRY_NOW})`);
    this.#bookNow();
    this.#guard(
      'credits, held, low_balance_threshold',
      'new.credits <> 0 or new.held <> 0',
      'new.credits + new.held <> old.credits + old.held',
    );
    this.addSql(`create table "routing_marks" (
      "process" uuid not null,
      "oldest" uuid not null,
      "seen_at" timestamptz not null,
      primary key ("process")
    ) with (fillfactor = 20)`);
    this.addSql(`insert into "routing_marks" ("process", "oldest", "seen_at")
      select gen_random_uuid(), id, now() from messages where lease_until is not null order by id limit 1`);
    this.addSql(`drop index "messages_lease_until_index"`);
    this.#fill('messages', 45);
    this.#fill('attempts', 50);
    this.addSql(`alter table "otps" set (fillfactor = 45)`);
  }

  /** Entries of captures spend what is held, all others what can be spent. What a hold spends of a day is counted as it is made. */
  #bookNow(): void {
    this.addSql(`create or replace function "book_ledger"() returns trigger language plpgsql as $$
      begin
        update accounts a
        set credits = a.credits + e.free,
            held = a.held + e.held,
            spend_day = greatest(a.spend_day, e.last_day),
            spent = case when e.last_day > coalesce(a.spend_day, '-infinity') then 0 else a.spent end - (
              select coalesce(sum(n.credits), 0) from entries n
              where n.account_id = a.id and n.kind = 'charge' and n.spend_day = greatest(a.spend_day, e.last_day))
        from (
          select account_id, sum(credits - held) as free, sum(held) as held, max(spend_day) filter (where kind = 'charge') as last_day
          from entries where credits <> 0 group by account_id
        ) e
        where a.id = e.account_id;
        return null;
      end $$`);
  }

  #bookBefore(): void {
    this.addSql(`create or replace function "book_ledger"() returns trigger language plpgsql as $$
      begin
        update accounts a
        set credits = a.credits + e.credits,
            spend_day = greatest(a.spend_day, e.last_day),
            spent = case when e.last_day > coalesce(a.spend_day, '-infinity') then 0 else a.spent end - (
              select coalesce(sum(n.credits), 0) from entries n
              where n.account_id = a.id and n.spend_day = greatest(a.spend_day, e.last_day))
        from (
          select account_id, sum(credits) as credits, max(spend_day) as last_day
          from entries where credits <> 0 group by account_id
        ) e
        where a.id = e.account_id;
        return null;
      end $$`);
  }

  /**
   * @param columns what the trigger is for
   * @param isFilled SQL: whether a new account has credits
   * @param isMoved SQL: whether an update changes what the ledger alone may change
   */
  #guard(columns: string, isFilled: string, isMoved: string): void {
    this.addSql(`drop trigger "accounts_guard_balance" on "accounts"`);
    this.addSql(`create or replace function "guard_balance"() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          if ${isFilled} then raise exception 'credits are changed by the ledger alone'; end if;
          return new;
        end if;
        if ${isMoved} and pg_trigger_depth() < 2 then
          raise exception 'credits are changed by the ledger alone';
        end if;
        if new.low_balance_threshold is null or new.credits >= new.low_balance_threshold then
          new.low_balance_since = null;
          new.low_balance_untold = false;
        elsif old.low_balance_since is null then
          new.low_balance_since = clock_timestamp();
          new.low_balance_untold = true;
        end if;
        return new;
      end $$`);
    this.addSql(`create trigger "accounts_guard_balance" before insert or update of ${columns} on "accounts"
      for each row execute function "guard_balance"()`);
  }

  #fill(table: string, fillFactor: number): void {
    this.addSql(`do $$ declare part regclass; begin
      for part in select inhrelid::regclass from pg_inherits where inhparent = '${table}'::regclass loop
        execute format('alter table %s set (fillfactor = ${fillFactor})', part);
      end loop; end $$`);
  }

  override down(): void {
    this.#fill('messages', 100);
    this.#fill('attempts', 100);
    this.addSql(`alter table "otps" set (fillfactor = 60)`);
    this.addSql(
      `create index "messages_lease_until_index" on "messages" ("lease_until") where lease_until is not null`,
    );
    this.addSql(`drop table "routing_marks"`);
    this.#keepAnswers();
    for (const { table, key, type, resend, reference, country } of SENDS)
      this.addSql(`create temporary table "left_${table}" on commit drop as
        select (u.attempt->>0)::uuid as id, s.account_id, s.area, '${type}' as type, s.id as ${key}, ${resend} as resend,
          u.attempt->>1 as channel, u.attempt->>2 as provider, s.recipient, ${country} as country,
          u.attempt->>3 as sender, ${reference} as reference,
          case when u.attempt->>1 = 'sms' then s.segments else 0 end as segments,
          to_timestamp((u.attempt->>4)::bigint / 1000.0) as started_at,
          case when u.attempt->>1 = 'sms' then s.held else 0 end as held, s.held_on
        from ${table} s cross join lateral json_array_elements(s.under_way::json) u(attempt) where s.lease_until is not null
          and not exists (select from attempts t where t.id = (u.attempt->>0)::uuid)`);
    for (const { table, key } of SENDS)
      this.addSql(`insert into attempts (id, account_id, area, type, ${key}, resend, channel, provider, recipient, country, sender, reference,
          status, segments, started_at)
        select id, account_id, area, type, ${key}, resend, channel, provider, recipient, country, sender, reference, 'pending', segments,
          started_at from left_${table}`);
    this.#bookBefore();
    this.#guard('credits, low_balance_threshold', 'new.credits <> 0', 'new.credits <> old.credits');
    this.#unbook();
    for (const { table } of SENDS)
      this.addSql(`alter table "${table}" drop column "under_way", drop column "held", drop column "held_on"`);
    this.addSql(`alter table "accounts" drop column "held"`);
  }

  /** Keeps the answers of references with them, as before: what was accepted was `sent` at first. */
  #keepAnswers(): void {
    const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    this.addSql(`update idempotency_keys k set answer = (
        select jsonb_build_object('createdAt', ${time('m.created_at')}, 'attempts', coalesce(jsonb_agg(jsonb_build_object(
          'id', 'att_' || replace(a.id::text, '-', ''), 'channel', a.channel, 'provider', a.provider, 'sender', a.sender,
          'status', case when a.provider_message_id is null then a.status else 'sent' end,
          'errorCode', case when a.provider_message_id is null then a.error_code end,
          'errorMessage', case when a.provider_message_id is null then a.error_message end,
          'segments', a.segments, 'credits', a.credits, 'startedAt', ${time('a.started_at')}, 'finishedAt', ${time('a.finished_at')}
        ) order by array_position(m.channels, a.channel), a.id) filter (where a.id is not null), '[]'))
        from messages m left join attempts a on a.message_id = m.id where m.id = k.message_id group by m.id)
      where k.answer is null and exists (select from messages m where m.id = k.message_id and m.lease_until is null)`);
    const accepted = `jsonb_path_query_first(answer, '$.attempts[*] ? (@.status == "sent")')`;
    this.addSql(`update idempotency_keys set answer = answer || jsonb_build_object('channel', ${accepted}->'channel', 'status', case
        when ${accepted} is not null then 'sent'
        when answer @? '$.attempts[*] ? (@.status == "unknown")' then 'unknown' else 'failed' end)
      where answer is not null and not answer ? 'status'`);
  }

  /** Gives every capture and charge the hold that it had before, and each send under way its own. */
  #unbook(): void {
    this.addSql(`alter table "ledger" disable trigger user`);
    this.addSql(`insert into ledger (account_id, id, kind, credits, held, attempt_id, spend_day, created_at)
      select account_id, ${UUID7}, 'hold', credits, -credits, attempt_id, spend_day, created_at from ledger
      where kind = 'capture' and credits < 0`);
    this.addSql(`update ledger set credits = 0, spend_day = null where kind = 'capture' and credits < 0`);
    this.addSql(`create temporary table "charged" on commit drop as
      select c.account_id, c.attempt_id, a.segments, c.created_at from ledger c join attempts a on a.id = c.attempt_id
      where c.kind = 'charge' and not exists (select from ledger h where h.attempt_id = c.attempt_id and h.kind = 'hold')`);
    this.addSql(`insert into ledger (account_id, id, kind, credits, held, attempt_id, created_at)
      select account_id, ${UUID7}, 'hold', -segments, segments, attempt_id, created_at from charged
      union all select account_id, ${UUID7}, 'release', segments, -segments, attempt_id, created_at from charged`);
    this.addSql(`insert into ledger (account_id, id, kind, credits, held, attempt_id, spend_day, created_at)
      select account_id, ${UUID7}, 'hold', -held, held, id, held_on, clock_timestamp() from (${LEFT}) l`);
    this.addSql(`alter table "ledger" enable trigger user`);
    this.addSql(`alter table "ledger" drop constraint "ledger_entry_check"`);
    this.addSql(`alter table "ledger" add constraint "ledger_entry_check" check (${ENTRY_BEFORE})`);
  }
}

/**
 * Money, the audit trail, and what tokens know of themselves. The balance of an account is the sum of its ledger: triggers change it
 * with every entry and refuse any other change, and neither the ledger nor the audit trail can be rewritten.
 */
import { Migration } from '@mikro-orm/migrations';
import { UUID7 } from '../statements/uuid7.sql.ts';

/** Makes the ledger and the audit trail. */
export class Migration20261122000000 extends Migration {
  override up(): void {
    this.#changeAccounts();
    this.#createLedger();
    this.#createAudit();
    this.#bookBalances();
    this.addSql(
      `alter table "tokens" add column "expires_at" timestamptz null, add column "last_used_at" timestamptz null`,
    );
    // The opening balance of accounts that are older than the ledger.
    this.addSql(
      `create temporary table "opening" on commit drop as select "id", "credits" from "accounts" where "credits" <> 0`,
    );
    this.addSql(`update "accounts" set "credits" = 0 where "credits" <> 0`);
    this.#guardBalances();
    this.addSql(`insert into "ledger" ("account_id", "id", "kind", "credits", "held", "reason", "created_at")
      select "id", ${UUID7}, 'adjustment', "credits", 0, 'opening balance', now() from "opening"`);
  }

  #changeAccounts(): void {
    this.addSql(`alter table "accounts"
      add column "low_balance_threshold" int null,
      add column "low_balance_since" timestamptz null,
      add column "low_balance_untold" boolean not null default false,
      add column "daily_spend_cap" int null,
      add column "spend_day" date null,
      add column "spent" int not null default 0`);
    this.addSql(
      `alter table "accounts" add constraint "accounts_low_balance_threshold_check" check (low_balance_threshold > 0)`,
    );
    this.addSql(`alter table "accounts" add constraint "accounts_daily_spend_cap_check" check (daily_spend_cap >= 0)`);
    this.addSql(`create index "accounts_low_balance_untold_index" on "accounts" ("id") where low_balance_untold`);
    // The row of a busy account changes with every commit: there is room for its versions beside it.
    this.addSql(`alter table "accounts" set (fillfactor = 50)`);
  }

  #createLedger(): void {
    this.addSql(`create table "ledger" (
      "account_id" uuid not null,
      "id" uuid not null,
      "kind" text not null,
      "credits" int not null,
      "held" int not null,
      "attempt_id" uuid null,
      "spend_day" date null,
      "reason" text null,
      "reference" text null,
      "created_at" timestamptz not null,
      primary key ("account_id", "id")
    )`);
    this.addSql(
      `create unique index "ledger_attempt_id_step_unique" on "ledger" ("attempt_id", (case kind when 'hold' then 1 when 'charge' then 3 else 2 end)) where attempt_id is not null`,
    );
    this.addSql(
      `create unique index "ledger_account_id_reference_unique" on "ledger" ("account_id", "reference") where reference is not null`,
    );
    this.addSql(
      `create index "ledger_rare_kinds_index" on "ledger" ("account_id", "kind", "id") where kind in ('adjustment', 'release', 'charge')`,
    );
    this.addSql(
      `alter table "ledger" add constraint "ledger_kind_check" check ("kind" in ('adjustment', 'hold', 'capture', 'release', 'charge'))`,
    );
    this.addSql(`alter table "ledger" add constraint "ledger_entry_check" check (case kind
      when 'adjustment' then credits <> 0 and held = 0 and attempt_id is null and reason is not null
      when 'hold' then credits < 0 and held = -credits and attempt_id is not null
      when 'capture' then credits = 0 and held < 0 and attempt_id is not null
      when 'release' then credits > 0 and held = -credits and attempt_id is not null
      else credits <= 0 and held = 0 and attempt_id is not null end)`);
  }

  #createAudit(): void {
    this.addSql(`create table "audit_entries" (
      "id" uuid not null,
      "account_id" uuid null,
      "action" text not null,
      "subject" text null,
      "actor" text not null,
      "token_id" uuid null,
      "client_address" text null,
      "request_id" text not null,
      "details" jsonb not null,
      "created_at" timestamptz not null,
      primary key ("id")
    )`);
    this.addSql(`create index "audit_entries_account_id_id_index" on "audit_entries" ("account_id", "id")`);
    this.addSql(
      `alter table "audit_entries" add constraint "audit_entries_actor_check" check ("actor" in ('operator', 'token'))`,
    );
    this.addSql(`create function "refuse_rewriting"() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name;
      end $$`);
    for (const table of ['ledger', 'audit_entries']) {
      this.addSql(`create trigger "${table}_append_only" before update or delete or truncate on "${table}"
        for each statement execute function "refuse_rewriting"()`);
    }
  }

  /** One change of a balance for each account and statement, whatever entries the statement writes. */
  #bookBalances(): void {
    this.addSql(`create function "book_ledger"() returns trigger language plpgsql as $$
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
    this.addSql(`create trigger "ledger_book" after insert on "ledger" referencing new table as entries
      for each statement execute function "book_ledger"()`);
  }

  #guardBalances(): void {
    this.addSql(`create function "guard_balance"() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          if new.credits <> 0 then raise exception 'credits are changed by the ledger alone'; end if;
          return new;
        end if;
        if new.credits <> old.credits and pg_trigger_depth() < 2 then
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
    this.addSql(`create trigger "accounts_guard_balance" before insert or update of credits, low_balance_threshold on "accounts"
      for each row execute function "guard_balance"()`);
  }

  override down(): void {
    this.addSql(`drop trigger "accounts_guard_balance" on "accounts"`);
    this.addSql(`drop function "guard_balance"`);
    this.addSql(`drop table "ledger"`);
    this.addSql(`drop function "book_ledger"`);
    this.addSql(`drop table "audit_entries"`);
    this.addSql(`drop function "refuse_rewriting"`);
    this.addSql(`alter table "tokens" drop column "expires_at", drop column "last_used_at"`);
    this.addSql(`drop index "accounts_low_balance_untold_index"`);
    this.addSql(`alter table "accounts" reset (fillfactor)`);
    this.addSql(`alter table "accounts" drop constraint "accounts_low_balance_threshold_check"`);
    this.addSql(`alter table "accounts" drop constraint "accounts_daily_spend_cap_check"`);
    this.addSql(`alter table "accounts"
      drop column "low_balance_threshold", drop column "low_balance_since", drop column "low_balance_untold",
      drop column "daily_spend_cap", drop column "spend_day", drop column "spent"`);
  }
}

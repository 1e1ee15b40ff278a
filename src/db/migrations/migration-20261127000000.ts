/** People who sign in: roles, sessions, invitations, and what guards sign-ins. */
import { Migration } from '@mikro-orm/migrations';

/** Adds roles (people of before are owners), the tables of sessions, invitations and failed sign-ins, and people to the audit trail. */
export class Migration20261127000000 extends Migration {
  override up(): void {
    this.addSql(`alter table "dashboard_users" add column "name" text null,
      add column "role" text not null default 'owner', add column "password_changed_at" timestamptz null`);
    this.addSql(`alter table "dashboard_users" alter column "role" drop default,
      add constraint "dashboard_users_role_check" check ("role" in ('owner', 'developer', 'viewer'))`);
    this.addSql(`update "dashboard_users" set "email" = lower("email") where "email" <> lower("email")`);
    this.addSql(`create table "dashboard_sessions" (
      "id" uuid not null,
      "hash" varchar(64) not null,
      "user_id" uuid null,
      "operator_hash" varchar(64) null,
      "client_address" text not null,
      "user_agent" text null,
      "created_at" timestamptz not null,
      "last_seen_at" timestamptz not null,
      "expires_at" timestamptz not null,
      primary key ("id"),
      constraint "dashboard_sessions_hash_unique" unique ("hash"),
      constraint "dashboard_sessions_user_id_foreign" foreign key ("user_id") references "dashboard_users" ("id") on delete cascade
    )`);
    this.addSql(`create index "dashboard_sessions_user_id_index" on "dashboard_sessions" ("user_id")`);
    this.addSql(`create index "dashboard_sessions_expires_at_index" on "dashboard_sessions" ("expires_at")`);
    this.addSql(`create table "dashboard_invitations" (
      "id" uuid not null,
      "account_id" uuid not null,
      "email" text not null,
      "role" text not null check ("role" in ('owner', 'developer', 'viewer')),
      "hash" varchar(64) not null,
      "invited_by" text null,
      "created_at" timestamptz not null,
      "expires_at" timestamptz not null,
      "accepted_at" timestamptz null,
      primary key ("id"),
      constraint "dashboard_invitations_hash_unique" unique ("hash"),
      constraint "dashboard_invitations_account_id_foreign" foreign key ("account_id") references "accounts" ("id")
    )`);
    this.addSql(`create index "dashboard_invitations_account_id_index" on "dashboard_invitations" ("account_id")`);
    this.addSql(`create index "dashboard_invitations_expires_at_index" on "dashboard_invitations" ("expires_at")`);
    this.addSql(`create table "sign_in_guards" (
      "key" text not null,
      "failures" int not null,
      "over_at" timestamptz not null,
      primary key ("key")
    )`);
    this.addSql(`create index "sign_in_guards_over_at_index" on "sign_in_guards" ("over_at")`);
    this.addSql(`alter table "audit_entries" add column "user_id" uuid null, add column "user_email" text null,
      drop constraint "audit_entries_actor_check"`);
    this.addSql(`alter table "audit_entries"
      add constraint "audit_entries_actor_check" check ("actor" in ('operator', 'token', 'user', 'stranger'))`);
  }

  override down(): void {
    this.addSql(`alter table "audit_entries" drop constraint "audit_entries_actor_check",
      drop column "user_id", drop column "user_email"`);
    // Entries are never deleted: those of people stay.
    this.addSql(`alter table "audit_entries"
      add constraint "audit_entries_actor_check" check ("actor" in ('operator', 'token')) not valid`);
    for (const table of ['sign_in_guards', 'dashboard_invitations', 'dashboard_sessions'])
      this.addSql(`drop table "${table}"`);
    this.addSql(
      `alter table "dashboard_users" drop column "role", drop column "name", drop column "password_changed_at"`,
    );
  }
}

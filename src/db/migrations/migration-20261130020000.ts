/** The request log. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the log, and whether an account has its accepted requests kept: none has. */
export class Migration20261130020000 extends Migration {
  override up(): void {
    this.addSql(`alter table "accounts" add column "logs_accepted" boolean not null default false`);
    this.addSql(`create table "logged_requests" (
      "id" uuid not null,
      "account_id" uuid null,
      "actor" text not null,
      "token_id" uuid null,
      "method" text not null,
      "path" text not null,
      "operation" text null,
      "status" int not null,
      "code" text null,
      "field" text null,
      "client_address" text null,
      "duration_ms" int not null,
      "request_id" text not null,
      "left_out" int not null default 0,
      primary key ("id"),
      constraint "logged_requests_actor_check" check ("actor" in ('token', 'user', 'operator', 'stranger'))
    )`);
    this.addSql(`create index "logged_requests_account_id_id_index" on "logged_requests" ("account_id", "id")`);
    this.addSql(`create index "logged_requests_request_id_index" on "logged_requests" ("request_id")`);
  }

  override down(): void {
    this.addSql(`drop table "logged_requests"`);
    this.addSql(`alter table "accounts" drop column "logs_accepted"`);
  }
}

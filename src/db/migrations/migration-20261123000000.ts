/** What holds where a database hangs, is full, or takes no writes: statements that come in time or not at all, and a row to write. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the check of the time, and the row that readiness writes. */
export class Migration20261123000000 extends Migration {
  override up(): void {
    this.addSql(`create function "in_time"("by" timestamptz) returns boolean language plpgsql as $$ begin
      if clock_timestamp() > "by" then
        raise exception 'the statement came too late' using errcode = 'HG001';
      end if;
      return true;
    end $$`);
    this.addSql(`create table "readiness" (
      "id" int not null,
      "at" timestamptz not null,
      "filling" text null,
      primary key ("id")
    )`);
    // As it is: what is compressed or kept elsewhere would show nothing of the room for it.
    this.addSql(`alter table "readiness" alter column "filling" set storage plain`);
    this.addSql(`insert into "readiness" ("id", "at") values (1, now())`);
  }

  override down(): void {
    this.addSql(`drop table "readiness"`);
    this.addSql(`drop function "in_time"(timestamptz)`);
  }
}

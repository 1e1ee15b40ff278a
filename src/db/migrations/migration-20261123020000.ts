/** The canary of the secret key: which key this database belongs to, so that another one is noticed before it does harm. */
import { Migration } from '@mikro-orm/migrations';

/** Makes room for the canary. The next start seals it. */
export class Migration20261123020000 extends Migration {
  override up(): void {
    this.addSql(`create table "secret_key" (
      "id" int not null,
      "key_id" varchar(8) not null,
      "sealed" text not null,
      "sealed_at" timestamptz not null,
      primary key ("id")
    )`);
    this.addSql(`alter table "secret_key" add constraint "secret_key_single_check" check (id = 1)`);
  }

  override down(): void {
    this.addSql(`drop table "secret_key"`);
  }
}

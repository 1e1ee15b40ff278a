/** The log is filtered by the code of an error. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the index of what failed, by its code. */
export class Migration20261128030000 extends Migration {
  override up(): void {
    this.addSql(
      `create index "attempts_account_id_error_code_id_index" on "attempts" ("account_id", "error_code", "id") where error_code is not null`,
    );
  }

  override down(): void {
    this.addSql(`drop index "attempts_account_id_error_code_id_index"`);
  }
}

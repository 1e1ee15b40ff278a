/** Keeps when the period ends in which the chat lets a number begin so many chats. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column. */
export class Migration20261218000000 extends Migration {
  override up(): void {
    this.addSql('alter table chat_sessions add column new_chats_until timestamptz null');
  }

  override down(): void {
    this.addSql('alter table chat_sessions drop column new_chats_until');
  }
}

/**
 * Keeps the price of a message, as its provider writes it; people of whom a provider told two addresses, who stand in no list (contract §15); and the next turn
 * of each number that has a pace.
 */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column and the table, and lets the place in the list be empty. */
export class Migration20261211000000 extends Migration {
  override up(): void {
    this.addSql('alter table attempts add column pricing jsonb null');
    this.addSql('alter table people alter column newest drop not null');
    this.addSql(`create table number_turns (
      number text not null primary key,
      taken_ms double precision not null,
      next_at timestamptz not null
    )`);
  }

  override down(): void {
    this.addSql('drop table number_turns');
    this.addSql('delete from person_addresses where person_id in (select id from people where newest is null)');
    this.addSql('delete from people where newest is null');
    this.addSql('alter table people alter column newest set not null');
    this.addSql('alter table attempts drop column pricing');
  }
}

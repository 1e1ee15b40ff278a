/** Every migration, in order. The folder is not scanned: only those listed here run. */
import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261202000003 } from './migrations/migration-20261202000003.ts';

const all = [Migration20261202000003];

/** The migrations, each without the gateway's statement time-out. They are called as their files are. */
export const migrations: MigrationObject[] = all.map(Bounded => ({
  name: Bounded.name.replace('Migration', 'migration-'),
  class: class extends Bounded {
    override async up(): Promise<void> {
      this.addSql('set local statement_timeout = 0');
      await super.up();
    }
  },
}));

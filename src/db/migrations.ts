/** Every migration, in order. The folder is not scanned: only those listed here run. */
import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261120000000 } from './migrations/migration-20261120000000.ts';
import { Migration20261121000000 } from './migrations/migration-20261121000000.ts';
import { Migration20261121120000 } from './migrations/migration-20261121120000.ts';
import { Migration20261122000000 } from './migrations/migration-20261122000000.ts';
import { Migration20261123000000 } from './migrations/migration-20261123000000.ts';
import { Migration20261123010000 } from './migrations/migration-20261123010000.ts';
import { Migration20261123020000 } from './migrations/migration-20261123020000.ts';
import { Migration20261123030000 } from './migrations/migration-20261123030000.ts';

const all = [
  { name: 'migration-20261120000000', class: Migration20261120000000 },
  { name: 'migration-20261121000000', class: Migration20261121000000 },
  { name: 'migration-20261121120000', class: Migration20261121120000 },
  { name: 'migration-20261122000000', class: Migration20261122000000 },
  { name: 'migration-20261123000000', class: Migration20261123000000 },
  { name: 'migration-20261123010000', class: Migration20261123010000 },
  { name: 'migration-20261123020000', class: Migration20261123020000 },
  { name: 'migration-20261123030000', class: Migration20261123030000 },
];

/** The migrations, each without the gateway's statement time-out. */
export const migrations: MigrationObject[] = all.map(({ name, class: Bounded }) => ({
  name,
  class: class extends Bounded {
    override async up(): Promise<void> {
      this.addSql('set local statement_timeout = 0');
      await super.up();
    }
  },
}));

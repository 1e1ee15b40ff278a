/** Every migration, in order. The folder is not scanned: only those listed here run. */
import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261202000003 } from './migrations/migration-20261202000003.ts';
import { Migration20261206000000 } from './migrations/migration-20261206000000.ts';
import { Migration20261207000000 } from './migrations/migration-20261207000000.ts';
import { Migration20261208000000 } from './migrations/migration-20261208000000.ts';
import { Migration20261209000000 } from './migrations/migration-20261209000000.ts';
import { Migration20261210000000 } from './migrations/migration-20261210000000.ts';
import { Migration20261211000000 } from './migrations/migration-20261211000000.ts';
import { Migration20261212000000 } from './migrations/migration-20261212000000.ts';
import { Migration20261213000000 } from './migrations/migration-20261213000000.ts';
import { Migration20261214000000 } from './migrations/migration-20261214000000.ts';
import { Migration20261215000000 } from './migrations/migration-20261215000000.ts';
import { Migration20261216000000 } from './migrations/migration-20261216000000.ts';
import { Migration20261217000000 } from './migrations/migration-20261217000000.ts';
import { Migration20261218000000 } from './migrations/migration-20261218000000.ts';
import { Migration20261219000000 } from './migrations/migration-20261219000000.ts';
import { Migration20261220000000 } from './migrations/migration-20261220000000.ts';
import { Migration20261221000000 } from './migrations/migration-20261221000000.ts';
import { Migration20261222000000 } from './migrations/migration-20261222000000.ts';
import { Migration20261224000000 } from './migrations/migration-20261224000000.ts';

const all = [
  Migration20261202000003,
  Migration20261206000000,
  Migration20261207000000,
  Migration20261208000000,
  Migration20261209000000,
  Migration20261210000000,
  Migration20261211000000,
  Migration20261212000000,
  Migration20261213000000,
  Migration20261214000000,
  Migration20261215000000,
  Migration20261216000000,
  Migration20261217000000,
  Migration20261218000000,
  Migration20261219000000,
  Migration20261220000000,
  Migration20261221000000,
  Migration20261222000000,
  Migration20261224000000,
];

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

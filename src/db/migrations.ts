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
import { Migration20261125000000 } from './migrations/migration-20261125000000.ts';
import { Migration20261126000000 } from './migrations/migration-20261126000000.ts';
import { Migration20261126010000 } from './migrations/migration-20261126010000.ts';
import { Migration20261127000000 } from './migrations/migration-20261127000000.ts';
import { Migration20261127060000 } from './migrations/migration-20261127060000.ts';
import { Migration20261128000000 } from './migrations/migration-20261128000000.ts';
import { Migration20261128010000 } from './migrations/migration-20261128010000.ts';
import { Migration20261128020000 } from './migrations/migration-20261128020000.ts';
import { Migration20261128030000 } from './migrations/migration-20261128030000.ts';
import { Migration20261128050000 } from './migrations/migration-20261128050000.ts';
import { Migration20261129010600 } from './migrations/migration-20261129010600.ts';
import { Migration20261129020000 } from './migrations/migration-20261129020000.ts';
import { Migration20261130020000 } from './migrations/migration-20261130020000.ts';
import { Migration20261130040010 } from './migrations/migration-20261130040010.ts';
import { Migration20261130050000 } from './migrations/migration-20261130050000.ts';
import { Migration20261130060000 } from './migrations/migration-20261130060000.ts';
import { Migration20261201000010 } from './migrations/migration-20261201000010.ts';
import { Migration20261202000001 } from './migrations/migration-20261202000001.ts';
import { Migration20261202000002 } from './migrations/migration-20261202000002.ts';
import { Migration20261202000003 } from './migrations/migration-20261202000003.ts';

const all = [
  Migration20261120000000,
  Migration20261121000000,
  Migration20261121120000,
  Migration20261122000000,
  Migration20261123000000,
  Migration20261123010000,
  Migration20261123020000,
  Migration20261123030000,
  Migration20261125000000,
  Migration20261126000000,
  Migration20261126010000,
  Migration20261127000000,
  Migration20261127060000,
  Migration20261128000000,
  Migration20261128010000,
  Migration20261128020000,
  Migration20261128030000,
  Migration20261128050000,
  Migration20261129010600,
  Migration20261129020000,
  Migration20261130020000,
  Migration20261130040010,
  Migration20261130050000,
  Migration20261130060000,
  Migration20261201000010,
  Migration20261202000001,
  Migration20261202000002,
  Migration20261202000003,
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

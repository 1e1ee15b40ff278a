/** Brings the schema of a test's database up to date, as a start does. */
import type { PGlite } from '@electric-sql/pglite';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/orm.ts';

/** Migrates the database of a URL. @throws the error of the driver */
export async function migrateDatabase(url: string): Promise<void> {
  const database = await openDatabase({ url }, []);
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}

/** Migrates an embedded database that is open already. */
export async function migratePglite(pglite: PGlite): Promise<void> {
  const database = await openDatabase({ pglite }, []);
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}

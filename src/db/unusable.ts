/** What a database that cannot be used means for the person who starts the gateway: one clear sentence. */
import { StartError } from '../kernel/start-error.ts';
import { migrate } from './migrate.ts';
import type { Database } from './orm.ts';
import { sqlState } from './sql.ts';

/** The fault of a `DATABASE_URL` that does not open. */
export function unusable(error: unknown): StartError {
  return new StartError(`The database of DATABASE_URL cannot be used: ${reasonOf(error)}.`, error);
}

/** Brings the schema up to date. @throws StartError where the user of a PostgreSQL may not: that is the operator's to mend, and no fault of ours. */
export async function migrateAtStart(database: Database): Promise<void> {
  try {
    await migrate(database);
  } catch (error) {
    throw database.engine.kind === 'postgres' && sqlState(error) !== null ? unusable(error) : error;
  }
}

/** What the driver said, whatever wraps it. Several addresses of one host fail together, alike. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

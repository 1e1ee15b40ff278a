/** What a database that cannot be used means for the person who starts the gateway: one clear sentence. */
import { StartError } from '../kernel/process/start-error.ts';
import { isUnavailable, sqlState } from './statements/sql.ts';

/** The fault of a `DATABASE_URL` that does not open. */
export function unusable(error: unknown): StartError {
  return new StartError(`The database of DATABASE_URL cannot be used: ${reasonOf(error)}.`, error);
}

/** What the server of `DATABASE_URL` refuses while the gateway opens is the operator's to mend, and no fault of ours. Anything else stays what it is. */
export function blameServer(error: unknown): unknown {
  const isTold = error instanceof StartError;
  return !isTold && (sqlState(error) !== null || isUnavailable(error)) ? unusable(error) : error;
}

/** What the driver said, whatever wraps it. Several addresses of one host fail together, alike. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

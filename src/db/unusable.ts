/** Explains to the operator why a database cannot be used. */
import { StartError } from '../kernel/process/start-error.ts';
import { DeafError } from './feeds/listen.ts';
import { isUnavailable, sqlState } from './statements/sql.ts';

/** The error for a URL that does not open, of the variable `name`. */
export function unusable(error: unknown, name = 'DATABASE_URL'): StartError {
  // Its own message says what to do.
  if (error instanceof DeafError) return new StartError(error.message, error);
  return new StartError(`The database of ${name} cannot be used: ${reasonOf(error)}.`, error);
}

/** Turns an error of the server at start into a StartError for the operator. Other errors stay unchanged. */
export function blameServer(error: unknown): unknown {
  const isTold = error instanceof StartError;
  return !isTold && (sqlState(error) !== null || isUnavailable(error)) ? unusable(error) : error;
}

/** The driver's message, however it is wrapped. If several addresses of a host fail, the first one's. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

/** What was thrown, in the words of the gateway. */
import { AppError } from '../kernel/errors.ts';
import { unavailable } from './batch.ts';
import { isUnavailable } from './statements/sql.ts';

/**
 * The named failure inside an error, whatever wraps it (GraphQL keeps the original in `originalError`, others in `cause`);
 * a database that is away is `database_unavailable`. Null for what nobody expected: to be masked, and logged.
 */
export function toAppError(error: unknown): AppError | null {
  for (
    let current = error;
    current instanceof Error;
    current = 'originalError' in current && current.originalError ? current.originalError : current.cause
  ) {
    if (current instanceof AppError) return current;
    if (isUnavailable(current)) return unavailable(current);
  }
  return null;
}

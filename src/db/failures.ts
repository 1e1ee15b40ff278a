import { AppError } from '../kernel/errors.ts';
import { unavailable } from './batch.ts';
import { isUnavailable } from './statements/sql.ts';

/** The `AppError` inside an error, `database_unavailable` for a lost database; null if unexpected, which must be masked and logged. */
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

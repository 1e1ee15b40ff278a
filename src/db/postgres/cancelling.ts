/** Statements whose request is over: they are cancelled, and that they are is news to nobody. */
import type { DatabaseConnection } from 'kysely';

/**
 * Makes a new connection ready to have its statements cancelled. What an abandoned statement ends with (that it was cancelled) has
 * nobody to hear it, and would be written to standard error; so would a cancellation that came too late.
 */
export function endQuietly(connection: DatabaseConnection): void {
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  connection.executeQuery = async (query, options) => {
    try {
      return await execute(query, options);
    } catch (error) {
      if (options?.signal?.aborted) return { rows: [] };
      throw error;
    }
  };
  const cancel = connection.cancelQuery?.bind(connection);
  if (cancel) connection.cancelQuery = provider => cancel(provider).catch(() => undefined);
}

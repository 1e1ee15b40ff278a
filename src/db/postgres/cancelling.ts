import type { DatabaseConnection } from 'kysely';

/** Silences the errors of cancelled statements, which nobody awaits: they would only be printed to standard error. */
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

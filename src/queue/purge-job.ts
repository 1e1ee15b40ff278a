/** Jobs that delete what is over. */
import { defineRecurring, type Job } from './kit.ts';

/** A context whose database runs purges. */
interface Purging<Sql> {
  readonly services: { readonly database: { sql(): Sql } };
}

/** A job that runs purges one after another, by its schedule. */
export function purgeJob<Sql>(
  name: string,
  cron: string,
  ...purges: readonly ((sql: Sql) => Promise<unknown>)[]
): Job<Purging<Sql>> {
  return defineRecurring({
    name,
    cron,
    async run({ services: { database } }) {
      const sql = database.sql();
      for (const purge of purges) await purge(sql);
    },
  });
}

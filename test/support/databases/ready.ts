/** Makes an empty database of tests what a start leaves: migrated, with the queues of the jobs, which take longer than the migrations. */
import type { PGlite } from '@electric-sql/pglite';
import { postgresConnections } from '../../../src/db/postgres/postgres.ts';
import { openJobs } from '../../../src/queue/kit.ts';
import { JOBS } from '../../../src/worker/jobs.ts';
import { migrateDatabase, migratePglite } from './migrated.ts';

type Engine = Parameters<typeof openJobs>[0]['engine'];

/** Makes the database of a URL ready. @throws the error of the driver */
export async function readyDatabase(url: string): Promise<void> {
  await migrateDatabase(url);
  await makeQueues(postgresConnections({ url }, 'heliograph-queue'));
}

/** Makes an embedded database ready that is open already. */
export async function readyPglite(pglite: PGlite): Promise<void> {
  await migratePglite(pglite);
  await makeQueues({ pglite });
}

async function makeQueues(engine: Engine): Promise<void> {
  const onError = (error: Error): never => {
    throw error;
  };
  // No schedules, whose times would be past when a test starts.
  const jobs = await openJobs({ engine, definitions: JOBS, maintain: false, onError });
  await jobs.stop(0);
}

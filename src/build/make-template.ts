/** Makes the template of the embedded database: migrated, with the queues of the jobs, and with nothing of anybody's. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entities } from '../../mikro-orm.config.ts';
import { DATABASE_FOLDER, openEmbedded } from '../db/embedded/embedded.ts';
import { packEmbedded } from '../db/embedded/embedded-template.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/orm.ts';
import { openJobs } from '../queue/kit.ts';
import { JOBS } from '../worker/jobs.ts';

/** Writes the template to a file. @throws errors of PGlite */
export async function makeTemplate(file: string): Promise<void> {
  const dataDir = fs.mkdtempSync(join(tmpdir(), 'heliograph-template-'));
  try {
    const pglite = await openEmbedded(dataDir, 'relaxed');
    const database = await openDatabase({ pglite }, entities);
    await migrate(database);
    const onError = (error: Error): never => {
      throw error;
    };
    // No schedules, whose times would all be past when somebody starts.
    const jobs = await openJobs({ engine: { pglite }, definitions: JOBS, maintain: false, onError });
    await jobs.stop(0);
    await database.close();
    await pglite.close();
    fs.writeFileSync(file, packEmbedded(join(dataDir, DATABASE_FOLDER)));
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

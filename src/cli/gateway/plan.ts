/** The plan of pending migrations. Another command asks a gateway that runs, or opens one, which migrates; this one opens the database alone. */
import type { Config } from '../../config.ts';
import { lockDataDir } from '../../db/data-dir/data-dir-lock.ts';
import { hasEmbedded } from '../../db/embedded/embedded.ts';
import { type PlannedStatement, planMigrations } from '../../db/plan/plan-migrations.ts';
import { Closers } from '../../kernel/process/closers.ts';
import { createLogger } from '../../observability/logger.ts';
import { createMetrics } from '../../observability/metrics.ts';
import { openDatabaseOf } from '../../open-database.ts';

/** The locks of the next start in the database of these settings; none where there is no database yet. @throws StartError */
export async function planOf(config: Config): Promise<PlannedStatement[]> {
  const log = createLogger('error');
  const closers = new Closers(error => log.error({ err: error }, 'a part did not close'));
  try {
    if (config.databaseUrl === null) {
      if (!hasEmbedded(config.dataDir)) return [];
      const lock = lockDataDir(config.dataDir);
      closers.add(() => lock.release());
    }
    return await planMigrations(await openDatabaseOf(config, { log }, createMetrics(), closers));
  } finally {
    await closers.close();
  }
}

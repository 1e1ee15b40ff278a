/** A part of the composition root: opens the database that the settings name, and follows its clock. */
import type { PGlite } from '@electric-sql/pglite';
import { entities } from '../mikro-orm.config.ts';
import { type Config, databaseTarget } from './config.ts';
import { hasEmbedded, openEmbedded } from './db/embedded/embedded.ts';
import { openServer } from './db/open-server.ts';
import { type Batching, type Database, openDatabase } from './db/orm.ts';
import type { Closers } from './kernel/process/closers.ts';
import { followTime } from './kernel/process/gateway-time.ts';
import type { Logger } from './observability/logger.ts';
import type { Metrics } from './observability/metrics.ts';

const DEAF = 'what other processes announce does not arrive; it is read again every two seconds';

/** The options of the database, beside the settings. */
export interface DatabaseOptions {
  readonly log: Logger;
  /** Whether commits are grouped; `npm run bench` compares both. */
  readonly grouped?: boolean;
  /** An open embedded database to use (and not close) instead of the one in the data directory. */
  readonly pglite?: PGlite;
  /** The file with the template of a new embedded database (`embedded-template.ts`), if there is one. */
  readonly templateOf?: () => URL | null;
  /** Called at the begin of a slow step, one of a first start or of any; the returned function at its end. */
  readonly onStep?: (step: string, isFirstStart?: boolean) => () => void;
}

/** Opens the database of the settings; the closers close it. @throws StartError in one sentence */
export async function openDatabaseOf(
  config: Config,
  options: DatabaseOptions,
  metrics: Metrics,
  closers: Closers,
): Promise<Database> {
  const step = options.onStep ?? (() => () => undefined);
  const batching: Batching = {
    grouped: options.grouped ?? true,
    onCommit(batch, size, durationMs) {
      metrics.commitSize.observe({ batch }, size);
      metrics.commitSeconds.observe({ batch }, durationMs / 1000);
    },
  };
  const openPglite = async (): Promise<PGlite> => {
    if (options.pglite) return options.pglite;
    const pglite = await openEmbedded(config.dataDir, config.embeddedDurability, options.templateOf);
    closers.add(() => pglite.close());
    return pglite;
  };
  const isNew = config.databaseUrl === null && !options.pglite && !hasEmbedded(config.dataDir);
  const opening = config.databaseUrl === null ? 'Opening the embedded database' : 'Connecting to the database';
  const opened = step(isNew ? `Creating the database in ${config.dataDir}` : opening, isNew);
  const database = await (config.databaseUrl === null
    ? openDatabase({ pglite: await openPglite() }, entities, batching)
    : openServer(databaseTarget(config), entities, batching, isDeaf =>
        options.log.warn({ event: 'hearing', isDeaf }, isDeaf ? DEAF : 'what other processes announce arrives again'),
      ));
  opened();
  watchReplica(database, options.log, metrics);
  closers.add(() => database.close());
  closers.add(followTime(() => database.clock.now().getTime()));
  return database;
}

/** Has the metrics show how the replica stands, and the log tell where it changes. */
function watchReplica({ replica }: Database, log: Logger, metrics: Metrics): void {
  let told = 'following';
  replica?.keep(({ state, lagSeconds }) => {
    metrics.replicaUsed.set(state === 'following' ? 1 : 0);
    if (lagSeconds !== null) metrics.replicaLag.set(lagSeconds);
    if (state === told) return;
    told = state;
    const isUsed = state === 'following';
    log[isUsed ? 'info' : 'warn'](
      { event: 'replica', state },
      isUsed
        ? 'lists and figures are read from the replica again'
        : `the replica is ${state}: lists and figures are read from the primary`,
    );
  });
}

/** The verb *examine the gateway*: checks settings, database, clock, disk, keys, connections, webhooks, traces and jobs. */
import { type Ctx, requireOperator } from '../../context.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { lookAtConnections } from './connections.ts';
import { lookAtDatabase, lookAtHearing } from './database.ts';
import { type DoctorReport, type Finding, fault, reportOf } from './finding.ts';
import { lookAtKeys } from './keys.ts';
import { lookAtClock, lookAtDisk } from './machine.ts';
import { lookAtReplica } from './replica.ts';
import { lookAtSettings } from './settings.ts';
import { lookAtTraces } from './traces.ts';
import { lookAtUpkeep } from './upkeep.ts';
import { lookAtJobs, lookAtWebhooks } from './work.ts';

/** The time-out of one check, so that the report comes even if something hangs. */
const LOOK_MS = 4_000;

interface Look {
  readonly name: string;
  /** The remedy if the check itself fails. */
  readonly mend: string;
  run(ctx: Ctx, sql: Sql): Promise<Finding[]>;
}

const SEE_DATABASE = 'See that the database runs, that DATABASE_URL reaches it, and what its log says.';

/** Every check. Each runs even if others fail. */
const LOOKS: readonly Look[] = [
  { name: 'settings', mend: '', run: async ({ services }) => lookAtSettings(services.settings) },
  { name: 'database', mend: SEE_DATABASE, run: ({ services }, sql) => lookAtDatabase(services.database, sql) },
  { name: 'listen', mend: SEE_DATABASE, run: ({ services }) => lookAtHearing(services.database) },
  {
    name: 'upkeep',
    mend: SEE_DATABASE,
    run: async ({ services }, sql) => (services.database.engine.kind === 'postgres' ? lookAtUpkeep(sql) : []),
  },
  { name: 'replica', mend: SEE_DATABASE, run: ({ services }) => lookAtReplica(services.database) },
  { name: 'clock', mend: SEE_DATABASE, run: ({ services }) => lookAtClock(services.database.clock) },
  {
    name: 'disk',
    mend: 'See that the data directory is there, and that the gateway may read it.',
    run: ({ services: { settings } }) => lookAtDisk(settings.dataDir, settings.isEmbedded),
  },
  { name: 'keys', mend: SEE_DATABASE, run: ({ services }, sql) => lookAtKeys(services.keys, sql) },
  { name: 'connections', mend: SEE_DATABASE, run: lookAtConnections },
  { name: 'webhooks', mend: SEE_DATABASE, run: (_ctx, sql) => lookAtWebhooks(sql) },
  { name: 'traces', mend: '', run: async ({ services }) => lookAtTraces(services) },
  { name: 'jobs', mend: SEE_DATABASE, run: (_ctx, sql) => lookAtJobs(sql) },
];

/** Examines this gateway. The operator only. @throws AppError `unauthenticated`, `wrong_area` */
export async function examine(ctx: Ctx): Promise<DoctorReport> {
  requireOperator(ctx);
  return reportOf((await Promise.all(LOOKS.map(look => lookInTime(ctx, look)))).flat());
}

async function lookInTime(ctx: Ctx, { name, mend, run }: Look): Promise<Finding[]> {
  const signal = AbortSignal.timeout(LOOK_MS);
  const over = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => over.reject(new Error('the look took too long')), { once: true });
  try {
    return await Promise.race([run(ctx, ctx.services.database.sql(signal)), over.promise]);
  } catch (error) {
    ctx.log.warn({ err: error, look: name }, 'the doctor could not look');
    return [
      fault(name, signal.aborted ? `No answer came within ${LOOK_MS / 1_000} s.` : 'It could not be looked at.', mend),
    ];
  }
}

/** Jobs on pg-boss, enqueued in the caller's transaction, so that a job exists if the change does; it runs at least once. */
import type { PGlite } from '@electric-sql/pglite';
import {
  type DatabaseOptions,
  fromKysely,
  fromPglite,
  type JobResult,
  type KyselyTransactionLike,
  PgBoss,
  type QueueOptions,
  systemClock,
} from 'pg-boss';
import { z } from 'zod';
import { gatewayTime } from '../kernel/process/gateway-time.ts';

/** The queue uses only the transaction of the caller's unit of work. */
interface UnitOfWork {
  getKysely(): KyselyTransactionLike;
}

/** A kind of job: its name, its payload, and how it runs. */
export interface JobDefinition<Payload extends object> {
  readonly name: string;
  /** Validates the payload when the job is enqueued, and again when it runs. */
  readonly schema: z.ZodType<Payload>;
  /** Retries, expiry, retention, as pg-boss names them. */
  readonly queue: QueueOptions;
  /** The schedule of a recurring job, as a cron expression in UTC. Its payload is `{}`. */
  readonly cron?: string;
  /** How often workers poll for due retries and delayed jobs, in seconds (default 5); new jobs wake them at once. */
  readonly pollSeconds?: number;
  /** The only engine with this job; default: both. */
  readonly engine?: 'pglite';
}

/** A kind of job with the verb that runs it: an entry of the list in `worker/jobs.ts`. */
export interface Job<Context, Payload extends object = object> extends JobDefinition<Payload> {
  /** Throwing makes the queue try again, as the definition says. */
  run(ctx: Context, payload: Payload): Promise<unknown>;
}

/** Runs a job once, in a context of its own. */
export type JobRunner<Context> = (job: Job<Context>, payload: object, id: string) => Promise<void>;

/** The queue of a process. */
export interface Jobs {
  /** Adds jobs in the transaction of `em`; they exist when it commits. */
  enqueue<Payload extends object>(
    em: UnitOfWork,
    job: JobDefinition<Payload>,
    payloads: readonly Payload[],
    options?: { readonly startAfterSeconds?: number },
  ): Promise<void>;
  /** Starts to run jobs. */
  work<Context>(jobs: readonly Job<Context>[], run: JobRunner<Context>): Promise<void>;
  /** Waits for running jobs (at most `timeoutMs`), then stops. */
  stop(timeoutMs: number): Promise<void>;
  /** Awaits states of jobs, in tests that enabled it. */
  readonly spy: PgBoss['getSpy'];
}

interface JobsOptions {
  /** The embedded database, or the driver's options for the queue's own connections, and their time-out (0: none). */
  readonly engine: { readonly pglite: PGlite } | { readonly config: DatabaseOptions; readonly openMs: number };
  readonly definitions: readonly JobDefinition<object>[];
  /** Whether this process maintains the queue (expiry, cron): workers do, pure API processes do not. */
  readonly maintain: boolean;
  readonly onError: (error: Error) => void;
  readonly spies?: boolean;
}

/** A job, with its payload's type taken from the schema. */
export function defineJob<Context, Payload extends object>(job: Job<Context, Payload>): Job<Context, Payload> {
  return job;
}

/** A job that its schedule alone begins. Absent as `queue`: a run that failed is tried three times more, the first time after a minute. */
export function defineRecurring<Context>(
  job: Omit<Job<Context>, 'schema' | 'queue' | 'cron'> & { readonly queue?: QueueOptions; readonly cron: string },
): Job<Context> {
  const queue = { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 };
  return { schema: z.object({}), queue, ...job };
}

/**
 * How long a running job is silent until its process counts as dead, in seconds, and how often it gives a sign of life. A job would wait for
 * its expiry otherwise, 15 minutes. A database that is away for less than the difference makes no job run twice.
 */
const HEARTBEAT_SECONDS = 60;
const HEARTBEAT_EVERY_SECONDS = 10;

/** The queue's own connection pool, so that fetching jobs does not wait behind requests. LISTEN takes one more. */
const CONNECTIONS_MAX = 4;

/** Opens the queue: creates its schema and missing queues, and is then ready to enqueue. */
export async function openJobs(options: JobsOptions): Promise<Jobs> {
  const { engine, maintain } = options;
  const boss = new PgBoss({
    ...('pglite' in engine
      ? { db: fromPglite(engine.pglite), backend: 'pglite' as const }
      : { ...engine.config, max: CONNECTIONS_MAX, connectionTimeoutMillis: engine.openMs }),
    useListenNotify: true,
    supervise: maintain,
    schedule: maintain,
    clock: { ...systemClock, now: () => gatewayTime().getTime() },
    __test__enableSpies: options.spies ?? false,
  });
  boss.on('error', options.onError);
  const isHad = (definition: JobDefinition<object>): boolean => !definition.engine || definition.engine in engine;
  try {
    await boss.start();
    await openQueues(boss, options.definitions.filter(isHad), maintain);
  } catch (error) {
    // A queue that has started would keep the process alive.
    await boss.stop({ graceful: false, close: true }).catch(() => undefined);
    throw error;
  }
  return {
    async enqueue(em, job, payloads, enqueueOptions = {}) {
      const { startAfterSeconds } = enqueueOptions;
      const rows = payloads.map(payload => ({
        data: job.schema.parse(payload),
        ...(startAfterSeconds ? { startAfter: startAfterSeconds } : {}),
      }));
      await boss.insert(job.name, rows, { db: fromKysely(em.getKysely()) });
    },
    async work(jobs, run) {
      for (const job of jobs.filter(isHad)) await startWorker(boss, job, (payload, id) => run(job, payload, id));
    },
    stop: timeoutMs => boss.stop({ graceful: true, close: true, timeout: timeoutMs }),
    spy: name => boss.getSpy(name),
  };
}

/**
 * Creates the queues and schedules of the jobs, and updates those of an earlier release. Of several processes that start together one
 * creates a queue; the others' calls change nothing.
 */
async function openQueues(
  boss: PgBoss,
  definitions: readonly JobDefinition<object>[],
  maintain: boolean,
): Promise<void> {
  const queues = new Map((await boss.getQueues()).map(queue => [queue.name, new Map(Object.entries(queue))]));
  const schedules = new Map((await boss.getSchedules()).map(schedule => [schedule.name, schedule]));
  for (const { name, queue, cron } of definitions) {
    const wanted = { heartbeatSeconds: HEARTBEAT_SECONDS, ...queue, notify: true };
    const found = queues.get(name);
    const isAsWanted = found && Object.entries(wanted).every(([key, value]) => found.get(key) === value);
    if (!isAsWanted) {
      await (found ? boss.updateQueue(name, wanted) : boss.createQueue(name, wanted));
      // The first insert looks a new queue up, on another connection than the transaction. PGlite has one connection only and
      // waits for ever, so the look-up is done here.
      await boss.insert(name, []);
    }
    // A run that was missed while no worker ran is made up for once.
    const timing = { tz: 'UTC', missed: 'once' } as const;
    if (cron && maintain && schedules.get(name)?.cron !== cron) await boss.schedule(name, cron, {}, timing);
  }
}

/** Many jobs a fetch, each with its own result: one that fails does not send its neighbours round again. */
async function startWorker(
  boss: PgBoss,
  { name, schema, pollSeconds = 5 }: JobDefinition<object>,
  run: (payload: object, id: string) => Promise<void>,
): Promise<void> {
  const polling = { pollingIntervalSeconds: Math.min(2, pollSeconds), notifyPollingIntervalSeconds: pollSeconds };
  const beats = { heartbeatRefreshSeconds: HEARTBEAT_EVERY_SECONDS };
  const batches = { batchSize: 50, perJobResults: true, burstWhenBatchFull: true } as const;
  await boss.work<object>(name, { ...polling, ...beats, ...batches }, jobs =>
    Promise.all(
      jobs.map(async ({ id, data }): Promise<JobResult> => {
        try {
          await run(schema.parse(data ?? {}), id);
          return { id, status: 'completed' };
        } catch (error) {
          return { id, status: 'failed', output: { message: error instanceof Error ? error.message : String(error) } };
        }
      }),
    ),
  );
}

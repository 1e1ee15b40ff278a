/**
 * The job kit on pg-boss: a job is a name with a payload schema; it is enqueued inside the caller's transaction, so that work
 * exists exactly when the change that asked for it does, and it is run at least once.
 */
import type { PGlite } from '@electric-sql/pglite';
import {
  type DatabaseOptions,
  fromKysely,
  fromPglite,
  type JobResult,
  type KyselyTransactionLike,
  PgBoss,
  type QueueOptions,
} from 'pg-boss';
import type { z } from 'zod';

/** The caller's unit of work, of which the queue needs the transaction only. */
interface UnitOfWork {
  getKysely(): KyselyTransactionLike;
}

/** A kind of job. */
export interface JobDefinition<Payload extends object> {
  readonly name: string;
  /** Checked when the job is enqueued and again when it runs. */
  readonly schema: z.ZodType<Payload>;
  /** Retries, expiry, retention, as pg-boss names them. */
  readonly queue: QueueOptions;
  /** When it runs by itself, as a cron expression in UTC. Its payload is then `{}`. */
  readonly cron?: string;
  /** How often workers look for jobs whose time has come, in seconds; new ones wake them at once. 5 unless told. */
  readonly pollSeconds?: number;
  /** The only engine that has it; both unless told. */
  readonly engine?: 'pglite';
}

/** What runs a job. Throwing makes the queue try again, as its definition says. */
type JobHandler<Payload> = (
  payload: Payload,
  job: { readonly id: string; readonly signal: AbortSignal },
) => Promise<void>;

/** A job with the verb that runs it: an entry of the list in `worker/jobs.ts`. */
export interface RunnableJob {
  readonly definition: JobDefinition<object>;
  readonly run: JobHandler<object>;
}

/** The queue of a process. */
export interface Jobs {
  /** Adds jobs in the transaction of `em`: they exist when it commits. */
  enqueue<Payload extends object>(
    em: UnitOfWork,
    job: JobDefinition<Payload>,
    payloads: readonly Payload[],
    options?: { readonly startAfterSeconds?: number },
  ): Promise<void>;
  /** Starts to run jobs. */
  work(jobs: readonly RunnableJob[]): Promise<void>;
  /** Lets what runs end (at most `timeoutMs`), then stops. */
  stop(timeoutMs: number): Promise<void>;
  /** Awaits states of jobs, in tests that asked for it. */
  readonly spy: PgBoss['getSpy'];
}

/** How to open the queue. */
interface JobsOptions {
  /** The embedded database, or how the driver opens the queue's own connections, and for how long it may try (0: without end). */
  readonly engine: { readonly pglite: PGlite } | { readonly config: DatabaseOptions; readonly openMs: number };
  readonly definitions: readonly JobDefinition<object>[];
  /** Whether this process keeps the queue in order (expiry, cron): workers do, pure API processes do not. */
  readonly maintain: boolean;
  readonly onError: (error: Error) => void;
  readonly spies?: boolean;
}

/** A definition, with its payload's type taken from the schema. */
export function defineJob<Payload extends object>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  return definition;
}

/** A job with its verb, the payload parsed before it runs. */
export function runJob<Payload extends object>(
  definition: JobDefinition<Payload>,
  run: JobHandler<Payload>,
): RunnableJob {
  return {
    definition: { ...definition, schema: definition.schema },
    run: (payload, job) => run(definition.schema.parse(payload), job),
  };
}

/** A few connections of its own: what workers fetch does not wait behind requests. One more listens. */
const CONNECTIONS_MAX = 4;

/** Opens the queue: makes its schema and queues where they are missing, and is then ready to enqueue. */
export async function openJobs(options: JobsOptions): Promise<Jobs> {
  const { engine, maintain } = options;
  const boss = new PgBoss({
    ...('pglite' in engine
      ? { db: fromPglite(engine.pglite), backend: 'pglite' as const }
      : { ...engine.config, max: CONNECTIONS_MAX, connectionTimeoutMillis: engine.openMs }),
    useListenNotify: true,
    supervise: maintain,
    schedule: maintain,
    __test__enableSpies: options.spies ?? false,
  });
  boss.on('error', options.onError);
  const isHad = (definition: JobDefinition<object>): boolean => !definition.engine || definition.engine in engine;
  try {
    await boss.start();
    for (const definition of options.definitions.filter(isHad)) await openQueue(boss, definition, maintain);
  } catch (error) {
    // What it started by then would keep the process alive.
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
    async work(jobs) {
      for (const job of jobs) if (isHad(job.definition)) await startWorker(boss, job);
    },
    stop: timeoutMs => boss.stop({ graceful: true, close: true, timeout: timeoutMs }),
    spy: name => boss.getSpy(name),
  };
}

/** Makes the queue of a job, or brings the one that an earlier release made up to date. */
async function openQueue(boss: PgBoss, definition: JobDefinition<object>, maintain: boolean): Promise<void> {
  const { name, queue, cron } = definition;
  // Of processes that start at once one makes it; the others' calls change nothing.
  if (await boss.getQueue(name)) await boss.updateQueue(name, { ...queue, notify: true });
  else await boss.createQueue(name, { ...queue, notify: true });
  // A time that passed while no worker ran is made up for once, by the next one.
  if (cron && maintain) await boss.schedule(name, cron, {}, { tz: 'UTC', missed: 'once' });
  // The first insert looks the queue up. Inside a transaction it would do so beside it, where the embedded database, with its
  // one connection, waits for ever: so it is looked up here.
  await boss.insert(name, []);
}

/** Many jobs a fetch, each with its own result: one that fails does not send its neighbours round again. */
async function startWorker(boss: PgBoss, job: RunnableJob): Promise<void> {
  const { name, pollSeconds = 5 } = job.definition;
  const polling = { pollingIntervalSeconds: Math.min(2, pollSeconds), notifyPollingIntervalSeconds: pollSeconds };
  await boss.work<object>(name, { ...polling, batchSize: 50, perJobResults: true, burstWhenBatchFull: true }, jobs =>
    Promise.all(
      jobs.map(async ({ id, data, signal }): Promise<JobResult> => {
        try {
          await job.run(data ?? {}, { id, signal });
          return { id, status: 'completed' };
        } catch (error) {
          return { id, status: 'failed', output: { message: error instanceof Error ? error.message : String(error) } };
        }
      }),
    ),
  );
}

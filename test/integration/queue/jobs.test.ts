import { fromPglite, PgBoss } from 'pg-boss';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Ctx } from '../../../src/context.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { purgeReferencesJob } from '../../../src/modules/messaging/messaging.jobs.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sandboxReceiptsJob } from '../../../src/modules/sandbox/sandbox.jobs.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { defineJob, type JobRunner, type Jobs } from '../../../src/queue/kit.ts';
import { JOBS, jobRunner } from '../../../src/worker/jobs.ts';
import { makePartitionsJob } from '../../../src/worker/partitions.jobs.ts';
import { RECOVERY_INTERVAL_MS, startWorker } from '../../../src/worker/run.ts';
import { expectRows } from '../../support/expect-rows.ts';
import { setUpServices, setUpSharedAccount } from '../../support/fixtures.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { readSources } from '../../support/rules/sources.ts';
import { makeAccount, OPERATOR, openTestDatabase, openTestJobs, storedMessage } from '../../support/services.ts';

const t = setUpServices({ spies: true });
const account = setUpSharedAccount(t);

const makeCtx = (): Ctx => t.ctxFor(OPERATOR);

function send(to: string) {
  return sendMessage(t.ctxFor(account.actor('unified')), { to, text: 'Hello', channels: ['sms'], sender: 'ACME' });
}

/** Whether a receipts job reports the attempt of this message. */
const reports =
  (message: Awaited<ReturnType<typeof send>>) =>
  (data: unknown): boolean =>
    JSON.stringify(data).includes(message.attempts?.[0]?.providerMessageId ?? 'none');

const doNothing = async (): Promise<void> => undefined;

/** Runs a job that needs no context. */
const bare: JobRunner<null> = async (job, payload) => void (await job.run(null, payload));

/** A queue of its own for one test, stopped after it. */
const opened: Jobs[] = [];
async function openQueue(options: Parameters<typeof openTestJobs>[1]): Promise<Jobs> {
  const jobs = await openTestJobs(t.testDatabase, { spies: true, ...options });
  opened.push(jobs);
  return jobs;
}
afterEach(async () => {
  // The spies of the log, which all tests share.
  vi.restoreAllMocks();
  for (const jobs of opened.splice(0)) await jobs.stop(5_000);
});

/** Does for a queue what a worker does once a minute, right after `before`. */
async function supervise(name: string, before: () => Promise<unknown>): Promise<void> {
  const { testDatabase } = t;
  const boss = new PgBoss({
    ...(testDatabase.kind === 'pglite'
      ? { db: fromPglite(testDatabase.pglite), backend: 'pglite' }
      : { connectionString: testDatabase.url }),
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await before();
  await boss.supervise(name);
  await boss.stop({ graceful: false, close: true });
}

describe('the job sandbox-receipts', () => {
  let spy: ReturnType<Jobs['spy']>;
  beforeAll(async () => {
    // Jobs are watched from the first time that somebody asks.
    spy = t.jobs.spy(sandboxReceiptsJob.name);
    await t.jobs.work(JOBS, jobRunner(makeCtx));
  });

  test('raises what was accepted to delivered', async () => {
    const message = await send('+12025550100');
    expect(message.status).toBe('sent');
    await spy.waitForJob(reports(message), 'completed');
    await expect(storedMessage(t, message.id)).resolves.toMatchObject({
      status: 'delivered',
      attempts: [{ status: 'delivered', error_code: null, credits: 1 }],
    });
  });

  test('lowers to failed what the magic recipient 0105 does not get', async () => {
    const message = await send('+12025550105');
    expect(message.status).toBe('sent');
    await spy.waitForJob(reports(message), 'completed');
    await expect(storedMessage(t, message.id)).resolves.toMatchObject({
      status: 'failed',
      channel: 'sms',
      attempts: [{ status: 'failed', error_code: 'undelivered' }],
    });
  });

  test('fails while a receipt matches nothing, and records it when it is run again', async () => {
    const message = await send('+12025550100');
    const id = message.attempts?.[0]?.providerMessageId ?? '';
    const early = `early-${id}`;
    const receipt = {
      provider: 'sandbox',
      providerMessageId: early,
      status: 'read',
      errorCode: null,
      errorMessage: null,
    };
    await t.database
      .fork()
      .transactional(em =>
        t.jobs.enqueue(em, sandboxReceiptsJob, [{ receipts: [{ ...receipt, status: 'read' as const }] }]),
      );
    const isEarly = (data: unknown): boolean => JSON.stringify(data).includes(early);
    await spy.waitForJob(isEarly, 'failed');
    await t.sql('update attempts set provider_message_id = $1 where provider_message_id = $2', [early, id]);
    await spy.waitForJob(isEarly, 'completed');
    await expect(storedMessage(t, message.id)).resolves.toMatchObject({ status: 'read' });
  });
});

describe('the queue', () => {
  test('forgets what was enqueued by a transaction that does not commit', async () => {
    const message = await send('+12025550100');
    const count = async () => (await t.sql<{ n: number }>('select count(*)::int as n from pgboss.job'))[0]?.n;
    const before = await count();
    await expect(
      t.database.fork().transactional(async em => {
        await t.jobs.enqueue(em, sandboxReceiptsJob, [{ receipts: [] }]);
        throw new Error(message.id);
      }),
    ).rejects.toThrow(message.id);
    await expect(count()).resolves.toBe(before);
  });

  test('refuses a payload that is not what the job takes', async () => {
    const job = { ...sandboxReceiptsJob, schema: z.object({ receipts: z.array(z.never()) }) };
    const receipts = [{ provider: 'sandbox' }] as unknown as never[];
    await expect(t.database.fork().transactional(em => t.jobs.enqueue(em, job, [{ receipts }]))).rejects.toThrow(
      z.ZodError,
    );
  });

  test('enqueues inside a transaction right after it made a queue', async () => {
    const seen: number[] = [];
    const job = defineJob({
      name: 'first-of-its-kind',
      schema: z.object({ n: z.int() }),
      queue: {},
      run: async (_ctx: null, { n }) => void seen.push(n),
    });
    const jobs = await openQueue({ definitions: [job] });
    const spy = jobs.spy(job.name);
    await t.database.fork().transactional(em => jobs.enqueue(em, job, [{ n: 1 }, { n: 2 }]));
    await jobs.work([job], bare);
    await spy.waitForJob(() => seen.length === 2, 'completed');
    expect(seen.sort()).toEqual([1, 2]);
  });

  test('takes the settings of a later release over', async () => {
    const job = defineJob({ name: 'changed-later', schema: z.object({}), queue: { retryLimit: 1 }, run: doNothing });
    await openQueue({ definitions: [job] });
    await openQueue({ definitions: [{ ...job, queue: { retryLimit: 7 } }] });
    await expect(t.sql(`select retry_limit from pgboss.queue where name = 'changed-later'`)).resolves.toEqual([
      { retry_limit: 7 },
    ]);
  });

  test('lets one job fail and complete its neighbours', async () => {
    const job = defineJob({
      name: 'one-of-three',
      schema: z.object({ n: z.int() }),
      queue: { retryLimit: 0 },
      run: async (_ctx: null, { n }) => {
        if (n === 2) throw new Error('two is refused');
      },
    });
    const jobs = await openQueue({ definitions: [job] });
    const spy = jobs.spy(job.name);
    await t.database.fork().transactional(em => jobs.enqueue(em, job, [{ n: 1 }, { n: 2 }, { n: 3 }]));
    await jobs.work([job], bare);
    const isNumber = (n: number) => (data: { n?: number }) => data.n === n;
    await spy.waitForJob(isNumber(1), 'completed');
    await spy.waitForJob(isNumber(3), 'completed');
    const failed = await spy.waitForJob(isNumber(2), 'failed');
    expect(failed.output).toMatchObject({ message: 'two is refused' });
  });

  test('runs a job again a minute after the process died that had begun it', async () => {
    const dead = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const job = defineJob({ name: 'begun-twice', schema: z.object({}), queue: { retryDelay: 0 }, run: doNothing });
    const first = await openQueue({ definitions: [job] });
    await first.work([job], async () => {
      begun.resolve();
      await dead.promise;
    });
    await t.database.fork().transactional(em => first.enqueue(em, job, [{}]));
    await begun.promise;
    const second = await openQueue({ definitions: [job] });
    const spy = second.spy(job.name);
    // As it is a minute after the last sign of life. The next sign comes within ten seconds.
    await supervise(job.name, () =>
      t.sql(`update pgboss.job set heartbeat_on = now() - interval '61 seconds' where name = $1`, [job.name]),
    );
    await second.work([job], bare);
    await spy.waitForJob(() => true, 'completed');
    dead.resolve();
  });

  test('runs a scheduled job when its time comes', async () => {
    const run = vi.fn(doNothing);
    const job = defineJob({ name: 'every-minute', schema: z.object({}), queue: {}, cron: '* * * * *', run });
    // A process makes the schedule; a later one finds the minute due that nobody has looked at.
    await (await openQueue({ definitions: [job], maintain: true })).stop(5_000);
    opened.pop();
    await t.sql(`update pgboss.version set cron_on = null`);
    const jobs = await openQueue({ definitions: [job], maintain: true });
    const spy = jobs.spy(job.name);
    await jobs.work([job], bare);
    await spy.waitForJob(() => true, 'completed');
    expect(run).toHaveBeenCalledWith(null, {});
  });

  test('makes up once for the times that passed while no worker ran', async () => {
    // Half an hour from now, so that the next time does not come meanwhile.
    const cron = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`;
    const job = defineJob({ name: 'every-hour', schema: z.object({}), queue: {}, cron, run: doNothing });
    await (await openQueue({ definitions: [job], maintain: true })).stop(5_000);
    opened.pop();
    await t.sql(`update pgboss.schedule set created_on = now() - interval '1 day' where name = 'every-hour'`);
    await t.sql(`update pgboss.version set cron_on = now() - interval '5 hours'`);
    const jobs = await openQueue({ definitions: [job], maintain: true });
    const spy = jobs.spy(job.name);
    await jobs.work([job], bare);
    await spy.waitForJob(() => true, 'completed');
    await expect(t.sql(`select count(*)::int as n from pgboss.job where name = 'every-hour'`)).resolves.toEqual([
      { n: 1 },
    ]);
  });
});

describe('the list of jobs', () => {
  test('has every job that is defined, each once', () => {
    const definition =
      /(?:(?:define(?:Job|Recurring)\(\{|JobDefinition<[^=]+ = \{)\s*name: |purgeJob\(\s*)'([a-z-]+)'/g;
    const defined = [...readSources()].flatMap(([, text]) => [...text.matchAll(definition)]);
    expectRows(
      'JOBS',
      JOBS.map(({ name }) => name),
      defined.flatMap(([, name]) => name ?? []),
      'src/worker/jobs.ts',
    );
    expect(JOBS).toHaveLength(defined.length);
  });

  test('has what tidies the embedded database there only: a server does it by itself', async () => {
    await expect(t.sql(`select name from pgboss.queue where name = 'tidy-embedded'`)).resolves.toHaveLength(
      t.testDatabase.kind === 'pglite' ? 1 : 0,
    );
  });

  test('runs each scheduled job on an empty payload', async () => {
    const scheduled = JOBS.filter(job => job.cron);
    expect(scheduled.map(({ name }) => name).sort()).toEqual([
      'blank-texts',
      'count-health',
      'drop-months',
      'expire-otps',
      'make-partitions',
      'purge-alerts',
      'purge-auto-reply-marks',
      'purge-inbound',
      'purge-otps',
      'purge-parts',
      'purge-references',
      'purge-request-buckets',
      'purge-requests',
      'purge-sandbox',
      'purge-sign-ins',
      'read-quotas',
      'reconcile-ledger',
      'roll-up-log',
      'sync-templates',
      'tell-late-parts',
      'tidy-embedded',
      'watch-alerts',
    ]);
    for (const job of scheduled) await expect(jobRunner(makeCtx)(job, {}, 'a job')).resolves.toBeUndefined();
  });

  test('logs a failure once, and hands it to the queue', async () => {
    const lines: object[] = [];
    // The jobs of other tests say to the shared log what became of them.
    const log = createLogger('warn', { write: line => lines.push(JSON.parse(line)) });
    const receipts = [
      { provider: 'sandbox', providerMessageId: 'nobody', status: 'read', errorCode: null, errorMessage: null },
    ];
    await expect(
      jobRunner(() => makeCtx().with({ log: () => log }))(sandboxReceiptsJob, { receipts }, 'job-1'),
    ).rejects.toThrow('1 of 1 receipts match no attempt yet');
    expect(lines).toMatchObject([{ job: 'sandbox-receipts', jobId: 'job-1', msg: 'a job failed' }]);
  });
});

describe('purging references', () => {
  test('deletes what has expired, in more than one chunk where there is much, and nothing else', async () => {
    const other = await makeAccount(t.services);
    const insert = (prefix: string, count: number, age: string) =>
      t.sql(
        `insert into idempotency_keys (account_id, area, reference, fingerprint, message_id, expires_at)
         select $1::uuid, 'unified', $2::text || n, 'f', $1::uuid, now() - $4::interval from generate_series(1, $3::int) n`,
        [toUuid(other.accountId), prefix, count, age],
      );
    await insert('old-', 5_001, '1 second');
    await insert('new-', 2, '-1 day');
    await purgeReferencesJob.run(makeCtx(), {});
    const left = await t.sql('select reference from idempotency_keys where account_id = $1 order by reference', [
      toUuid(other.accountId),
    ]);
    expect(left).toEqual([{ reference: 'new-1' }, { reference: 'new-2' }]);
  });
});

describe('making partitions', () => {
  // The databases of the tests are copies of one that may have been made in the month before.
  beforeAll(() => ensurePartitions(t.database));

  const partitions = () =>
    t.sql<{ name: string }>(
      `select name from (select inhrelid::regclass::text as name from pg_inherits where inhparent in ('messages'::regclass, 'attempts'::regclass)) all_of
       where right(name, 6) >= to_char(now() at time zone 'UTC' - interval '1 month', 'YYYYMM') order by name`,
    );

  /** By the database's clock: from last month to three months ahead. */
  async function expected(): Promise<{ name: string }[]> {
    return t.sql(
      `select t || '_p' || to_char(date_trunc('month', now() at time zone 'UTC') + make_interval(months => m), 'YYYYMM') as name
       from unnest(array['attempts', 'messages']) t, generate_series(-1, 3) m order by name`,
    );
  }

  test('keeps three months ahead of the clock', async () => {
    await expect(partitions()).resolves.toEqual(await expected());
  });

  test('makes what is missing, and changes nothing when it is run again', async () => {
    const [last] = (await expected()).slice(-1);
    await t.sql(`drop table ${last?.name}`);
    await ensurePartitions(t.database);
    await ensurePartitions(t.database);
    await expect(partitions()).resolves.toEqual(await expected());
  });

  test('may be run by two at once', async () => {
    const other = await openTestDatabase(t.testDatabase);
    try {
      for (const { name } of (await expected()).filter(row => /messages/.test(row.name)).slice(-2)) {
        await t.sql(`drop table ${name}`);
      }
      await Promise.all([ensurePartitions(t.database), ensurePartitions(other), ensurePartitions(t.database)]);
      await expect(partitions()).resolves.toEqual(await expected());
    } finally {
      await other.close();
    }
  });

  test.skipIf(process.env.TEST_DATABASE === 'pglite')(
    'waits half a second for a table in use, and keeps nobody waiting at another one',
    async () => {
      const other = await openTestDatabase(t.testDatabase);
      const [attempts, messages] = [(await expected()).at(4)?.name, (await expected()).at(-1)?.name];
      for (const name of [attempts, messages]) await t.sql(`drop table ${name}`);
      try {
        await other.fork().transactional(async em => {
          await runSql(em.getKysely(), 'select 1 from attempts limit 1', []);
          const making = ensurePartitions(t.database);
          // The table that nobody holds gets its partition first.
          await expect.poll(() => t.sql('select 1 where to_regclass($1) is not null', [messages])).toHaveLength(1);
          // As the receipts do: attempts, then messages.
          await runSql(em.getKysely(), 'select 1 from messages limit 1', []);
          expect(await making).toEqual([attempts]);
          await expect(jobRunner(makeCtx)(makePartitionsJob, {}, 'a job')).rejects.toThrow(
            `their tables are in use: ${attempts}`,
          );
        });
        expect(await ensurePartitions(t.database)).toEqual([]);
        await expect(partitions()).resolves.toEqual(await expected());
      } finally {
        await other.close();
      }
    },
  );

  test('is what the daily job does', async () => {
    const [last] = (await expected()).slice(-1);
    await t.sql(`drop table ${last?.name}`);
    await jobRunner(makeCtx)(makePartitionsJob, {}, 'a job');
    await expect(partitions()).resolves.toEqual(await expected());
  });
});

describe('the worker', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A message as a process leaves it that dies while the provider is asked. */
  async function abandon(): Promise<string> {
    const message = await send('+12025550100');
    await putUnderWay(t.sql, message.id);
    return message.id;
  }

  test('takes up at once what a dead process left, and waits for the round when it is stopped', async () => {
    const id = await abandon();
    const worker = await startWorker({ makeCtx, jobs: await openQueue({}), log: makeCtx().log });
    await worker.stop();
    await expect(storedMessage(t, id)).resolves.toMatchObject({
      status: 'unknown',
      attempts: [{ status: 'unknown', error_code: 'interrupted', credits: 0 }],
    });
  });

  test('goes on after a round that failed', async () => {
    const id = await abandon();
    const jobs = await openQueue({});
    const { log } = makeCtx();
    const failed = Promise.withResolvers<void>();
    const error = vi.spyOn(log, 'error').mockImplementation(() => failed.resolve());
    const second = Promise.withResolvers<void>();
    let rounds = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const worker = await startWorker({
      jobs,
      log,
      makeCtx: name => {
        if (name !== 'recover-messages') return makeCtx();
        rounds += 1;
        if (rounds === 1) throw new Error('no context today');
        second.resolve();
        return makeCtx();
      },
    });
    await failed.promise;
    await vi.advanceTimersByTimeAsync(RECOVERY_INTERVAL_MS);
    await second.promise;
    vi.useRealTimers();
    await worker.stop();
    // On a busy machine the clock that is put forward ends what other rounds wait for, and they say so.
    expect(error).toHaveBeenCalledWith(
      { err: new Error('no context today'), step: 'recover-messages' },
      expect.anything(),
    );
    await expect(storedMessage(t, id)).resolves.toMatchObject({ status: 'unknown' });
  });

  test('begins the next round though one hangs over a slow provider', async () => {
    const jobs = await openQueue({});
    const hanging = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let rounds = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const worker = await startWorker({
      jobs,
      log: makeCtx().log,
      makeCtx: name => {
        const ctx = makeCtx();
        if (name !== 'recover-messages') return ctx;
        rounds += 1;
        if (rounds === 2) begun.resolve();
        if (rounds > 1) return ctx;
        // The first round waits for its message as long as the test does.
        const sql: typeof ctx.services.database.sql = () => ({
          executeQuery: () => hanging.promise.then(() => ({ rows: [] })),
        });
        return ctx.with({ services: { ...ctx.services, database: { ...ctx.services.database, sql } } });
      },
    });
    await vi.advanceTimersByTimeAsync(RECOVERY_INTERVAL_MS);
    await begun.promise;
    vi.useRealTimers();
    hanging.resolve();
    await worker.stop();
    expect(rounds).toBe(2);
  });

  test('starts no round after it was stopped', async () => {
    const jobs = await openQueue({});
    let rounds = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const worker = await startWorker({
      jobs,
      log: makeCtx().log,
      makeCtx: name => {
        if (name === 'recover-messages') rounds += 1;
        return makeCtx();
      },
    });
    await worker.stop();
    await vi.advanceTimersByTimeAsync(RECOVERY_INTERVAL_MS);
    expect(rounds).toBe(1);
  });
});

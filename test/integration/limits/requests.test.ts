import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entities } from '../../../mikro-orm.config.ts';
import type { Actor, Ctx, Services } from '../../../src/context.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { limitRequests } from '../../../src/modules/limits/limit-requests.ts';
import { purgeBucketsJob } from '../../../src/modules/limits/limits.jobs.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { createTestCtx, makeAccount, OPERATOR, openTestDatabase } from '../../support/services.ts';

const REQUESTS = 1_000;

const t = setUpServices();

/** The holder of an unused token, whose account has this rate. Rates slower than an account can have leave tests their time. */
async function holderOf(rateLimit: number | null): Promise<Extract<Actor, { kind: 'token' }>> {
  const { grant } = await makeAccount(t);
  return { kind: 'token', tokenId: newId('tok'), area: 'otp', account: { ...grant, rateLimit } };
}

/** The same holder, whose account has another rate by now. */
function atRate(actor: Extract<Actor, { kind: 'token' }>, rateLimit: number): Actor {
  return { ...actor, account: { ...actor.account, rateLimit } };
}

/** The answer of the limit to one request. */
interface Told {
  readonly refusal: AppError | null;
  readonly policy: string | undefined;
  readonly remaining: number;
  readonly resetSeconds: number;
}

type Limit = (ctx: Ctx) => Promise<void>;

async function ask(actor: Actor, services: Services = t.services, limit: Limit = limitRequests): Promise<Told> {
  const ctx = createTestCtx(services, actor);
  const refusal = await limit(ctx).then(
    () => null,
    (error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    },
  );
  const { answerHeaders: headers } = ctx.request;
  const [, remaining, reset] = /^"requests";r=(\d+);t=(\d+)$/.exec(headers.get('RateLimit') ?? '') ?? [];
  return {
    refusal,
    policy: headers.get('RateLimit-Policy'),
    remaining: Number(remaining),
    resetSeconds: Number(reset),
  };
}

function askTimes(actor: Actor, times: number, services?: Services): Promise<Told[]> {
  return Promise.all(Array.from({ length: times }, () => ask(actor, services)));
}

/** Sets when the bucket of a token is full, in seconds from now. */
async function setFullIn(tokenId: string, seconds: number): Promise<void> {
  await t.sql(
    `insert into request_buckets (token_id, kind, full_at, admitted)
     values ($1, 'requests', clock_timestamp() + make_interval(secs => $2::float8), 0)
     on conflict (token_id, kind) do update set full_at = excluded.full_at`,
    [toUuid(tokenId), seconds],
  );
}

async function databaseSeconds(): Promise<number> {
  const [row] = await t.sql<{ seconds: number }>('select extract(epoch from clock_timestamp())::float8 as seconds');
  return row?.seconds ?? Number.NaN;
}

/** How many of 1,000 concurrent requests of one token two processes admit, beyond what its rate and burst allow; below 0: too few. */
async function excess(processes: readonly Services[], rateLimit: number, limit: Limit): Promise<number> {
  const actor = await holderOf(rateLimit);
  const burst = 2 * rateLimit;
  const startedAt = await databaseSeconds();
  const told = await Promise.all(
    Array.from({ length: REQUESTS }, (_, index) => ask(actor, processes[index % processes.length], limit)),
  );
  const seconds = (await databaseSeconds()) - startedAt;
  const admitted = told.filter(({ refusal }) => refusal === null).length;
  if (admitted < burst) return admitted - burst;
  return Math.max(0, admitted - burst - Math.floor(rateLimit * seconds));
}

describe.each([true, false])('1,000 concurrent requests over two processes, in groups: %s', grouped => {
  let databases: Database[] = [];
  let processes: Services[] = [];

  beforeAll(async () => {
    const { testDatabase } = t;
    const target =
      testDatabase.kind === 'postgres' ? { url: testDatabase.url, poolSize: 8 } : { pglite: testDatabase.pglite };
    const batching = { grouped, onCommit: () => undefined };
    databases = [await openDatabase(target, entities, batching), await openDatabase(target, entities, batching)];
    processes = databases.map(database => ({ ...t.services, database }));
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
  });

  test.each([1, 10, 100])('admit what a rate of %i a second allows, and not one more', async rateLimit => {
    expect(await excess(processes, rateLimit, limitRequests)).toBe(0);
  });
});

test('the count of 1,000 notices a limit that reads the bucket first and writes it then', async () => {
  expect(await excess([t.services], 10, readThenWrite)).toBeGreaterThan(0);
});

test('the count of 1,000 notices a limit that each process counts for itself', async () => {
  const processes = [{ ...t.services }, { ...t.services }];
  expect(await excess(processes, 10, perProcess())).toBeGreaterThan(0);
});

/** The same limit, broken on purpose: the bucket of a process is its own. */
function perProcess(): Limit {
  const fullAtMs = new Map<Services, number>();
  return async ({ actor, services }) => {
    if (actor.kind !== 'token' || actor.account.rateLimit === null) return;
    const rate = actor.account.rateLimit;
    const now = performance.now();
    const full = Math.max(now, fullAtMs.get(services) ?? 0) + 1_000 / rate;
    if (full - now > 2_000) throw new AppError('rate_limited');
    fullAtMs.set(services, full);
  };
}

/** The same limit, broken on purpose. */
async function readThenWrite({ actor, services }: Ctx): Promise<void> {
  if (actor.kind !== 'token' || actor.account.rateLimit === null) return;
  const rate = actor.account.rateLimit;
  const run = services.database.fork().getConnection();
  const id = toUuid(actor.tokenId);
  const rows = await run.execute<{ missing: number }[]>(
    'select greatest(0, extract(epoch from full_at - clock_timestamp()))::float8 as missing from request_buckets where token_id = ?',
    [id],
  );
  const missing = rows[0]?.missing ?? 0;
  if (2 - missing < 1 / rate) throw new AppError('rate_limited');
  await run.execute(
    `insert into request_buckets (token_id, kind, full_at, admitted)
     values (?, 'requests', clock_timestamp() + make_interval(secs => ?::float8), 1)
     on conflict (token_id, kind) do update set full_at = excluded.full_at`,
    [id, missing + 1 / rate],
  );
}

describe('a request is told', () => {
  test('the policy: two seconds of the rate', async () => {
    const { policy } = await ask(await holderOf(10));
    expect(policy).toBe('"requests";q=20;w=2');
  });

  test.each([
    [0.1, '"requests";q=1;w=10'],
    [0.3, '"requests";q=1;w=4'],
    [0.5, '"requests";q=1;w=2'],
    [0.9, '"requests";q=1;w=2'],
    [1, '"requests";q=2;w=2'],
    [1.5, '"requests";q=3;w=2'],
    [1_000_000, '"requests";q=2000000;w=2'],
  ])('at a rate of %f a burst of at least one: %s', async (rateLimit, policy) => {
    expect((await ask(await holderOf(rateLimit))).policy).toBe(policy);
  });

  test('that nothing remains after the last one, and when the next one fits', async () => {
    expect(await ask(await holderOf(0.1))).toMatchObject({ refusal: null, remaining: 0, resetSeconds: 10 });
  });

  test('how many remain, one by one within a group, in their order', async () => {
    const told = await askTimes(await holderOf(10), 20);
    expect(told.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 20 }, (_, index) => 19 - index));
  });

  test('when the bucket is full again, while something remains', async () => {
    // 1.5 a second, 3 at most.
    const told = await askTimes(await holderOf(1.5), 2);
    expect(told.at(-1)).toMatchObject({ refusal: null, remaining: 1, resetSeconds: 2 });
  });
});

describe('a request that finds nothing in the bucket', () => {
  test('is refused with a code, a message and the time to wait', async () => {
    const actor = await holderOf(0.1);
    await setFullIn(actor.tokenId, 3_600);
    const { refusal } = await ask(actor);
    expect(refusal).toMatchObject({
      code: 'rate_limited',
      message: 'Too many requests with this token. Try again in 10 s.',
      details: { retryAfter: 10 },
    });
  });

  test('is told the same headers, and no time later than the time to wait', async () => {
    const actor = await holderOf(0.1);
    await setFullIn(actor.tokenId, 3_600);
    expect(await ask(actor)).toMatchObject({
      policy: '"requests";q=1;w=10',
      remaining: 0,
      resetSeconds: 10,
    });
  });

  test('waits at least a whole second', async () => {
    const actor = await holderOf(10);
    const told = await askTimes(actor, 21);
    expect(told.at(-1)?.refusal?.details).toEqual({ retryAfter: 1 });
  });

  test.each([4, 7, 10])('waits for as long as the bucket takes: %i s', async seconds => {
    const actor = await holderOf(0.1);
    const startedAt = await databaseSeconds();
    await setFullIn(actor.tokenId, seconds);
    const { refusal } = await ask(actor);
    const elapsed = (await databaseSeconds()) - startedAt;
    expect(refusal?.details.retryAfter).toBeLessThanOrEqual(seconds);
    expect(refusal?.details.retryAfter).toBeGreaterThanOrEqual(Math.ceil(seconds - elapsed));
  });

  test('never waits longer than the one before it, however many ask', async () => {
    const actor = await holderOf(0.1);
    const waits: number[] = [];
    for (let round = 0; round < 5; round++) {
      for (const { refusal } of await askTimes(actor, 20)) waits.push(refusal?.details.retryAfter ?? 11);
    }
    expect(waits).toEqual(waits.toSorted((a, b) => b - a));
  });

  test('takes nothing: one that comes when the time is over is admitted', async () => {
    const actor = await holderOf(0.1);
    await askTimes(actor, 50);
    await t.sql(`update request_buckets set full_at = full_at - interval '10 seconds' where token_id = $1`, [
      toUuid(actor.tokenId),
    ]);
    // By another process: this one remembers until when nothing fits.
    const database = await openTestDatabase(t.testDatabase);
    const { refusal } = await ask(actor, { ...t.services, database });
    await database.close();
    expect(refusal).toBeNull();
  });
});

describe('the bucket', () => {
  test('is forgotten a day after it was full, and not before', async () => {
    const [old, young] = [await holderOf(1), await holderOf(1)];
    await setFullIn(old.tokenId, -86_401);
    await setFullIn(young.tokenId, -86_340);
    await purgeBucketsJob.run(createTestCtx(t.services, OPERATOR), {});
    const left = 'select token_id from request_buckets where token_id = any($1)';
    const ids = [old, young].map(({ tokenId }) => toUuid(tokenId));
    await expect(t.sql(left, [ids])).resolves.toEqual([{ token_id: toUuid(young.tokenId) }]);
  });

  test('is never fuller than full, however long nobody asks', async () => {
    const actor = await holderOf(1);
    await setFullIn(actor.tokenId, -86_400);
    const told = await askTimes(actor, 5);
    expect(told.map(({ refusal }) => refusal === null)).toEqual([true, true, false, false, false]);
  });

  test('lets a part of a group in', async () => {
    const actor = await holderOf(100);
    // 100 a second: room for 51 at most, and for more only as time goes by.
    const startedAt = await databaseSeconds();
    await setFullIn(actor.tokenId, 1.495);
    const told = await askTimes(actor, 200);
    const admitted = told.filter(({ refusal }) => refusal === null).length;
    const seconds = (await databaseSeconds()) - startedAt;
    expect(admitted).toBeGreaterThanOrEqual(50);
    expect(admitted).toBeLessThanOrEqual(51 + Math.ceil(seconds * 100));
  });

  test('is of one token', async () => {
    const holder = await holderOf(0.1);
    const holders = [newId('tok'), newId('tok')].map((tokenId): Actor => ({ ...holder, tokenId }));
    const told = await Promise.all(holders.flatMap(actor => [ask(actor), ask(actor)]));
    expect(told.map(({ refusal }) => refusal === null)).toEqual([true, false, true, false]);
  });

  test('of a slow rate keeps nobody waiting once the rate is raised', async () => {
    const actor = await holderOf(0.1);
    await askTimes(actor, 2);
    const { refusal } = await ask(atRate(actor, 1));
    expect(refusal?.details).toEqual({ retryAfter: 1 });
  });

  test('of a fast rate is not emptied once the rate is lowered', async () => {
    const actor = await holderOf(100);
    await ask(actor);
    expect((await ask(atRate(actor, 1))).refusal).toBeNull();
  });
});

describe('no limit holds', () => {
  /** Services whose database cannot be asked. */
  function withoutDatabase(): Services {
    const database = new Proxy(t.database, {
      get() {
        throw new Error('the database was asked');
      },
    });
    return { ...t.services, database };
  }

  test('for an account without a rate, and no query is made', async () => {
    const ctx = createTestCtx(withoutDatabase(), await holderOf(null));
    await limitRequests(ctx);
    expect([...ctx.request.answerHeaders]).toEqual([]);
  });

  test('for an operator who acts for an account that has one', async () => {
    const { operator } = await makeAccount(t, { rateLimit: 1 });
    const ctx = createTestCtx(withoutDatabase(), operator);
    await limitRequests(ctx);
    expect([...ctx.request.answerHeaders]).toEqual([]);
  });

  test.each([OPERATOR, { kind: 'anonymous' } as const])('for $kind', async actor => {
    await expect(limitRequests(createTestCtx(withoutDatabase(), actor))).resolves.toBeUndefined();
  });

  test('and where one does, the database is asked', async () => {
    await expect(ask(await holderOf(0.1), withoutDatabase())).rejects.toThrow('the database was asked');
  });
});

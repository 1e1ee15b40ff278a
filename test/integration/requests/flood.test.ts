import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { PARTS, RequestLog, type RequestNote } from '../../../src/modules/requests/request-log.ts';
import { createMetrics, type Metrics } from '../../../src/observability/metrics.ts';
import { setUpServices } from '../../support/fixtures.ts';

const MINUTE_MS = 60_000;

const on = setUpServices();
let nowMs: number;
let metrics: Metrics;
let log: RequestLog;
let isAway: boolean;
let warnings: string[];
let accountId: string;

beforeEach(() => {
  [nowMs, isAway, warnings, accountId] = [0, false, [], newId('acc')];
  metrics = createMetrics(false);
  log = new RequestLog({
    database: {
      sql: () => {
        if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
        return on.database.sql();
      },
    },
    metrics,
    log: { warn: (_facts: unknown, text?: string) => void warnings.push(String(text)) } as never,
    now: () => nowMs,
  });
});
afterEach(() => log.close());

function noteOf(requestId: string): RequestNote {
  return {
    actor: 'token',
    tokenId: null,
    method: 'POST',
    path: '/api/omni/send',
    operation: null,
    status: 429,
    code: 'rate_limited',
    field: null,
    clientAddress: '192.0.2.1',
    durationMs: 1,
    requestId,
  };
}

/** Notes so many refused requests, and answers how many of them were described. */
function flood(count: number, of: string | null = accountId, isRefused = true): number {
  let described = 0;
  for (let nth = 0; nth < count; nth++) {
    log.note(of, isRefused, () => {
      described += 1;
      return noteOf(`r${nth}`);
    });
  }
  return described;
}

async function stored(of: string | null = accountId) {
  const [row] = await on.sql<{ rows: number; left_out: number }>(
    `select count(*)::int as rows, coalesce(sum(left_out), 0)::int as left_out from logged_requests
     where account_id is not distinct from $1`,
    [of === null ? null : toUuid(of)],
  );
  return row;
}

describe('a flood', () => {
  test('is kept up to a part of the minute, and the rest is a number', async () => {
    // The first beyond the part stands for all that follow.
    expect(flood(10_000)).toBe(PARTS.refused + 1);
    await log.store();
    expect(await stored()).toEqual({ rows: PARTS.refused, left_out: 0 });
    nowMs = MINUTE_MS;
    await log.store();
    const leftOut = 10_000 - PARTS.refused - 1;
    expect(await stored()).toEqual({ rows: PARTS.refused + 1, left_out: leftOut });
    expect(await metrics.registry.metrics()).toContain(`heliograph_requests_left_out_total ${leftOut + 1}`);
  });

  test('of an account takes nothing of another', async () => {
    flood(10_000);
    const other = newId('acc');
    expect(flood(5, other)).toBe(5);
    await log.store();
    expect(await stored(other)).toEqual({ rows: 5, left_out: 0 });
  });

  test('of accepted requests takes nothing of refused ones', async () => {
    flood(10_000, accountId, false);
    flood(5);
    await log.store();
    expect(await stored()).toEqual({ rows: PARTS.accepted + 5, left_out: 0 });
  });

  test('of accepted requests and one of refused ones have a number each', async () => {
    flood(PARTS.accepted + 100, accountId, false);
    flood(PARTS.refused + 10);
    await log.close();
    const rows = await on.sql<{ left_out: number }>(
      'select left_out from logged_requests where account_id = $1 and left_out > 0 order by left_out',
      [toUuid(accountId)],
    );
    expect(rows.map(row => row.left_out)).toEqual([9, 99]);
  });

  test('of accepted requests leaves room for refused ones while the database is away', async () => {
    isAway = true;
    for (let nth = 0; nth < 20; nth++) flood(PARTS.accepted, newId('acc'), false);
    flood(5);
    isAway = false;
    await log.store();
    expect(await stored()).toEqual({ rows: 5, left_out: 0 });
  });

  test('of strangers is one part for all', async () => {
    await on.sql('delete from logged_requests where account_id is null');
    flood(10_000, null);
    await log.store();
    expect(await stored(null)).toEqual({ rows: PARTS.ofNobody, left_out: 0 });
  });

  test('that goes on is kept again in the next minute', async () => {
    flood(1_000);
    nowMs = MINUTE_MS;
    flood(1_000);
    await log.store();
    expect(await stored()).toMatchObject({ rows: 2 * PARTS.refused + 1 });
  });

  test('does not fill the memory while the database is away', async () => {
    isAway = true;
    for (let minute = 0; minute < 100; minute++) {
      flood(1_000);
      await log.store();
      nowMs += MINUTE_MS;
    }
    isAway = false;
    await log.store();
    expect((await stored())?.rows).toBeLessThanOrEqual(500 + PARTS.refused + 1);
  });
});

test('what cannot be stored now is stored when the database is back', async () => {
  isAway = true;
  flood(3);
  await log.store();
  isAway = false;
  await log.store();
  expect(await stored()).toEqual({ rows: 3, left_out: 0 });
  expect(warnings).toEqual([]);
});

test('what can never be stored is told once, and holds up nothing', async () => {
  log.note(accountId, true, () => ({ ...noteOf('bad'), actor: 'nobody' as never }));
  await log.store();
  expect(warnings).toEqual(['requests could not be stored in their log']);
  flood(1);
  await log.store();
  expect(await stored()).toEqual({ rows: 1, left_out: 0 });
});

test('what waits is stored at the end, with what was left out', async () => {
  flood(PARTS.refused + 10);
  await log.close();
  expect(await stored()).toEqual({ rows: PARTS.refused + 1, left_out: 9 });
});

import { setInterval } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findSendFaults, noteArrivals } from '../../soak/oracle.ts';
import { expectStraightLedger } from '../../support/billing/straight-ledger.ts';
import { migrateDatabase } from '../../support/databases/migrated.ts';
import { type PatroniCluster, startPatroni } from '../../support/databases/patroni.ts';
import { databaseUrl, runSql } from '../../support/databases/postgres.ts';
import { type SteadySend, sendOne } from '../../support/messaging/steady-sends.ts';
import type { RunSql } from '../../support/otp/pins.ts';
import { type Demo, type Gateway, seedDemo, startGateway, until } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { missing } from '../../support/smpp/programs.ts';

/** How often the primary is killed. A kill takes a minute, so `npm test` does without. */
const KILLS = Number(process.env.FAILOVER_KILLS ?? rounds({ usual: 0, long: 10 }));

const PER_SECOND = 20;

/** After a kill something is accepted within this time. */
const BACK_MS = 35_000;

/** The longest answer: the deadline of 10 s, two seconds of the slow provider, and what a busy machine adds. */
const ANSWER_MS = 15_000;

/** Two servers begin, or follow again, within this time. */
const READY_MS = 120_000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

type TimedSend = SteadySend & { readonly tookMs: number };

const isLeftOut = KILLS === 0 || missing(['patroni', 'etcd', 'haproxy']) !== null;
if (KILLS === 0) say('Left out: the fail-over of Patroni takes a minute for each kill; npm run test:long has it.');

describe.skipIf(isLeftOut)('a PostgreSQL that fails over by Patroni under load', () => {
  let cluster: PatroniCluster;
  let url: string;
  let gateway: Gateway;
  let demo: Demo;
  const sends: TimedSend[] = [];
  /** How long nothing was accepted, for each kill. */
  const gapsMs: number[] = [];

  beforeAll(
    async () => {
      cluster = await startPatroni();
      url = databaseUrl(cluster.url, 'gateway');
      await untilSynchronous();
      await runSql(cluster.url, 'create database gateway');
      await migrateDatabase(url);
      await withSql(noteArrivals);
      gateway = await startGateway({
        databaseUrl: url,
        env: { DATABASE_REPLICA_URL: databaseUrl(cluster.replicaUrl, 'gateway') },
      });
      demo = await seedDemo(gateway);
      await runSql(
        url,
        `insert into ledger (account_id, id, kind, credits, held, reason, created_at)
         values ('${demo.accountId.replace('acc_', '')}', gen_random_uuid(), 'adjustment', 1000000, 0, 'test', now())`,
      );
      for (let kill = 0; kill < KILLS; kill += 1) await killUnderLoad(kill);
      await until('nothing is pending', async () => ((await countPending()) === 0 ? true : null), READY_MS);
    },
    KILLS * 240_000 + 300_000,
  );

  afterAll(async () => {
    try {
      gateway.kill('SIGTERM');
      await gateway.exited;
    } finally {
      await cluster[Symbol.asyncDispose]();
    }
  });

  async function withSql<Result>(run: (sql: RunSql) => Promise<Result>): Promise<Result> {
    const pool = new pg.Pool({ connectionString: url });
    try {
      return await run(async (text, parameters = []) => (await pool.query(text, [...parameters])).rows);
    } finally {
      await pool.end();
    }
  }

  /** A second server confirms each commit. */
  const untilSynchronous = () =>
    until(
      'a standby is synchronous',
      async () => {
        const rows = await runSql(
          cluster.url,
          "select 1 from pg_stat_replication where state = 'streaming' and sync_state = 'sync'",
        ).catch(() => []);
        return rows.length > 0 ? true : null;
      },
      READY_MS,
    );

  /** Sends, kills the primary, and goes on until something is accepted again; then the former primary follows. */
  async function killUnderLoad(kill: number): Promise<void> {
    const beganMs = performance.now();
    const under: Promise<TimedSend>[] = [];
    const accepted: number[] = [];
    let killedMs = Number.POSITIVE_INFINITY;
    let restart = (): void => undefined;
    for await (const _tick of setInterval(1_000 / PER_SECOND)) {
      const nowMs = performance.now();
      under.push(timed(`failover-${kill}-${under.length}`, accepted));
      if (killedMs === Number.POSITIVE_INFINITY && nowMs - beganMs > 3_000) {
        killedMs = nowMs;
        restart = await cluster.killPrimary();
      }
      const isBack = accepted.some(endedMs => endedMs > killedMs + 2_000);
      if (isBack || nowMs - killedMs > BACK_MS * 2) break;
    }
    sends.push(...(await Promise.all(under)));
    const ends = accepted.filter(endedMs => endedMs > killedMs + 2_000);
    gapsMs.push(Math.min(...ends) - killedMs);
    restart();
    await untilSynchronous();
  }

  async function timed(reference: string, accepted: number[]): Promise<TimedSend> {
    const beganMs = performance.now();
    const request = { reference, to: '+12025550100', text: `Quiet harbour ${reference}`, channels: ['sms'] };
    const answer = await sendOne(gateway, demo.tokens.unified, request);
    if (answer.status === 200) accepted.push(answer.endedMs);
    return { ...answer, tookMs: answer.endedMs - beganMs };
  }

  async function countPending(): Promise<number> {
    const [row] = await runSql(
      url,
      "select count(*)::int as n from messages where status = 'pending' or lease_until is not null",
    ).catch(() => []);
    return Number(row?.n ?? -1);
  }

  test('sends again within 35 s of each kill', () => {
    say(`Fail-over, s until something was accepted: ${gapsMs.map(ms => (ms / 1_000).toFixed(1)).join(', ')}`);
    expect(gapsMs).toHaveLength(KILLS);
    expect(gapsMs.filter(ms => ms > BACK_MS)).toEqual([]);
  });

  test('loses nothing that was acknowledged, and neither sends nor charges anything twice', async () => {
    const acknowledged = sends.filter(({ status }) => status === 200);
    say(`Fail-over: ${sends.length} sends, ${acknowledged.length} of them acknowledged`);
    expect(acknowledged.length).toBeGreaterThan(0);
    const told = acknowledged.map(({ request, messageId }) => ({ reference: request.reference, messageId }));
    expect(await withSql(sql => findSendFaults({ sql, accountId: demo.accountId, told }))).toEqual([]);
  });

  test('answers every request in time, those that it does not accept with 503', () => {
    const longest = Math.max(...sends.map(({ tookMs }) => tookMs));
    say(`Fail-over: the longest answer took ${(longest / 1_000).toFixed(1)} s`);
    expect(longest).toBeLessThan(ANSWER_MS);
    const kinds = sends.filter(({ status }) => status !== 200).map(({ status, code }) => `${status} ${code}`);
    expect([...new Set(kinds)].filter(kind => !/^503 (database_unavailable|overloaded)$/.test(kind))).toEqual([]);
  });

  test('reads the log from the replica again', async () => {
    await until(
      'the replica is used',
      async () => {
        const text = await (await fetch(`${gateway.url}/metrics`)).text();
        return /^heliograph_replica_used(\{.*\})? 1$/m.test(text) ? true : null;
      },
      READY_MS,
    );
  });

  test('keeps the ledger straight', () => expectStraightLedger(url));
});

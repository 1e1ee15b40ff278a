/** Sprays of wrong codes, one for each pin: what is stored of them afterwards, and a budget that is broken on purpose. */
import pg from 'pg';
import { toUuid } from '../../../src/kernel/ids.ts';
import { runSql } from '../databases/postgres.ts';
import type { OtpAnswer } from './race.ts';

/** The outcome of a spray. */
export interface SprayOutcome {
  /** How many guesses took an attempt of their pin. */
  readonly attempts: number;
  /** The most wrong codes that were looked at in any 60 seconds, by the log. */
  readonly mostInMinute: number;
}

/** Sums up a spray at an account from its rows. */
export async function sprayOutcome(
  url: string,
  accountId: string,
  tables: { readonly pins: string; readonly log: string } = { pins: 'otps', log: 'attempts' },
): Promise<SprayOutcome> {
  const account = `account_id = '${toUuid(accountId)}'`;
  const [row] = await runSql(
    url,
    `select (select coalesce(sum(attempts), 0)::int from ${tables.pins} where ${account}) as attempts,
       (select coalesce(max(n), 0)::int from (
          select count(*) over (order by finished_at range between interval '60 seconds' preceding and current row) as n
          from ${tables.log} where ${account} and type = 'otp_incorrect') w) as most`,
  );
  return { attempts: Number(row?.attempts), mostInMinute: Number(row?.most) };
}

/** A budget that was broken on purpose, with the pools of as many processes as the real one has. */
export interface BrokenBudget {
  readonly tables: { readonly pins: string; readonly log: string };
  /** Counts the wrong codes of the minute, and looks at the code then; inside a transaction where it is told to (READ COMMITTED). */
  guess(index: number, inTransaction: boolean): Promise<OtpAnswer>;
  close(): Promise<void>;
}

/** Connections of each of the three pools. */
const POOL_SIZE = 10;

/**
 * Opens a broken budget of an account that has room for one more, over 3 × 10 connections on tables of its own. The first of each
 * connection have all counted before any of them writes: what happens by chance under load, happens every time.
 */
export async function openBrokenBudget(url: string, accountId: string, limit: number): Promise<BrokenBudget> {
  const account = toUuid(accountId);
  await runSql(
    url,
    `drop table if exists naive_pins, naive_wrongs;
     create table naive_pins (account_id uuid not null, attempts int not null);
     insert into naive_pins values ('${account}', 0);
     create table naive_wrongs (account_id uuid not null, type text not null, finished_at timestamptz not null);
     insert into naive_wrongs select '${account}', 'otp_incorrect', now() from generate_series(2, ${limit})`,
  );
  const pools = [0, 1, 2].map(() => new pg.Pool({ connectionString: url, max: POOL_SIZE }));
  const allRead = Promise.withResolvers<void>();
  let readers = 0;
  return {
    tables: { pins: 'naive_pins', log: 'naive_wrongs' },
    async guess(index, inTransaction) {
      const client = await (pools[index % pools.length] as pg.Pool).connect();
      try {
        if (inTransaction) await client.query('begin');
        const { rows } = await client.query<{ n: number }>(
          `select count(*)::int as n from naive_wrongs where finished_at > now() - interval '1 minute'`,
        );
        readers += 1;
        if (readers === pools.length * POOL_SIZE) allRead.resolve();
        await allRead.promise;
        const isFull = (rows[0]?.n ?? 0) >= limit;
        if (!isFull) {
          await client.query(`insert into naive_wrongs values ($1, 'otp_incorrect', now())`, [account]);
          await client.query('update naive_pins set attempts = attempts + 1');
        }
        if (inTransaction) await client.query('commit');
        return isFull ? { code: 'rate_limited', retryAfter: 60 } : { code: 'otp_incorrect', attemptsRemaining: 4 };
      } finally {
        client.release();
      }
    },
    async close() {
      await Promise.all(pools.map(pool => pool.end()));
    },
  };
}

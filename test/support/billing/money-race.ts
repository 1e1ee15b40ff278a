/** Races for the last credits of an account over real processes: the calls, and a gateway that is broken on purpose. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { toUuid } from '../../../src/kernel/ids.ts';
import { HttpSocket } from '../../bench/load/http-socket.ts';
import type { RunSql } from '../otp/pins.ts';
import type { Gateway } from '../processes/gateway.ts';

/** The answers to the callers of a race: how often each code of the contract, or `sent`. */
export type Told = Readonly<Record<string, number>>;

/** How many sockets are opened to a gateway at a time: more wait at the door of the system. */
const OPENED_AT_ONCE = 250;

/** Posts all of it at the same moment, each body by a socket of its own, to one gateway after the other. */
export async function postAll(
  gateways: readonly Pick<Gateway, 'url'>[],
  token: string,
  path: string,
  bodies: readonly object[],
): Promise<Told> {
  const sockets: HttpSocket[] = [];
  while (sockets.length < bodies.length) {
    const more = Math.min(OPENED_AT_ONCE, bodies.length - sockets.length);
    const opened = Array.from({ length: more }, (_, index) =>
      HttpSocket.open(gateways[index % gateways.length]?.url ?? '', token),
    );
    sockets.push(...(await Promise.all(opened)));
  }
  const answers = await Promise.all(
    sockets.map((socket, index) => socket.post(path, JSON.stringify(bodies[index])).finally(() => socket.close())),
  );
  const told: Record<string, number> = {};
  for (const { status, body } of answers) {
    const { code, data } = JSON.parse(body.toString()) as { code?: string; data?: { status: string } };
    const word = `${status} ${code ?? data?.status}`;
    told[word] = (told[word] ?? 0) + 1;
  }
  return told;
}

/** How a gateway is broken: it locks nothing, or does so in a transaction of which its author believed that it is enough. */
export const BREAKS = ['without a transaction', 'in a transaction'] as const;

/** Money that is taken care of by somebody who reads before he writes. */
export interface BrokenMoney {
  readonly accountId: string;
  /** Reads what money there is, as `TestServices.sql` reads the real. */
  readonly sql: RunSql;
  /** Sends one SMS: looks whether a credit is there, and takes it then. Answers whether it was sent. */
  send(index: number, how: (typeof BREAKS)[number]): Promise<boolean>;
  close(): Promise<void>;
}

/** Connections of each of the two pools. */
const POOL_SIZE = 20;

/**
 * Opens it on tables of its own, with so many credits, over 2 × 20 connections. The first of each connection have all read before any of
 * them writes: what happens by chance under load, happens every time.
 */
export async function openBrokenMoney(url: string, accountId: string, credits: number): Promise<BrokenMoney> {
  const open = (max: number) => new pg.Pool({ connectionString: url, max, options: '-c search_path=broken' });
  const pools = [open(POOL_SIZE), open(POOL_SIZE)];
  const reader = open(1);
  const sql: RunSql = async <Row>(text: string, parameters: readonly unknown[] = []) =>
    (await reader.query<Row & pg.QueryResultRow>(text, [...parameters])).rows;
  const id = toUuid(accountId);
  await reader.query(
    `drop schema if exists broken cascade; create schema broken;
     create table broken.accounts (id uuid, credits int, held int, spend_day date, spent int);
     create table broken.ledger (account_id uuid, kind text, credits int, held int, attempt_id uuid, spend_day date);
     create table broken.attempts (id uuid, account_id uuid, type text, channel text, status text, error_code text, segments int, credits int);
     create table broken.messages (account_id uuid, held int, held_on date, lease_until timestamptz, segments int);
     create table broken.otps (like broken.messages);
     insert into broken.accounts values ('${id}', ${credits}, 0, null, 0);
     insert into broken.ledger values ('${id}', 'adjustment', ${credits}, 0, null, null)`,
  );
  const allRead = Promise.withResolvers<void>();
  let readers = 0;
  const hasRead = (): Promise<void> => {
    readers += 1;
    if (readers === pools.length * POOL_SIZE) allRead.resolve();
    return allRead.promise;
  };
  const take = async (client: pg.PoolClient, isRelative: boolean): Promise<boolean> => {
    const { rows } = await client.query<{ credits: number }>('select credits from accounts');
    await hasRead();
    const left = rows[0]?.credits ?? 0;
    if (left < 1) return false;
    await client.query(`update accounts set credits = ${isRelative ? 'credits - 1' : left - 1}`);
    const attempt = randomUUID();
    await client.query(
      `insert into attempts values ('${attempt}', '${id}', 'message_attempt', 'sms', 'sent', null, 1, 1)`,
    );
    await client.query(`insert into ledger values ('${id}', 'capture', -1, -1, '${attempt}', null)`);
    return true;
  };
  return {
    accountId,
    sql,
    async send(index, how) {
      const client = await (pools[index % pools.length] as pg.Pool).connect();
      try {
        if (how === 'without a transaction') return await take(client, false);
        await client.query('begin');
        const isSent = await take(client, true);
        await client.query('commit');
        return isSent;
      } finally {
        client.release();
      }
    },
    async close() {
      await Promise.all([...pools, reader].map(pool => pool.end()));
    },
  };
}

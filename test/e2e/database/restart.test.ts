import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../support/databases/cluster.ts';
import { migrateDatabase } from '../../support/databases/migrated.ts';
import { databaseUrl, runSql } from '../../support/databases/postgres.ts';
import { type SteadySend, sendOne, sendSteadily } from '../../support/messaging/steady-sends.ts';
import { ask, type Demo, type Gateway, seedDemo, send, startGateway, until } from '../../support/processes/gateway.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

/** How long it goes on, and how often the server is restarted; the long run asks for `RESTART_SECONDS=300 RESTART_EVERY=60`. */
const SECONDS = Number(process.env.RESTART_SECONDS ?? 18);
const EVERY = Number(process.env.RESTART_EVERY ?? 7);

const PER_SECOND = 100;
const CREDITS = 1_000_000;

/** A send that a crash left pending is in a definite state within this time (contract §4). */
const DEFINITE_MS = 35_000;

/** After the server is back, something must be sent within this time. */
const BACK_MS = 10_000;

const cluster = await startCluster({ own: true });
if (cluster === null) {
  process.stderr.write('postgres-restart.test.ts: left out, for it needs a PostgreSQL of its own\n');
}

describe.skipIf(cluster === null)('a PostgreSQL that is restarted again and again under load', () => {
  let postgres: Cluster;
  let url: string;
  let gateway: Gateway;
  let demo: Demo;
  let receiver: Receiver;
  let sends: SteadySend[];
  /** When the server was back, each time. */
  const backMs: number[] = [];

  beforeAll(
    async () => {
      if (cluster === null) return;
      postgres = cluster;
      await runSql(postgres.url, 'create database restarts');
      url = databaseUrl(postgres.url, 'restarts');
      await migrateDatabase(url);
      receiver = await startReceiver();
      gateway = await startGateway({ databaseUrl: url, env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
      demo = await seedDemo(gateway);
      await ask(
        gateway,
        demo.tokens.management,
        'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url, events: ["message.failed"] }) { endpoint { id } } }',
        { url: receiver.url },
      );
      await giveCredits();
      await noteArrivals();
      const calm = new AbortController();
      [sends] = await Promise.all([
        sendSteadily(gateway, demo.tokens.unified, { perSecond: PER_SECOND, signal: calm.signal }),
        disturb().finally(() => calm.abort()),
      ]);
      await until('nothing is pending', async () => ((await countPending()) === 0 ? true : null), DEFINITE_MS);
    },
    (SECONDS + 120) * 1_000,
  );

  afterAll(async () => {
    try {
      gateway.kill('SIGTERM');
      await gateway.exited;
      await receiver.close();
    } finally {
      await postgres.stop();
    }
  });

  const accountUuid = (): string => demo.accountId.replace('acc_', '');

  async function giveCredits(): Promise<void> {
    await runSql(
      url,
      `insert into ledger (account_id, id, kind, credits, held, reason, created_at)
       values ('${accountUuid()}', gen_random_uuid(), 'adjustment', ${CREDITS}, 0, 'test', now())`,
    );
  }

  /** The sandbox keeps the newest 1,000 only. */
  async function noteArrivals(): Promise<void> {
    await runSql(url, 'create table arrivals (text text not null, channel text not null)');
    await runSql(
      url,
      `create function note_arrival() returns trigger language plpgsql as $$ begin
         insert into arrivals values (new.text, new.channel);
         return null;
       end $$`,
    );
    await runSql(
      url,
      'create trigger note_arrival after insert on sandbox_messages for each row execute function note_arrival()',
    );
  }

  /** Ends the server at once and starts it again, and half-way between ends every connection. */
  async function disturb(): Promise<void> {
    const startedMs = performance.now();
    const untilSecond = (second: number) => setTimeout(Math.max(0, startedMs + second * 1_000 - performance.now()));
    for (let second = EVERY; second < SECONDS - 1; second += EVERY) {
      await untilSecond(second - EVERY / 2);
      await runSql(
        url,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await untilSecond(second);
      await postgres.crash();
      await postgres.restart();
      backMs.push(performance.now());
    }
    // However long the last start took, what is sent after it tells when the gateway was back.
    await setTimeout(BACK_MS);
  }

  async function countPending(): Promise<number> {
    const [row] = await runSql(
      url,
      `select (select count(*) from messages where status = 'pending' or lease_until is not null)
            + (select count(*) from attempts where status = 'pending') as n`,
    );
    return Number(row?.n);
  }

  function sentTwice(): Promise<unknown[]> {
    return runSql(url, 'select text, channel from arrivals group by 1, 2 having count(*) > 1');
  }

  const acknowledged = (): SteadySend[] => sends.filter(({ status }) => status === 200);

  // How much that is depends on how fast the machine starts a server again; a gateway that refuses all would pass the rest.
  test('a good part of what was sent is acknowledged', () => {
    expect(backMs.length).toBeGreaterThan(0);
    expect(acknowledged().length).toBeGreaterThan(sends.length / 4);
  });

  test('loses nothing that was acknowledged', async () => {
    const rows = await runSql(url, "select 'msg_' || replace(id::text, '-', '') as id from messages");
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged().filter(({ messageId }) => !stored.has(messageId ?? ''))).toEqual([]);
  });

  test('answers everything else 503, with the time to wait', () => {
    const kinds = sends
      .filter(({ status }) => status !== 200)
      .map(({ status, code, contentType, retryAfter }) => `${status} ${code} ${contentType} ${retryAfter}`);
    expect([...new Set(kinds)].filter(kind => !KINDS.test(kind))).toEqual([]);
  });
  const KINDS = /^503 (database_unavailable|overloaded) application\/problem\+json [1-9]\d*$/;

  test('sends again within ten seconds of the return of the server', () => {
    const endedMs = acknowledged().map(send => send.endedMs);
    const waits = backMs.map(back => Math.min(...endedMs.filter(ended => ended > back)) - back);
    expect(waits.filter(wait => wait > BACK_MS)).toEqual([]);
  });

  test('sends nothing twice, and nothing that it says was sent was not', async () => {
    const never = await runSql(
      url,
      `select a.id from attempts a join messages m on m.id = a.message_id
       where a.status in ('sent', 'delivered', 'read')
         and not exists (select from arrivals r where r.text = m.text and r.channel = a.channel)`,
    );
    expect({ twice: await sentTwice(), never }).toEqual({ twice: [], never: [] });
  });

  test('keeps the ledger straight: nothing is held any more, and what was spent is what was accepted', async () => {
    const [row] = await runSql(
      url,
      `select (select sum(held)::int from accounts) as held,
         (select sum(credits)::int from ledger) - (select sum(credits + held)::int from accounts) as off,
         (select -sum(credits)::int from ledger where kind <> 'adjustment')
           - (select coalesce(sum(credits), 0)::int from attempts where channel = 'sms' and status in ('sent', 'delivered', 'read')) as wrong`,
    );
    expect(row).toEqual({ held: 0, off: 0, wrong: 0 });
  });

  test('a request that was refused goes through when it is sent again, and once', async () => {
    const refused = sends.filter(({ status }) => status !== 200).slice(0, 200);
    const answers = await Promise.all(refused.map(({ request }) => sendOne(gateway, demo.tokens.unified, request)));
    // Recovery ended the sends that were accepted though their callers were told otherwise: they may have failed.
    expect(answers.filter(({ status }) => status !== 200 && status !== 502)).toEqual([]);
    expect(await sentTwice()).toEqual([]);
  });

  test('the worker works again: what is sent now is reported as delivered', async () => {
    const { body } = await send(gateway, demo.tokens.unified);
    const id = body.data?.messageId.replace('msg_', '') ?? '';
    await until('it is delivered', async () => {
      const [row] = await runSql(url, `select status from messages where id = '${id}'`);
      return row?.status === 'delivered' ? true : null;
    });
  });

  test('webhooks work again: what fails now is told', async () => {
    const { body } = await send(gateway, demo.tokens.unified, { to: '+12025550101' });
    const id = body.data?.messageId ?? '';
    await until('it is told', async () => {
      await fetch(`${gateway.url}/healthz`);
      return receiver.received.some(({ body: event }) => event.includes(id)) ? true : null;
    });
  });
});

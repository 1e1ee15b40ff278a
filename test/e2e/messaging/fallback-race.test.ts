import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { createFollowUps } from '../../support/messaging/follow-ups.ts';
import type { RunSql } from '../../support/otp/pins.ts';
import { ask, type Demo, type Gateway, seedDemo, send, startGateway, until } from '../../support/processes/gateway.ts';

const SENDS = 1_000;

/** A race of receipt and timer, as one message came out of it. */
interface Raced {
  /** How often the next channel was asked. */
  readonly followed: number;
  /** How often it was told that the routing is over. */
  readonly routed: number;
  /** Whether the phone reported that it has the first text. */
  readonly isDelivered: boolean;
  /** Whether the timer took it after that, by the clock of the database: the receipt has not cancelled it. */
  readonly isTakenLate: boolean;
}

/** The promise: receipt or timer, never neither, what follows follows once, and nothing after a receipt. */
function expectOneWinner(raced: readonly Raced[]): void {
  expect(raced).toHaveLength(SENDS);
  expect(raced.filter(({ followed }) => followed > 1)).toEqual([]);
  expect(raced.filter(({ followed, isDelivered }) => followed === 0 && !isDelivered)).toEqual([]);
  expect(raced.filter(({ routed }) => routed !== 1)).toEqual([]);
  expect(raced.filter(({ isTakenLate }) => isTakenLate)).toEqual([]);
}

describePostgres('receipt and timer of a thousand sends, over two gateways', () => {
  let database: TestDatabase;
  let url: string;
  let pool: pg.Pool;
  let gateways: [Gateway, Gateway];
  let demo: Demo;

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    url = database.url;
    pool = new pg.Pool({ connectionString: url });
    gateways = await Promise.all([startGateway({ databaseUrl: url }), startGateway({ databaseUrl: url })]);
    demo = await seedDemo(gateways[0]);
    await sql(
      `insert into ledger (account_id, id, kind, credits, held, reason, created_at)
       select id, gen_random_uuid(), 'adjustment', 100000, 0, 'a test', now() from accounts where name = 'demo'`,
    );
    await createFollowUps({ sql }).listen(demo);
  });

  afterAll(async () => {
    for (const gateway of gateways) gateway.kill('SIGTERM');
    await Promise.all(gateways.map(gateway => gateway.exited));
    await pool.end();
    await database.drop();
  });

  const sql: RunSql = async (text, parameters = []) => (await pool.query(text, [...parameters])).rows;
  const numbers = Array.from({ length: SENDS }, (_, index) => `1202556${String(index).padStart(4, '0')}`);
  const gatewayOf = (index: number): Gateway => gateways[index % 2 === 0 ? 0 : 1];

  /** Phones that report when the test says so. */
  async function silence(): Promise<void> {
    await sql(
      `insert into sandbox_orders (id, account_id, recipient, delay_seconds, created_at)
       select gen_random_uuid(), a.id, n, 0, now() from accounts a, unnest($1::text[]) n where a.name = 'demo'`,
      [numbers],
    );
  }

  /**
   * Keeps all texts in the phones. The cleaning job of each minute drops texts beyond a thousand per account. On a slow machine it would
   * drop a text before its delivery is reported.
   */
  async function keepTexts(): Promise<void> {
    await sql(
      `create function keep_text() returns trigger language plpgsql as $$ begin return null; end $$;
       create trigger keep_text before delete on sandbox_messages for each row execute function keep_text()`,
    );
  }

  /** Notes when the timer takes each wait. The attempt that follows begins later, by the clock of its process. */
  async function noteTakes(): Promise<void> {
    await sql(
      `create table takes (send_id uuid primary key, taken_at timestamptz not null);
       create function note_take() returns trigger language plpgsql as $$
         begin insert into takes values (new.send_id, clock_timestamp()) on conflict do nothing; return null; end $$;
       create trigger note_take after update on follow_ups for each row when (new.is_taken and not old.is_taken)
         execute function note_take()`,
    );
  }

  const readRaced = (): Promise<Raced[]> =>
    sql<Raced>(
      `select (select count(*)::int from attempts a where a.message_id = m.id and a.channel = 'sms') as followed,
         (select count(*)::int from webhook_events e where e.send_id = m.id and e.event = 'message.routed') as routed,
         exists (select from attempts a where a.message_id = m.id and a.channel = 'chat_qr' and a.status = 'delivered') as "isDelivered",
         exists (select from attempts a join takes t on t.send_id = a.message_id
           where a.message_id = m.id and a.channel = 'chat_qr' and a.reported_at < t.taken_at) as "isTakenLate"
       from messages m`,
    );

  test('one of them wins for each, whatever their order', async () => {
    await silence();
    await noteTakes();
    await keepTexts();
    const sent = await Promise.all(
      numbers.map((number, index) =>
        send(gatewayOf(index), demo.tokens.unified, {
          to: `+${number}`,
          channels: ['chat_qr', 'sms'],
          chatFrom: '15550000001',
          fallbackAfter: 3_600,
        }),
      ),
    );
    expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
    const texts = await sql<{ id: string }>('select id from sandbox_messages order by recipient');
    expect(texts).toHaveLength(SENDS);
    // Some come due before their receipt, some beside it, and some after it.
    await sql(`update follow_ups set due_at = now() + random() * interval '6 seconds'`);
    const query = 'mutation ($id: String!) { sandboxReceipt(id: $id, outcome: DELIVERED) { id } }';
    // A thousand at once are more than a busy machine answers in time. Whoever is told so asks again, and may hear that the first time counted.
    const report = async (id: string, index: number): Promise<void> => {
      let isAgain = false;
      await until(
        'the report is taken',
        () =>
          ask(gatewayOf(index + 1), demo.tokens.unified, query, { id: `sbx_${id.replaceAll('-', '')}` }).catch(
            (error: unknown) => {
              if (isAgain && /more is reported of this text already/.test(String(error))) return true;
              if (!/DATABASE_UNAVAILABLE|OVERLOADED/.test(String(error))) throw error;
              isAgain = true;
              return null;
            },
          ),
        60_000,
      );
    };
    // A tenth of the phones never report.
    await Promise.all(texts.flatMap(({ id }, index) => (index % 10 === 0 ? [] : [report(id, index)])));
    await until('no send waits any more', async () => {
      const [row] = await sql<{ n: number }>('select count(*)::int as n from follow_ups');
      return row?.n === 0 ? true : null;
    });
    const raced = await readRaced();
    expectOneWinner(raced);
    const followed = raced.filter(one => one.followed === 1).length;
    const [noted] = await sql<{ n: number }>('select count(*)::int as n from takes');
    expect(noted?.n).toBeGreaterThanOrEqual(followed);
    // Neither has always won, or nothing was raced.
    expect(followed).toBeGreaterThan(SENDS / 10);
    expect(followed).toBeLessThan(SENDS);
    // On a machine that is far behind the call to a provider may break off: such an attempt is `unknown` or failed, and costs nothing.
    const [books] = await sql<{ held: number; spent: number; charged: number; accepted: number; texts: number }>(
      `select a.held, (select -sum(credits)::int from ledger l where l.account_id = a.id and kind <> 'adjustment') as spent,
         (select sum(credits)::int from attempts) as charged,
         (select count(*)::int from attempts where channel = 'sms' and status not in ('failed', 'unknown')) as accepted,
         (select count(*)::int from sandbox_messages where channel = 'sms') as texts
       from accounts a where a.name = 'demo'`,
    );
    expect(books).toMatchObject({ held: 0, spent: books?.accepted, charged: books?.accepted });
    expect(books?.texts).toBeGreaterThanOrEqual(books?.accepted ?? 0);
    expect(books?.texts).toBeLessThanOrEqual(followed);
    expect(books?.accepted).toBeGreaterThan(followed * 0.9);
  });

  test('the same assertion catches a receipt and a timer that read before they write', async () => {
    await sql(
      `create table naive_waits (id int primary key, is_over boolean not null default false, is_delivered boolean not null default false);
       create table naive_steps (id int not null, step text not null);
       insert into naive_waits (id) select generate_series(1, ${SENDS})`,
    );
    const pools = [1, 2].map(() => new pg.Pool({ connectionString: url, max: 20 }));
    try {
      const isOver = async (pool: pg.Pool, id: number): Promise<boolean> => {
        const { rows } = await pool.query<{ is_over: boolean }>('select is_over from naive_waits where id = $1', [id]);
        return rows[0]?.is_over ?? true;
      };
      const end = async (pool: pg.Pool, id: number, step: string): Promise<void> => {
        await pool.query('update naive_waits set is_over = true where id = $1', [id]);
        await pool.query('insert into naive_steps (id, step) values ($1, $2)', [id, step]);
      };
      // At their worst both have read before either writes.
      const met = new Map<number, PromiseWithResolvers<void>>();
      const meet = async (id: number): Promise<void> => {
        const other = met.get(id);
        if (other) return other.resolve();
        const own = Promise.withResolvers<void>();
        met.set(id, own);
        await own.promise;
      };
      const endUnlessOver = async (pool: pg.Pool, id: number, step: string): Promise<void> => {
        const isLate = await isOver(pool, id);
        await meet(id);
        if (!isLate) await end(pool, id, step);
      };
      const report = async (pool: pg.Pool, id: number): Promise<void> => {
        await pool.query('update naive_waits set is_delivered = true where id = $1', [id]);
        await endUnlessOver(pool, id, 'reported');
      };
      const follow = (pool: pg.Pool, id: number): Promise<void> => endUnlessOver(pool, id, 'followed');
      const ids = Array.from({ length: SENDS }, (_, index) => index + 1);
      const [reporting, following] = pools as [pg.Pool, pg.Pool];
      await Promise.all(ids.flatMap(id => [report(reporting, id), follow(following, id)]));
      const rows = await sql<Raced>(
        `select w.is_delivered as "isDelivered", false as "isTakenLate", count(*)::int as routed, count(*) filter (where step = 'followed')::int as followed
         from naive_waits w join naive_steps s using (id) group by w.id, w.is_delivered`,
      );
      expect(rows).toHaveLength(SENDS);
      // Both have ended it, each of which saw that nobody had.
      expect(rows.filter(({ followed, routed }) => followed === 1 && routed === 2)).not.toEqual([]);
      expect(() => expectOneWinner(rows)).toThrow();
    } finally {
      await Promise.all(pools.map(pool => pool.end()));
    }
  });

  test('the same assertion catches a receipt that does not cancel the timer now and then', async () => {
    await sql(
      `create table leaky_waits (id int primary key, is_over boolean not null default false, reported_at timestamptz, taken_at timestamptz);
       insert into leaky_waits (id) select generate_series(1, ${SENDS})`,
    );
    // Each is one statement, and the receipt of every hundredth leaves the wait as it is.
    const report = (id: number) =>
      sql('update leaky_waits set reported_at = clock_timestamp(), is_over = is_over or id % 100 > 0 where id = $1', [
        id,
      ]);
    const follow = (id: number) =>
      sql('update leaky_waits set taken_at = clock_timestamp(), is_over = true where id = $1 and not is_over', [id]);
    const ids = Array.from({ length: SENDS }, (_, index) => index + 1);
    // A tenth come due before their receipt, the others after it.
    await Promise.all(
      ids.map(id => (id % 10 === 1 ? follow(id).then(() => report(id)) : report(id).then(() => follow(id)))),
    );
    const rows = await sql<Raced>(
      `select (taken_at is not null)::int as followed, 1 as routed, reported_at is not null as "isDelivered",
         coalesce(reported_at < taken_at, false) as "isTakenLate" from leaky_waits`,
    );
    // Nothing else shows it: each has followed once at most, and was told of once.
    expectOneWinner(rows.map(row => ({ ...row, isTakenLate: false })));
    expect(() => expectOneWinner(rows)).toThrow();
  });
});

import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import type { RunSql } from '../../support/otp/pins.ts';
import { ask, type Demo, type Gateway, seedDemo, startGateway, until } from '../../support/processes/gateway.ts';

const WRITTEN = 1_000;
const PHONE = '12025550142';
const TEXT = 'We are open from 9 to 18.';

/** The promise: a person has one answer to a keyword in an hour, and not none. */
function expectOneAnswer(answers: readonly unknown[]): void {
  expect(answers).toHaveLength(1);
}

describePostgres('a keyword that a person writes a thousand times, over two gateways', () => {
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
  });

  afterAll(async () => {
    for (const gateway of gateways) gateway.kill('SIGTERM');
    await Promise.all(gateways.map(gateway => gateway.exited));
    await pool.end();
    await database.drop();
  });

  const sql: RunSql = async (text, parameters = []) => (await pool.query(text, [...parameters])).rows;
  const gatewayOf = (index: number): Gateway => gateways[index % 2 === 0 ? 0 : 1];

  const write = async (text: string): Promise<void> => {
    const query =
      'mutation ($text: String!) { sandboxReply(input: { phone: "+12025550142", to: "DEMO", text: $text }) { id } }';
    await Promise.all(
      Array.from({ length: WRITTEN }, (_, index) => ask(gatewayOf(index), demo.tokens.unified, query, { text })),
    );
    await until('every job was run', async () => {
      const waiting = await sql(
        `select from pgboss.job where name = 'answer-word' and state in ('created', 'retry', 'active')`,
      );
      return waiting.length === 0 ? true : null;
    });
  };

  const answers = () => sql('select id from sandbox_messages where recipient = $1 and text = $2', [PHONE, TEXT]);

  test('is answered once, and once more when the hour is over', async () => {
    const query = 'mutation ($text: String!) { setAutoReply(input: { keyword: "hours", text: $text }) { keyword } }';
    await ask(gateways[0], demo.tokens.management, query, { text: TEXT });
    await write('hours');
    expectOneAnswer(await answers());
    expect(await sql(`select count(*)::int as n from pgboss.job where name = 'answer-word'`)).toEqual([{ n: 1 }]);
    await sql(`update auto_reply_marks set answered_at = answered_at - interval '1 hour'`);
    await write('Hours!');
    expect(await answers()).toHaveLength(2);
    expect(await sql('select count(*)::int as n from inbound_messages')).toEqual([{ n: 2 * WRITTEN }]);
  });

  test('the same assertion catches a gateway that reads before it writes', async () => {
    await sql(
      `create table naive_marks (person text not null, answered_at timestamptz not null);
       create table naive_answers (person text not null)`,
    );
    const pools = [1, 2].map(() => new pg.Pool({ connectionString: url, max: 20 }));
    try {
      const take = async (pool: pg.Pool): Promise<void> => {
        const { rows } = await pool.query(
          `select from naive_marks where person = $1 and answered_at > now() - interval '1 hour'`,
          [PHONE],
        );
        if (rows.length > 0) return;
        await pool.query('insert into naive_marks (person, answered_at) values ($1, now())', [PHONE]);
        await pool.query('insert into naive_answers (person) values ($1)', [PHONE]);
      };
      await Promise.all(pools.flatMap(pool => Array.from({ length: WRITTEN / 2 }, () => take(pool))));
      const naive = await sql('select person from naive_answers');
      expect(() => expectOneAnswer(naive)).toThrow();
    } finally {
      await Promise.all(pools.map(pool => pool.end()));
    }
  });
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import {
  ask,
  type Demo,
  type Gateway,
  operatorTokenOf,
  seedDemo,
  send,
  startGateway,
  until,
  untilRefused,
} from '../../support/processes/gateway.ts';

const CALLS = 1_000;

/** The answer to a caller: the status, and the bytes of the body. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
}

/** The outcome of a race. */
interface RaceResult {
  readonly answers: readonly Answer[];
  readonly messages: number;
  readonly attempts: number;
  readonly arrivals: number;
}

/** The promise of a reference, whatever keeps it: one message, and nothing but its one answer or "still running". */
function expectExactlyOne({ answers, messages, attempts, arrivals }: RaceResult): void {
  const answered = answers.filter(({ status }) => status === 200);
  expect({ messages, attempts, arrivals }).toEqual({ messages: 1, attempts: 1, arrivals: 1 });
  expect(answered.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
  expect(new Set(answered.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  expect(answers).toHaveLength(CALLS);
}

describePostgres('two gateways on one database', () => {
  let database: TestDatabase;
  let url: string;
  let gateways: [Gateway, Gateway];
  let demo: Demo;

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    url = database.url;
    gateways = await Promise.all([startGateway({ databaseUrl: url }), startGateway({ databaseUrl: url })]);
    demo = await seedDemo(gateways[0]);
    // The credits of a demo account do not pay for the thousands that are sent here.
    await runSql(
      url,
      `insert into ledger (account_id, id, kind, credits, held, reason, created_at)
       select id, gen_random_uuid(), 'adjustment', 100000, 0, 'a test', now() from accounts where name = 'demo'`,
    );
  });

  afterAll(async () => {
    for (const gateway of gateways) gateway.kill('SIGTERM');
    await Promise.all(gateways.map(gateway => gateway.exited));
    await database.drop();
  });

  async function count(statement: string): Promise<number> {
    const [row] = await runSql(url, `select count(*)::int as n from ${statement}`);
    return Number(row?.n);
  }

  /** As many calls as there are, spread over both. */
  async function callAll(request: (index: number) => object): Promise<Answer[]> {
    return Promise.all(
      Array.from({ length: CALLS }, async (_, index) => {
        const sent = await send(gateways[index % 2 === 0 ? 0 : 1], demo.tokens.unified, request(index));
        return { status: sent.status, text: sent.text, isReplay: sent.headers.get('idempotency-replayed') === 'true' };
      }),
    );
  }

  describe('one reference, a thousand calls at the same time', () => {
    test.each([1, 2, 3, 4, 5])('sends one message, round %i', async round => {
      const reference = `race-${round}`;
      // A recipient of its own for each round, so that what arrives can be told apart.
      const to = `+1202555011${round}`;
      const answers = await callAll(() => ({ to, reference }));
      expectExactlyOne({
        answers,
        messages: await count(`messages where reference = '${reference}'`),
        attempts: await count(`attempts where reference = '${reference}'`),
        arrivals: await count(`sandbox_messages where recipient = '1202555011${round}'`),
      });
      const replay = await send(gateways[1], demo.tokens.unified, { to, reference });
      expect(replay.text).toBe(answers.find(({ status }) => status === 200)?.text);
    });

    test('the same assertion catches a check that reads before it writes', async () => {
      await runSql(url, 'create table naive_messages (id serial primary key, reference text not null)');
      const pools = [1, 2].map(() => new pg.Pool({ connectionString: url, max: 20 }));
      try {
        const sendNaively = async (pool: pg.Pool): Promise<Answer> => {
          const find = "select id from naive_messages where reference = 'race' order by id limit 1";
          const { rows: known } = await pool.query<{ id: number }>(find);
          const make = "insert into naive_messages (reference) values ('race') returning id";
          const id = known[0]?.id ?? (await pool.query<{ id: number }>(make)).rows[0]?.id;
          return { status: 200, text: `message ${id}`, isReplay: known.length > 0 };
        };
        const answers = await Promise.all(
          Array.from({ length: CALLS }, (_, index) => sendNaively(pools[index % 2] ?? new pg.Pool())),
        );
        const messages = await count('naive_messages');
        expect(() => expectExactlyOne({ answers, messages, attempts: messages, arrivals: messages })).toThrow();
        expect(messages).toBeGreaterThan(1);
      } finally {
        await Promise.all(pools.map(pool => pool.end()));
      }
    });
  });

  test('a thousand sends with references of their own: nothing is lost or doubled', async () => {
    const request = (index: number) => ({ to: '+12025550120', reference: `own-${index}` });
    const answers = await callAll(request);
    // A busy machine may end one at its deadline; its caller asks again by the same reference.
    for (const [index, { status }] of answers.entries()) {
      if (status === 200) continue;
      expect(status).toBe(503);
      const { text } = await until('the send is answered', async () => {
        const again = await send(gateways[0], demo.tokens.unified, request(index));
        return again.status === 200 ? again : null;
      });
      answers[index] = { status: 200, text, isReplay: false };
    }
    expect(answers.filter(({ isReplay }) => isReplay)).toEqual([]);
    const ids = new Set(
      answers.map(({ text }) => (JSON.parse(text) as { data: { messageId: string } }).data.messageId),
    );
    expect(ids.size).toBe(CALLS);
    const mine = "where reference like 'own-%'";
    expect({
      messages: await count(`messages ${mine}`),
      references: await count(`(select distinct reference from messages ${mine}) r`),
      attempts: await count(`attempts ${mine} and status in ('sent', 'delivered')`),
      keys: await count(`idempotency_keys ${mine}`),
      arrivals: await count("sandbox_messages where recipient = '12025550120'"),
    }).toEqual({ messages: CALLS, references: CALLS, attempts: CALLS, keys: CALLS, arrivals: CALLS });
  });

  test('a token that is revoked over one is refused by the other within a second', async () => {
    const operator = await operatorTokenOf(gateways[0]);
    const made = await ask<{ createToken: { secret: string; token: { tokenId: string } } }>(
      gateways[0],
      operator,
      'mutation ($id: String!) { createToken(input: { accountId: $id, area: UNIFIED }) { secret token { tokenId } } }',
      { id: demo.accountId },
    );
    const { secret, token } = made.createToken;
    expect((await send(gateways[1], secret)).status).toBe(200);
    await ask(gateways[0], operator, 'mutation ($id: String!) { revokeToken(tokenId: $id) { revokedAt } }', {
      id: token.tokenId,
    });
    expect(await untilRefused(gateways[1], secret)).toBeLessThan(1_000);
    expect((await send(gateways[0], secret)).status).toBe(401);
  });
});

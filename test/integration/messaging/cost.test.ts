import { beforeAll, describe, expect, test } from 'vitest';
import { LOOK } from '../../../src/db/statements/look.sql.ts';
import type { Area } from '../../../src/kernel/crypto/secrets.ts';
import { toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { listMessages } from '../../../src/modules/messaging/list-messages.ts';
import type { ListMessagesInput } from '../../../src/modules/messaging/message-filter.input.ts';
import { blocksOf, explainVerb, nodesOf, type PlanNode } from '../../support/databases/explain.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAttempt, makeMessage, midMonth } from '../../support/logs/log-rows.ts';
import { makeAccount, type TestAccount } from '../../support/services.ts';

type Filter = NonNullable<ListMessagesInput['filter']>;

const on = setUpServices();
let large: TestAccount;

const MONTHS = [-1, 0, 1];
const [ONCE, OFTEN] = ['447911123456', '447911123457'];

beforeAll(async () => {
  large = await makeAccount(on);
  for (const offset of MONTHS) await fill(midMonth(offset), 34_000);
  // The oldest messages are the rare ones: a walk from the newest to them would pass by all others.
  const oldestMs = midMonth(-1).getTime() - 60_000;
  const rare = [
    { recipient: ONCE, area: 'sms' as const },
    { recipient: OFTEN, status: 'failed' as const, channel: null },
    { channel: 'chat_qr' as const },
  ].map((given, index) => makeMessage(large.accountId, { ...given, createdAt: new Date(oldestMs + index) }));
  const attempts = rare.map(({ id, recipient, createdAt }) =>
    makeAttempt(large.accountId, { messageId: id, recipient, startedAt: createdAt }),
  );
  await on.database
    .fork()
    .persist([...rare, ...attempts])
    .flush();
  await on.sql(
    `update attempts set recipient = $2 where account_id = $1 and id in (
       select id from attempts where account_id = $1 order by id desc limit 1000)`,
    [toUuid(large.accountId), OFTEN],
  );
  // As each process says from its start on what may be under way.
  const newest = uuidFloor(midMonth(2));
  await on.sql('insert into routing_marks (process, oldest, seen_at) values (gen_random_uuid(), $1, now())', [newest]);
  await on.sql('vacuum analyze attempts');
  await on.sql('vacuum analyze messages');
});

/** Messages of the area `unified` with an attempt each, a millisecond apart. */
async function fill(from: Date, count: number): Promise<void> {
  const row = `(lpad(to_hex($1::bigint + n), 12, '0') || '7000' || '8' || substr(md5(n::text), 1, 15))::uuid as id, $3::uuid as account_id,
    '1202555' || lpad((n % 5000)::text, 4, '0') as recipient, to_timestamp(($1::bigint + n) / 1000.0) as at from generate_series(1, $2::int) n`;
  await on.sql(
    `with rows as (select ${row}), sends as (
       insert into messages (id, account_id, area, recipient, text, channels, delivery_mode, sender, status, channel, segments, created_at)
       select id, account_id, 'unified', recipient, 'Hello', '{sms}', 'fallback', 'ACME', 'sent', 'sms', 1, at from rows)
     insert into attempts (id, account_id, area, type, message_id, channel, provider, recipient, sender, status, segments, started_at)
     select id, account_id, 'unified', 'message_attempt', id, 'sms', 'sandbox', recipient, 'ACME', 'sent', 1, at from rows`,
    [from.getTime(), count, toUuid(large.accountId)],
  );
}

const list = (input: ListMessagesInput, area: Area = 'unified') => listMessages(on.ctxFor(large.actor(area)), input);

const plansOf = (input: ListMessagesInput): Promise<PlanNode[]> =>
  explainVerb(on, large.actor('unified'), ctx => listMessages(ctx, input));

const rowsOf = (plans: readonly PlanNode[]): number =>
  plans.flatMap(nodesOf).reduce((sum, node) => Math.max(sum, node['Actual Rows'] * node['Actual Loops']), 0);

describe('the cost of the messages', () => {
  test.each<[string, Filter]>([
    ['status', { status: 'sent' }],
    ['channel', { channel: 'sms' }],
    ['recipient', { recipient: '+12025550100' }],
  ])('a page by %s that many have ends where it is full', async (_name, filter) => {
    expect(rowsOf(await plansOf({ first: 1, filter }))).toBeLessThan(LOOK / 10);
  });

  test.each<[string, Filter]>([
    ['status', { status: 'failed' }],
    ['channel', { channel: 'chat_qr' }],
    ['recipient and status', { recipient: OFTEN, status: 'failed' }],
  ])('a page by %s that few have looks at no more than a look has, and the next one goes on', async (_name, filter) => {
    expect(rowsOf(await plansOf({ filter }))).toBeLessThanOrEqual(LOOK);
    const page = await list({ filter });
    expect(page).toMatchObject({ rows: [], hasNextPage: true });
    const next = await list({ filter, after: page.endCursor });
    expect(next).toMatchObject({ rows: [filter], hasNextPage: false });
  });

  test('the only message to a recipient is found at once, by its entry of the log', async () => {
    const filter = { recipient: ONCE };
    expect(await list({ filter })).toMatchObject({ rows: [filter], hasNextPage: false });
    const plans = await plansOf({ filter });
    expect([rowsOf(plans) < 10, blocksOf(plans) < 200]).toEqual([true, true]);
    expect(await list({ filter: { ...filter, from: midMonth(0) } })).toMatchObject({ rows: [], hasNextPage: false });
    expect(await list({ filter }, 'sms')).toMatchObject({ rows: [filter], hasNextPage: false });
  });

  test('the messages to a recipient go on behind a look, each once', async () => {
    const filter = { recipient: '12025550100' };
    const ids: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await list({ first: 4, filter, after });
      ids.push(...page.rows.map(({ id }) => id));
      after = page.endCursor;
      if (!page.hasNextPage) break;
    }
    expect(new Set(ids).size).toBe(ids.length);
    const [row] = await on.sql<{ count: number }>(
      'select count(*)::int as count from messages where account_id = $1 and recipient = $2',
      [toUuid(large.accountId), filter.recipient],
    );
    expect(ids).toHaveLength(row?.count ?? 0);
  });
});

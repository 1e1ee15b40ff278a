import { beforeAll, describe, expect, test } from 'vitest';
import { LOOK } from '../../../src/db/statements/look.sql.ts';
import type { Area } from '../../../src/kernel/crypto/secrets.ts';
import { newId, toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { LOG_TYPES } from '../../../src/modules/answers/log.data.ts';
import { listLogs } from '../../../src/modules/logs/list-logs.ts';
import type { ListLogsInput, LogFilter } from '../../../src/modules/logs/log-filter.input.ts';
import { listSends } from '../../../src/modules/logs/sends/list-sends.ts';
import { blocksOf, explainVerb, nodesOf, type PlanNode } from '../../support/databases/explain.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { idAt, makeAttempt, makeMessage, midMonth } from '../../support/logs/log-rows.ts';
import { makeAccount, type TestAccount } from '../../support/services.ts';

const on = setUpServices();
let large: TestAccount;
let small: TestAccount;

const MONTHS = [-1, 0, 1];
const RARE = {
  messageId: newId('msg'),
  pinId: newId('pin'),
  recipient: '447911123456',
  reference: 'rare',
  errorCode: 'no_route',
  connectionId: newId('con'),
};

beforeAll(async () => {
  [large, small] = await Promise.all([makeAccount(on), makeAccount(on)]);
  const other = await makeAccount(on);
  for (const offset of MONTHS) {
    await fill(large, midMonth(offset), 34_000);
    await fill(other, midMonth(offset), 17_000);
    await fill(small, midMonth(offset), 170);
  }
  // The oldest entries are the rare ones: a walk from the newest to them would pass by all others.
  const startedAt = new Date(midMonth(-1).getTime() - 60_000);
  const message = makeMessage(large.accountId, {
    id: idAt('msg', startedAt),
    createdAt: startedAt,
    reference: RARE.reference,
  });
  RARE.messageId = message.id;
  const rare = { messageId: message.id, recipient: RARE.recipient, reference: RARE.reference };
  await on.database
    .fork()
    .persist([
      message,
      makeAttempt(large.accountId, { ...rare, startedAt, area: 'otp' }),
      makeAttempt(large.accountId, {
        startedAt,
        messageId: null,
        pinId: RARE.pinId,
        status: 'failed',
        errorCode: RARE.errorCode,
        connectionId: RARE.connectionId,
        provider: 'smpp',
        country: 'DE',
      }),
    ])
    .flush();
  await on.sql('vacuum analyze attempts');
  await on.sql('vacuum analyze messages');
});

/** Entries of the area `unified`, a millisecond apart. */
async function fill({ accountId }: TestAccount, from: Date, count: number): Promise<void> {
  await on.sql(
    `insert into attempts (id, account_id, area, type, message_id, channel, provider, recipient, sender, status, segments, started_at)
     select (lpad(to_hex($1::bigint + n), 12, '0') || '7000' || '8' || substr(md5(n::text || $3), 1, 15))::uuid, $3::uuid, 'unified',
       'message_attempt', gen_random_uuid(), 'sms', 'sandbox', '1202555' || lpad((n % 5000)::text, 4, '0'), 'ACME', 'sent', 1,
       to_timestamp(($1::bigint + n) / 1000.0)
     from generate_series(1, $2::int) n`,
    [from.getTime(), count, toUuid(accountId)],
  );
}

/** The plans of the statements that a list runs, taken again with the data as it is. */
async function explain(account: TestAccount, input: ListLogsInput, area: Area = 'unified'): Promise<PlanNode[]> {
  const { orm } = on.database;
  const statements: string[] = [];
  const onQuery = orm.config.get('onQuery');
  orm.config.set('onQuery', (query: string, params: readonly unknown[]) => {
    statements.push(orm.driver.getPlatform().formatQuery(query, params));
    return query;
  });
  try {
    await listLogs(on.ctxFor(account.actor(area)), input);
  } finally {
    orm.config.set('onQuery', onQuery);
  }
  const plans: PlanNode[] = [];
  for (const statement of statements) {
    const [row] = await on.sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, buffers, format json) ${statement}`,
    );
    if (row) plans.push(row['QUERY PLAN'][0].Plan);
  }
  return plans;
}

/** The index scans of a plan that found something, without the number of the month that ends their names. */
function indexesOf(plans: readonly PlanNode[]): Set<string> {
  const scans = plans.flatMap(nodesOf).filter(node => node['Index Name'] && node['Actual Rows'] > 0);
  return new Set(scans.map(node => node['Index Name']?.replace(/^(attempts|messages)_p\d{6}_/, '$1_') ?? ''));
}

/** A page of 51 rows and the roots of the indexes of all months: far below the 1,000 blocks and more of a walk. */
const BLOCKS_MAX = 100;

describe('the cost of the log', () => {
  test('the first page reads the newest month backwards, and no older one', async () => {
    const plans = await explain(large, {});
    const nodes = plans.flatMap(nodesOf);
    const types = new Set(nodes.map(node => node['Node Type']));
    expect(types).toEqual(new Set(['Limit', 'Append', 'Index Scan']));
    const newest = `attempts_p${midMonth(1).toISOString().slice(0, 7).replace('-', '')}`;
    const older = nodes.filter(node => (node['Relation Name'] ?? '~') < newest);
    expect(older.length).toBeGreaterThanOrEqual(2);
    expect(older.map(node => node['Actual Loops'])).toEqual(older.map(() => 0));
    expect(indexesOf(plans)).toEqual(new Set(['attempts_account_id_id_idx']));
  });

  test('the first page costs the same for 100,000 entries as for 500', async () => {
    const [few, many] = [blocksOf(await explain(small, {})), blocksOf(await explain(large, {}))];
    expect(many).toBeLessThan(BLOCKS_MAX);
    expect(many).toBeLessThanOrEqual(few + 10);
  });

  test('the first page of the documented types costs what that of all costs', async () => {
    const types = LOG_TYPES.filter(type => type !== 'otp_flagged');
    expect(blocksOf(await explain(large, { filter: { types } }))).toBeLessThan(BLOCKS_MAX);
  });

  test('passes by no sends to what was stopped, where nothing was', async () => {
    expect(blocksOf(await explain(large, { filter: { types: ['otp_blocked', 'otp_flagged'] } }))).toBeLessThan(
      BLOCKS_MAX,
    );
    expect(blocksOf(await explain(large, { filter: { type: 'otp_flagged' } }))).toBeLessThan(BLOCKS_MAX);
  });

  test('a page in the middle costs what the first one does', async () => {
    const before = new Date(midMonth(0).getTime() + 8_000);
    const middle = await listLogs(on.ctxFor(large.actor('unified')), { first: 1, filter: { to: before } });
    expect(middle.rows[0]?.id && toUuid(middle.rows[0].id) < uuidFloor(before)).toBe(true);
    const plans = await explain(large, { after: middle.endCursor });
    expect(blocksOf(plans)).toBeLessThan(BLOCKS_MAX);
    expect(plans.flatMap(nodesOf).map(node => node['Node Type'])).not.toContain('Sort');
  });

  test('a time range long ago is found at once', async () => {
    const filter = { to: new Date(midMonth(-1).getTime() + 1_000) };
    expect(blocksOf(await explain(large, { filter }))).toBeLessThan(BLOCKS_MAX);
  });

  test.each([
    ['recipient', { recipient: RARE.recipient }, 'attempts_account_id_recipient_id_idx'],
    ['pin', { pinId: RARE.pinId }, 'attempts_pin_id_idx'],
    ['error code', { errorCode: RARE.errorCode }, 'attempts_account_id_error_code_id_idx'],
  ] as const)('a rare %s is found by its index', async (_name, filter, index) => {
    const plans = await explain(large, { filter });
    expect(indexesOf(plans)).toEqual(new Set([index]));
    expect(blocksOf(plans)).toBeLessThan(BLOCKS_MAX);
  });

  test('a rare connection is found by its index', async () => {
    const plans = await explain(large, { filter: { connectionId: RARE.connectionId } });
    expect(indexesOf(plans)).toEqual(new Set(['attempts_connection_id_id_idx']));
    expect(blocksOf(plans)).toBeLessThan(BLOCKS_MAX);
  });

  const plansOf = (input: ListLogsInput) => explainVerb(on, large.actor('unified'), ctx => listLogs(ctx, input));
  const rowsOf = (plans: readonly PlanNode[]): number =>
    plans.flatMap(nodesOf).reduce((sum, node) => Math.max(sum, node['Actual Rows'] * node['Actual Loops']), 0);

  test.each<[string, LogFilter]>([
    ['provider', { provider: 'sandbox' }],
    ['country', { country: 'none' }],
    ['statuses', { statuses: ['sent', 'delivered'] }],
  ])('a page by %s that many have costs what the first one does', async (_name, filter) => {
    expect(blocksOf(await plansOf({ filter }))).toBeLessThan(BLOCKS_MAX);
  });

  test.each<[string, LogFilter]>([
    ['provider', { provider: 'smpp' }],
    ['country', { country: 'DE' }],
    ['status', { status: 'failed' }],
    ['sender', { sender: 'OTHER' }],
  ])(
    'a page by %s that few have looks at no more entries than a look has, and the next page goes on',
    async (_name, filter) => {
      expect(rowsOf(await plansOf({ filter }))).toBeLessThanOrEqual(LOOK);
      const ctx = on.ctxFor(large.actor('unified'));
      const page = await listLogs(ctx, { filter });
      expect(page).toMatchObject({ rows: [], hasNextPage: true });
      const next = await listLogs(ctx, { filter, after: page.endCursor });
      expect(next).toMatchObject({ hasNextPage: false });
      expect(next.rows).toHaveLength(filter.sender ? 0 : 1);
    },
  );

  const sendsOf = (account: TestAccount, input: ListLogsInput) =>
    explainVerb(on, account.actor('unified'), ctx => listSends(ctx, input));

  test('the first page by message costs the same for 100,000 entries as for 500', async () => {
    const [few, many] = [blocksOf(await sendsOf(small, {})), blocksOf(await sendsOf(large, {}))];
    expect(many).toBeLessThanOrEqual(2 * few);
    expect(rowsOf(await sendsOf(large, {}))).toBeLessThan(1_000);
  });

  test('a page by message that few have ends with the look, and the next page goes on', async () => {
    const filter = { country: 'DE', statuses: ['failed' as const] };
    const ctx = on.ctxFor(large.actor('unified'));
    const page = await listSends(ctx, { filter });
    expect(page).toMatchObject({ rows: [], hasNextPage: true });
    const next = await listSends(ctx, { filter, after: page.endCursor });
    expect(next).toMatchObject({ rows: [{ pinId: RARE.pinId }], hasNextPage: false });
  });

  test('what an index finds beside a filter that it does not have is found by it', async () => {
    const filter = { errorCode: RARE.errorCode, provider: 'smpp', country: 'DE' };
    const plans = await plansOf({ filter });
    expect(indexesOf(plans)).toEqual(new Set(['attempts_account_id_error_code_id_idx']));
    expect(blocksOf(plans)).toBeLessThan(BLOCKS_MAX);
  });

  test('a message is found by its index', async () => {
    const plans = await explain(large, { filter: { messageId: RARE.messageId } });
    expect(indexesOf(plans)).toEqual(new Set(['attempts_message_id_idx']));
    expect(blocksOf(plans)).toBeLessThan(BLOCKS_MAX);
  });

  test('a reference is found by the index of the messages', async () => {
    const filter = { reference: RARE.reference };
    const plans = await explain(large, { filter });
    expect(plans).toHaveLength(2);
    expect(indexesOf(plans)).toContain('attempts_message_id_idx');
    expect(blocksOf(plans)).toBeLessThan(BLOCKS_MAX);
    expect((await listLogs(on.ctxFor(large.actor('unified')), { filter })).rows).toHaveLength(1);
  });

  test('what an area has is found among much more of the others', async () => {
    const plans = await explain(large, {}, 'otp');
    expect(indexesOf(plans)).toEqual(new Set(['attempts_account_id_area_id_idx']));
    expect(blocksOf(plans)).toBeLessThan(BLOCKS_MAX);
    expect((await listLogs(on.ctxFor(large.actor('otp')), {})).rows).toHaveLength(1);
  });
});

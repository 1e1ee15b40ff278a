import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { listPeople } from '../../../src/modules/conversations/find-people.ts';
import { LOOK } from '../../../src/modules/conversations/search-people.sql.ts';
import { blocksOf, explainVerb, nodesOf, type PlanNode } from '../../support/databases/explain.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { idAt, makeAttempt, makeMessage, midMonth } from '../../support/logs/log-rows.ts';
import { makeAccount, type TestAccount } from '../../support/services.ts';

const on = setUpServices();
let account: TestAccount;

/** More than a page of a search looks at. */
const PEOPLE = 2_500;
const CHATTY = 12_000;

const FIRST = midMonth(-1).getTime();

const RARE = 'Your umbrella is found.';

beforeAll(async () => {
  account = await makeAccount(on);
  const uuid = toUuid(account.accountId);
  await on.sql(
    `with people as (
       insert into people (id, account_id, newest)
       select ${uuidAt('2')}, $1, ${uuidAt('1')} from generate_series(1, $3::int) n returning id
     ), addresses as (
       insert into person_addresses (account_id, value, kind, person_id, learned_at)
       select $1, ${NUMBER}, 'number', ${uuidAt('2')}, now() from generate_series(1, $3::int) n
     )
     insert into inbound_messages (id, account_id, channel, type, from_number, to_address, text, received_at)
     select ${uuidAt('1')}, $1, 'sms', 'text', ${NUMBER}, 'ACME', 'Where is my parcel?', now() from generate_series(1, $3::int) n`,
    [uuid, FIRST, PEOPLE],
  );
  // The one who wrote last wrote much.
  await on.sql(
    `insert into inbound_messages (id, account_id, channel, type, from_number, to_address, text, received_at)
     select ${uuidAt('3')}, $1, 'sms', 'text', '1202555${PEOPLE}', 'ACME', 'Hello?', now() from generate_series(1, $3::int) n`,
    [uuid, FIRST, CHATTY],
  );
  // The oldest person got the rare words.
  const createdAt = new Date(FIRST);
  const message = makeMessage(account.accountId, {
    id: idAt('msg', createdAt),
    recipient: '12025550001',
    text: RARE,
    createdAt,
  });
  const attempt = makeAttempt(account.accountId, {
    startedAt: createdAt,
    messageId: message.id,
    recipient: '12025550001',
  });
  await on.database.fork().persist([message, attempt]).flush();
  for (const table of ['people', 'person_addresses', 'inbound_messages', 'messages', 'attempts'])
    await on.sql(`vacuum analyze ${table}`);
});

/** The number of the n-th person. */
const NUMBER = `'1202555' || lpad(n::text, 4, '0')`;

/** A uuid of the millisecond n. */
function uuidAt(kind: string): string {
  return `(lpad(to_hex($2::bigint + n), 12, '0') || '7${kind}00' || '8' || substr(md5(n::text || $1::uuid), 1, 15))::uuid`;
}

const search = (words: string, after: string | null = null) =>
  listPeople(on.ctxFor(account.actor('management')), { after, filter: { search: words } });

const plansOf = (words: string) =>
  explainVerb(on, account.actor('management'), ctx => listPeople(ctx, { filter: { search: words } }));

/** The messages that were read: of a limit more are never seen. */
const messagesOf = (plans: readonly PlanNode[]): number =>
  plans
    .flatMap(nodesOf)
    .filter(node => node['Relation Name']?.startsWith('inbound_messages'))
    .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);

describe('the search of people', () => {
  test('ends its look where all people wrote much, and asks about nobody behind it', async () => {
    const busy = await makeAccount(on);
    const uuid = toUuid(busy.accountId);
    await on.sql(
      `with people as (
         insert into people (id, account_id, newest)
         select ${uuidAt('2')}, $1, ${uuidAt('1')} from generate_series(1, 60) n returning id
       )
       insert into person_addresses (account_id, value, kind, person_id, learned_at)
       select $1, ${NUMBER}, 'number', ${uuidAt('2')}, now() from generate_series(1, 60) n`,
      [uuid, FIRST],
    );
    await on.sql(
      `insert into inbound_messages (id, account_id, channel, type, from_number, to_address, text, received_at)
       select ${uuidAt('3')}, $1, 'sms', 'text', '1202555' || lpad((1 + n % 60)::text, 4, '0'), 'ACME', 'Hello?', now()
       from generate_series(1, 60000) n`,
      [uuid, FIRST],
    );
    for (const table of ['people', 'person_addresses', 'inbound_messages']) await on.sql(`vacuum analyze ${table}`);
    const plans = await explainVerb(on, busy.actor('management'), ctx =>
      listPeople(ctx, { first: 50, filter: { search: 'umbrella' } }),
    );
    expect(messagesOf(plans)).toBeLessThanOrEqual(LOOK + 1_000);
    const page = await listPeople(on.ctxFor(busy.actor('management')), { filter: { search: 'umbrella' } });
    expect(page).toMatchObject({ rows: [], hasNextPage: true });
  });

  test('reads no more messages than a look has, however many there are', async () => {
    const messages = messagesOf(await plansOf('umbrella'));
    expect(messages).toBeGreaterThan(1_000);
    expect(messages).toBeLessThan(LOOK);
  });

  test('ends as soon as a page is full', async () => {
    expect(blocksOf(await plansOf('parcel'))).toBeLessThan(blocksOf(await plansOf('umbrella')) / 5);
  });

  test('goes on behind a page without anybody, and finds the oldest person by what was sent', async () => {
    const page = await search('umbrella');
    expect(page).toMatchObject({ rows: [], hasNextPage: true });
    const next = await search('umbrella', page.endCursor);
    expect(next).toMatchObject({ rows: [{ to: '12025550001' }], hasNextPage: false });
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import type { SandboxArrival } from '../../../src/channels/sandbox/provider.ts';
import { newId, toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { clearPhones } from '../../../src/modules/sandbox/clear-phones.ts';
import { createSandboxPhones } from '../../../src/modules/sandbox/keep-arrivals.ts';
import { listSandboxMessages, SANDBOX_KEPT_MAX } from '../../../src/modules/sandbox/list-sandbox-messages.ts';
import { purgeSandboxMessages } from '../../../src/modules/sandbox/sandbox.jobs.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../../support/services.ts';

const t = setUpServices();

let attempts = 0;

function arrival(account: TestAccount, text: string, to = '12025550100'): SandboxArrival {
  attempts += 1;
  return {
    request: {
      attemptId: newId('att'),
      accountId: account.accountId,
      channel: 'sms',
      to,
      from: 'ACME',
      text,
      template: null,
      validitySeconds: null,
      tryNumber: 1,
    },
    providerMessageId: newId('sbx'),
    later: attempts % 2 === 0 ? 'delivered' : 'failed',
  };
}

/** Stores messages that arrived that many hours ago. */
async function seed(account: TestAccount, count: number, hoursAgo: number): Promise<void> {
  const floor = uuidFloor(new Date(Date.now() - hoursAgo * 3_600_000));
  await t.sql(
    `insert into sandbox_messages (id, account_id, recipient, channel, sender, text, created_at)
     select (left($2::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, '12025550100', 'sms', 'ACME', n::text, now()
     from generate_series(1, $3::int) n`,
    [toUuid(account.accountId), floor, count],
  );
}

const texts = async (account: TestAccount, input: Parameters<typeof listSandboxMessages>[1] = {}) =>
  (await listSandboxMessages(t.ctxFor(account.actor('unified')), input)).map(message => message.text);

describe('the phones', () => {
  test('keep what arrives together in one commit, with one job that reports all of them', async () => {
    const account = await makeAccount(t.services);
    const phones = createSandboxPhones(t.database, () => t.jobs);
    const arrivals = Array.from({ length: 30 }, (_, index) => arrival(account, `text ${index}`));
    await Promise.all(arrivals.map(one => phones.keepArrival(one)));

    const kept = await listSandboxMessages(t.ctxFor(account.actor('unified')), { first: 100 });
    expect(new Set(kept.map(message => message.id))).toEqual(new Set(arrivals.map(one => one.providerMessageId)));
    const jobs = await t.sql<{ receipts: unknown[]; wait: number }>(
      `select data->'receipts' as receipts, extract(epoch from start_after - created_on)::int as wait
       from pgboss.job where name = 'sandbox-receipts' and data::text like '%' || $1 || '%'`,
      [arrivals[0]?.providerMessageId],
    );
    expect(jobs).toEqual([
      {
        wait: 1,
        receipts: arrivals.map(({ request, providerMessageId, later }) => ({
          provider: 'sandbox',
          providerMessageId,
          attemptId: request.attemptId,
          status: later,
          errorCode: later === 'failed' ? 'undelivered' : null,
          errorMessage: later === 'failed' ? 'The phone did not take the message.' : null,
        })),
      },
    ]);
  });

  test('fail one arrival that cannot be kept and keep its neighbours', async () => {
    const account = await makeAccount(t.services);
    const phones = createSandboxPhones(t.database, () => t.jobs);
    const results = await Promise.allSettled([
      phones.keepArrival(arrival(account, 'one')),
      phones.keepArrival(arrival(account, 'not \u0000 storable')),
      phones.keepArrival(arrival(account, 'three')),
    ]);
    expect(results.map(result => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await texts(account)).toHaveLength(2);
  });
});

describe('clearing the phones', () => {
  test('deletes every text of the account, and none of another one', async () => {
    const [mine, other] = [await makeAccount(t.services), await makeAccount(t.services)];
    await seed(mine, 3, 1);
    await seed(other, 2, 2);
    expect(await clearPhones(t.ctxFor(mine.actor('management')))).toBe(3);
    expect([await texts(mine), (await texts(other)).length]).toEqual([[], 2]);
  });

  test('is refused to a token of another area', async () => {
    const account = await makeAccount(t.services);
    await expect(clearPhones(t.ctxFor(account.actor('sms')))).rejects.toMatchObject({ code: 'wrong_area' });
  });
});

describe('listing what arrived', () => {
  let account: TestAccount;
  beforeAll(async () => {
    account = await makeAccount(t.services);
    const phones = createSandboxPhones(t.database, () => t.jobs);
    await seed(account, 60, 1);
    await phones.keepArrival(arrival(account, 'elsewhere', '4915112345678'));
  });

  test('answers the newest first, 50 unless told', async () => {
    const found = await texts(account);
    expect(found).toHaveLength(50);
    expect(found.slice(0, 3)).toEqual(['elsewhere', '60', '59']);
  });

  test('answers as many as asked for', async () => {
    await expect(texts(account, { first: 2 })).resolves.toEqual(['elsewhere', '60']);
    await expect(texts(account, { first: 1_000 })).resolves.toHaveLength(61);
  });

  test('answers one phone, however its number is written', async () => {
    await expect(texts(account, { to: '+49 1511 2345678' })).resolves.toEqual(['elsewhere']);
    await expect(texts(account, { to: '4915112345678', first: null })).resolves.toEqual(['elsewhere']);
  });

  test('answers every field', async () => {
    const [message] = await listSandboxMessages(t.ctxFor(account.actor('management')), { to: '+4915112345678' });
    expect(message).toMatchObject({
      accountId: account.accountId,
      recipient: '4915112345678',
      channel: 'sms',
      sender: 'ACME',
      text: 'elsewhere',
      createdAt: expect.any(Date),
    });
  });

  test('never answers what is older than a day, though the job has not removed it yet', async () => {
    const other = await makeAccount(t.services);
    await seed(other, 2, 25);
    await seed(other, 1, 23);
    await expect(texts(other)).resolves.toHaveLength(1);
    await t.sql('delete from sandbox_messages where account_id = $1', [toUuid(other.accountId)]);
  });

  test('never answers what another account sent', async () => {
    const other = await makeAccount(t.services);
    await expect(texts(other)).resolves.toEqual([]);
  });

  test('is open to an operator who acts for the account', async () => {
    await expect(listSandboxMessages(t.ctxFor(account.operator), { first: 1 })).resolves.toHaveLength(1);
  });

  test.each(['sms', 'otp'] as const)('is closed to a token of the area %s', async area => {
    await expect(listSandboxMessages(t.ctxFor(account.actor(area)), {})).rejects.toMatchObject({ code: 'wrong_area' });
  });

  test('is closed to who shows no token', async () => {
    await expect(listSandboxMessages(t.ctxFor({ kind: 'anonymous' }), {})).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test.each([
    ['first', { first: 0 }],
    ['first', { first: 1_001 }],
    ['first', { first: 1.5 }],
    ['to', { to: 'nobody' }],
    ['to', { to: '' }],
  ])('refuses a bad %s: %j', async (field, input) => {
    await expect(listSandboxMessages(t.ctxFor(account.actor('unified')), input)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field }] },
    });
  });
});

describe('purging the phones', () => {
  test('deletes what is older than a day and keeps what is younger', async () => {
    const account = await makeAccount(t.services);
    await seed(account, 3, 25);
    await seed(account, 2, 23);
    await purgeSandboxMessages(t.ctxFor(OPERATOR));
    await expect(texts(account)).resolves.toEqual(['2', '1']);
    // Older texts would not be listed anyway: the rows tell.
    const rows = await t.sql('select 1 from sandbox_messages where account_id = $1', [toUuid(account.accountId)]);
    expect(rows).toHaveLength(2);
  });

  test('keeps the newest 1,000 of each account, in more than one chunk where there are many', async () => {
    const [crowded, full, other] = [
      await makeAccount(t.services),
      await makeAccount(t.services),
      await makeAccount(t.services),
    ];
    await seed(crowded, SANDBOX_KEPT_MAX + 5_001, 2);
    await seed(full, SANDBOX_KEPT_MAX, 2);
    await seed(other, 1, 3);
    await expect(purgeSandboxMessages(t.ctxFor(OPERATOR))).resolves.toBe(5_001);
    const kept = await texts(crowded, { first: SANDBOX_KEPT_MAX });
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([1_000, '6001', '5002']);
    await expect(texts(full, { first: SANDBOX_KEPT_MAX })).resolves.toHaveLength(SANDBOX_KEPT_MAX);
    await expect(texts(other)).resolves.toEqual(['1']);
  });

  test('does nothing where nothing is kept', async () => {
    await t.sql('delete from sandbox_messages');
    await expect(purgeSandboxMessages(t.ctxFor(OPERATOR))).resolves.toBe(0);
  });
});

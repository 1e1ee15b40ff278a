import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Receipt } from '../../../src/channels/contract.ts';
import { fromUuid, toUuid } from '../../../src/kernel/ids.ts';
import { STATUS_RANK, type Status } from '../../../src/kernel/status.ts';
import type { SendMessageInput } from '../../../src/modules/messaging/send-message.input.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';
import {
  createTestCtx,
  createTestServices,
  makeAccount,
  OPERATOR,
  openTestDatabase,
  storedMessage,
  type TestAccount,
  type TestServices,
} from '../../support/services.ts';

let t: TestServices;
let account: TestAccount;

beforeAll(async () => {
  // Phones that report nothing: here the receipts are the test's.
  t = await createTestServices({ sandbox: { keepArrival: async () => undefined } });
  account = await makeAccount(t.services);
});
afterAll(() => t.close());

const SMS: SendMessageInput = { to: '+12025550100', text: 'Hello', channels: ['sms'], sender: 'ACME' };
const ALL: SendMessageInput = {
  ...SMS,
  channels: ['chat_qr', 'sms'],
  chatFrom: '15550000001',
  deliveryMode: 'all',
};

interface Sent {
  readonly id: string;
  /** The provider's ids, by channel. */
  readonly ids: Readonly<Record<string, string>>;
}

async function send(input: SendMessageInput = SMS): Promise<Sent> {
  const message = await sendMessage(t.ctxFor(account.actor('unified')), input);
  const ids = (message.attempts ?? []).map(attempt => [attempt.channel, attempt.providerMessageId ?? '']);
  return { id: message.id, ids: Object.fromEntries(ids) };
}

function receipt(providerMessageId = '', status: Receipt['status'] = 'delivered', code?: string): Receipt {
  return {
    provider: 'sandbox',
    providerMessageId,
    status,
    errorCode: code ?? null,
    errorMessage: code ? `It was ${code}.` : null,
  };
}

const record = (...receipts: Receipt[]) => recordReceipts(t.ctxFor(OPERATOR), receipts);

/** Makes the attempts what a lost answer leaves: the provider knows an id, and we do not know whether it took them. */
async function forgetOutcome(sent: Sent): Promise<void> {
  for (const id of Object.values(sent.ids)) {
    // As if what was held had been released; the ledger cannot be rewritten while its triggers are on.
    await t.sql(`do $$ begin
      set local session_replication_role = replica;
      update accounts a set credits = a.credits - l.held from ledger l join attempts t on t.id = l.attempt_id
      where t.provider_message_id = '${id}' and l.kind = 'capture' and a.id = l.account_id;
      update ledger l set kind = 'release', credits = -l.held from attempts t
      where t.id = l.attempt_id and t.provider_message_id = '${id}' and l.kind = 'capture';
      set local session_replication_role = origin;
    end $$`);
    await t.sql(
      `update attempts set status = 'unknown', error_code = 'timeout', error_message = 'No answer.', credits = 0 where provider_message_id = $1`,
      [id],
    );
  }
  await t.sql(
    `update messages set status = 'unknown', channel = null
     where id in (select message_id from attempts where provider_message_id = $1)`,
    [Object.values(sent.ids)[0]],
  );
}

describe('recording receipts', () => {
  test('raises the attempt and its message', async () => {
    const sent = await send();
    await expect(record(receipt(sent.ids.sms))).resolves.toEqual(['raised']);
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'delivered',
      channel: 'sms',
      attempts: [{ status: 'delivered', error_code: null, credits: 1 }],
    });
  });

  test('keeps the error of a bad end, and the credits of what was accepted', async () => {
    const sent = await send();
    await expect(record(receipt(sent.ids.sms, 'failed', 'undelivered'))).resolves.toEqual(['raised']);
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'failed',
      attempts: [{ status: 'failed', error_code: 'undelivered', credits: 1 }],
    });
  });

  test('clears the error when a later delivery corrects a failure', async () => {
    const sent = await send();
    await record(receipt(sent.ids.sms, 'failed', 'undelivered'));
    await record(receipt(sent.ids.sms, 'delivered'));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'delivered',
      attempts: [{ status: 'delivered', error_code: null }],
    });
  });

  test('ignores what tells nothing new', async () => {
    const sent = await send();
    await record(receipt(sent.ids.sms, 'read'));
    await expect(record(receipt(sent.ids.sms, 'delivered'), receipt(sent.ids.sms, 'failed', 'late'))).resolves.toEqual([
      'ignored',
      'ignored',
    ]);
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'read',
      attempts: [{ status: 'read', error_code: null }],
    });
  });

  test('takes the best of several for one attempt, and says which one it was', async () => {
    const sent = await send();
    const results = await record(
      receipt(sent.ids.sms, 'sent'),
      receipt(sent.ids.sms, 'read'),
      receipt(sent.ids.sms, 'delivered'),
      receipt(sent.ids.sms, 'read'),
    );
    expect(results).toEqual(['ignored', 'raised', 'ignored', 'ignored']);
  });

  test.each(['delivered', 'failed'] as const)(
    'raises both of two attempts with one id, where receipts name them: %s',
    async status => {
      const sent = [await send(), await send()];
      const rows = await t.sql<{ id: string }>(
        `update attempts set provider_message_id = 'gw-again-${status}' where message_id = any($1) returning id`,
        [sent.map(({ id }) => toUuid(id))],
      );
      const receipts = rows.map(({ id }) => ({
        ...receipt(`gw-again-${status}`, status),
        attemptId: fromUuid('att', id),
      }));
      expect(await record(...receipts)).toEqual(['raised', 'raised']);
      for (const { id } of sent) expect(await storedMessage(t, id)).toMatchObject({ attempts: [{ status }] });
    },
  );

  test('takes the best of several for one attempt, where one names it', async () => {
    const sent = await send();
    const [attempt] = await t.sql<{ id: string }>('select id from attempts where message_id = $1', [toUuid(sent.id)]);
    const attemptId = fromUuid('att', attempt?.id ?? '');
    const failed = [receipt(sent.ids.sms, 'failed'), { ...receipt(sent.ids.sms, 'expired'), attemptId }];
    expect((await record(...failed)).toSorted()).toEqual(['ignored', 'raised']);
    const arrived = [receipt(sent.ids.sms, 'delivered'), { ...receipt(sent.ids.sms, 'read'), attemptId }];
    expect(await record(...arrived)).toEqual(['ignored', 'raised']);
    expect(await storedMessage(t, sent.id)).toMatchObject({ status: 'read', attempts: [{ status: 'read' }] });
  });

  test('answers unmatched for an id that nobody knows, and records its neighbours', async () => {
    const sent = await send();
    const other: Receipt = { ...receipt(sent.ids.sms), provider: 'another' };
    await expect(record(receipt('sbx_nobody'), other, receipt(sent.ids.sms))).resolves.toEqual([
      'unmatched',
      'unmatched',
      'raised',
    ]);
  });

  test('answers unmatched for an id that could not be stored, and records its neighbours', async () => {
    const sent = await send();
    await expect(record(receipt('a\u0000b'), receipt('\ud800'), receipt(sent.ids.sms))).resolves.toEqual([
      'unmatched',
      'unmatched',
      'raised',
    ]);
  });

  test('stores what can be stored of a message of the provider', async () => {
    const sent = await send();
    await record({ ...receipt(sent.ids.sms, 'failed', 'undelivered'), errorMessage: 'a\u0000b\ud800' });
    const rows = await t.sql<{ error_message: string }>(
      'select error_message from attempts where provider_message_id = $1',
      [sent.ids.sms],
    );
    expect(rows).toEqual([{ error_message: 'ab\ufffd' }]);
  });

  test('does nothing for no receipts', async () => {
    await expect(record()).resolves.toEqual([]);
  });

  test('counts results by provider', async () => {
    const sent = await send();
    t.services.metrics.receipts.reset();
    await record(receipt(sent.ids.sms), receipt(sent.ids.sms), receipt('sbx_nobody'));
    const { values } = await t.services.metrics.receipts.get();
    expect(values.map(({ labels, value }) => [labels.provider, labels.result, value]).sort()).toEqual([
      ['sandbox', 'ignored', 1],
      ['sandbox', 'raised', 1],
      ['sandbox', 'unmatched', 1],
    ]);
  });
});

describe('a message of several attempts', () => {
  test('is as good as the best of them', async () => {
    const sent = await send(ALL);
    await record(receipt(sent.ids.chat_qr, 'failed', 'gone'));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ status: 'sent', channel: 'chat_qr' });
    await record(receipt(sent.ids.sms, 'delivered'));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ status: 'delivered', channel: 'chat_qr' });
  });

  test('is failed when the last of them failed', async () => {
    const sent = await send(ALL);
    await record(receipt(sent.ids.chat_qr, 'failed', 'gone'), receipt(sent.ids.sms, 'expired'));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ status: 'expired' });
  });

  test('stays pending while an attempt is under way', async () => {
    const sent = await send(ALL);
    await t.sql(`update attempts set status = 'pending' where provider_message_id = $1`, [sent.ids.sms]);
    await t.sql(
      `update messages set status = 'pending' where id = (select message_id from attempts where provider_message_id = $1)`,
      [sent.ids.sms],
    );
    await record(receipt(sent.ids.chat_qr, 'failed', 'gone'));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ status: 'pending' });
  });
});

/** Makes the attempts what a refused hand-over leaves: nothing held, and no id of the provider. Answers their ids. */
async function failHandOver(sent: Sent): Promise<string[]> {
  await forgetOutcome(sent);
  const failed = await t.sql<{ id: string }>(
    `update attempts set status = 'failed', error_code = 'http_503', error_message = 'Busy.', provider_message_id = null
     where provider_message_id = any($1) returning 'att_' || replace(id::text, '-', '') as id`,
    [Object.values(sent.ids)],
  );
  await t.sql(`update messages set status = 'failed' where id = $1`, [toUuid(sent.id)]);
  return failed.map(({ id }) => id);
}

describe('an attempt that had failed', () => {
  test('is delivered, and charged once, where a receipt proves that the provider took it', async () => {
    const sent = await send();
    const [attemptId = ''] = await failHandOver(sent);
    const before = await balanceOf();
    const late = { ...receipt('gw-1'), attemptId };
    await expect(record(late)).resolves.toEqual(['raised']);
    await expect(record(late, { ...late, status: 'read' })).resolves.toEqual(['ignored', 'raised']);
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'read',
      channel: 'sms',
      attempts: [{ status: 'read', error_code: null, credits: 1 }],
    });
    await expect(balanceOf()).resolves.toBe(before - 1);
  });

  test('stays failed where a receipt says that it failed or was sent', async () => {
    const sent = await send();
    const [attemptId = ''] = await failHandOver(sent);
    const said = ['failed', 'expired', 'sent'] as const;
    const results = await record(...said.map(status => ({ ...receipt(`gw-${status}`, status), attemptId })));
    expect(results).not.toContain('raised');
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'failed',
      attempts: [{ status: 'failed', error_code: 'http_503', credits: 0 }],
    });
    const [row] = await t.sql('select provider_message_id as id from attempts where id = $1', [toUuid(attemptId)]);
    expect(row).toEqual({ id: null });
  });

  test('is answered as it was at first to a repeat of its request', async () => {
    const input: SendMessageInput = { ...SMS, to: '+12025550101', reference: 'late-proof' };
    const first = await sendMessage(t.ctxFor(account.actor('unified')), input);
    const [attempt] = first.attempts ?? [];
    expect(attempt).toMatchObject({ status: 'failed', providerMessageId: null });
    await expect(record({ ...receipt('gw-repeat'), attemptId: attempt?.id ?? '' })).resolves.toEqual(['raised']);
    const again = await sendMessage(t.ctxFor(account.actor('unified')), input);
    expect(again).toMatchObject({
      id: first.id,
      status: 'failed',
      channel: null,
      attempts: [{ status: 'failed', errorCode: attempt?.errorCode, errorMessage: attempt?.errorMessage, credits: 0 }],
    });
  });
});

async function balanceOf(): Promise<number> {
  const [row] = await t.sql<{ credits: number }>('select credits from accounts where id = $1', [
    toUuid(account.accountId),
  ]);
  return Number(row?.credits);
}

describe('an attempt whose outcome is unknown', () => {
  test('costs its segments, and names the channel, once a receipt proves that it was accepted', async () => {
    const sent = await send({ ...SMS, text: 'x'.repeat(200) });
    await forgetOutcome(sent);
    await expect(record(receipt(sent.ids.sms))).resolves.toEqual(['raised']);
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'delivered',
      channel: 'sms',
      attempts: [{ status: 'delivered', error_code: null, credits: 2 }],
    });
  });

  test('learns its id from a receipt that names it, and is found by that from then on', async () => {
    const sent = await send();
    await forgetOutcome(sent);
    const [row] = await t.sql<{ id: string }>(
      'update attempts set provider_message_id = null where provider_message_id = $1 returning id',
      [sent.ids.sms],
    );
    const attemptId = fromUuid('att', row?.id ?? '');
    await expect(record(receipt(sent.ids.sms))).resolves.toEqual(['unmatched']);
    await expect(record({ ...receipt(sent.ids.sms, 'sent'), attemptId })).resolves.toEqual(['ignored']);
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ status: 'unknown', attempts: [{ credits: 0 }] });
    await expect(record({ ...receipt('another', 'sent'), attemptId })).resolves.toEqual(['ignored']);
    await expect(record(receipt(sent.ids.sms))).resolves.toEqual(['raised']);
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'delivered',
      attempts: [{ status: 'delivered', credits: 1 }],
    });
  });

  test('has the id of the receipt that raises it, beside one that tells less', async () => {
    const sent = await send();
    await forgetOutcome(sent);
    const [row] = await t.sql<{ id: string }>(
      'update attempts set provider_message_id = null where provider_message_id = $1 returning id',
      [sent.ids.sms],
    );
    const attemptId = fromUuid('att', row?.id ?? '');
    await record({ ...receipt('less', 'sent'), attemptId }, { ...receipt('more'), attemptId });
    await expect(record(receipt('more', 'read'))).resolves.toEqual(['raised']);
  });

  test('costs the same where a failure was reported before the proof', async () => {
    const sent = await send();
    await forgetOutcome(sent);
    await record(receipt(sent.ids.sms, 'failed', 'gone'));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ status: 'failed', attempts: [{ credits: 0 }] });
    await record(receipt(sent.ids.sms, 'read'));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({
      status: 'read',
      channel: 'sms',
      attempts: [{ credits: 1 }],
    });
  });

  test('costs nothing on a chat channel', async () => {
    const sent = await send(ALL);
    await forgetOutcome(sent);
    await record(receipt(sent.ids.chat_qr), receipt(sent.ids.sms, 'failed', 'gone'));
    const stored = await storedMessage(t, sent.id);
    expect(stored).toMatchObject({ status: 'delivered', channel: 'chat_qr' });
    expect(stored.attempts.map(attempt => attempt.credits)).toEqual([0, 0]);
  });

  test('names the first channel of the route of those that are proven together', async () => {
    const sent = await send(ALL);
    await forgetOutcome(sent);
    await record(receipt(sent.ids.sms), receipt(sent.ids.chat_qr));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ channel: 'chat_qr' });
  });

  test('keeps its error where a failure without one follows', async () => {
    const sent = await send();
    await forgetOutcome(sent);
    await record(receipt(sent.ids.sms, 'failed'));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ attempts: [{ error_code: 'timeout' }] });
  });

  test('leaves the channel to the routing while that goes on', async () => {
    const sent = await send(ALL);
    await t.sql(
      `update messages set status = 'pending', channel = null, lease_until = now() + interval '30 seconds'
       where id = (select message_id from attempts where provider_message_id = $1)`,
      [sent.ids.sms],
    );
    await record(receipt(sent.ids.sms));
    await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ status: 'delivered', channel: null });
  });
});

describe('receipts in any order', () => {
  const statuses: Receipt['status'][] = ['sent', 'delivered', 'read', 'failed'];
  const anyReceipt = fc.record({ channel: fc.constantFrom('chat_qr', 'sms'), status: fc.constantFrom(...statuses) });
  /** The facts, and two ways in which the news of them may arrive: other orders, repeats, other groups. */
  const news = fc
    .uniqueArray(anyReceipt, { minLength: 1, maxLength: 6, selector: ({ channel, status }) => `${channel} ${status}` })
    .chain(facts => {
      const arrival = fc
        .shuffledSubarray([...facts, ...facts], { minLength: facts.length * 2 })
        .chain(order => fc.tuple(fc.constant(order), fc.array(fc.nat({ max: order.length }), { maxLength: 3 })));
      return fc.tuple(arrival, arrival, fc.boolean());
    });
  type Arrival = [{ channel: string; status: Receipt['status'] }[], number[]];

  async function replay([order, cuts]: Arrival, unknown: boolean) {
    const sent = await send(ALL);
    if (unknown) await forgetOutcome(sent);
    const bounds = [0, ...cuts.sort((a, b) => a - b), order.length];
    let former = await storedMessage(t, sent.id);
    for (const [index, start] of bounds.slice(0, -1).entries()) {
      const group = order.slice(start, bounds[index + 1]);
      await record(
        ...group.map(({ channel, status }) =>
          receipt(sent.ids[channel], status, status === 'failed' ? 'undelivered' : undefined),
        ),
      );
      const stored = await storedMessage(t, sent.id);
      expect(rankOf(stored.status)).toBeGreaterThanOrEqual(rankOf(former.status));
      for (const [position, attempt] of stored.attempts.entries()) {
        expect(rankOf(attempt.status)).toBeGreaterThanOrEqual(rankOf(former.attempts[position]?.status ?? 'pending'));
      }
      former = stored;
    }
    const attempts = former.attempts.map(({ provider_message_id: _, ...rest }) => rest);
    return { status: former.status, attempts: attempts.sort((a, b) => a.channel.localeCompare(b.channel)) };
  }

  test('come to the same end, and never go down on the way', async () => {
    await assertProperty(
      fc.asyncProperty(news, async ([one, other, unknown]) => {
        expect(await replay(one, unknown)).toEqual(await replay(other, unknown));
      }),
      { numRuns: rounds({ usual: 25, long: 100 }) },
    );
  });
});

function rankOf(status: string): number {
  return STATUS_RANK[status as Status];
}

describePostgres('receipts from two processes', () => {
  test('of one message at once leave it at the best of its attempts', async () => {
    const other = await openTestDatabase(t.testDatabase);
    const otherCtx = () => createTestCtx({ ...t.services, database: other }, OPERATOR);
    try {
      for (let round = 0; round < 20; round++) {
        const sent = await send(ALL);
        const results = await Promise.all([
          record(receipt(sent.ids.chat_qr, 'failed', 'gone')),
          recordReceipts(otherCtx(), [receipt(sent.ids.sms, 'failed', 'gone')]),
        ]);
        expect(results).toEqual([['raised'], ['raised']]);
        await expect(storedMessage(t, sent.id)).resolves.toMatchObject({ status: 'failed' });
      }
    } finally {
      await other.close();
    }
  });

  test('of the same messages in opposite orders do not deadlock', async () => {
    const other = await openTestDatabase(t.testDatabase);
    try {
      const sent = await Promise.all(Array.from({ length: 20 }, () => send()));
      const receipts = sent.map(({ ids }) => receipt(ids.sms));
      const results = await Promise.all([
        record(...receipts),
        recordReceipts(createTestCtx({ ...t.services, database: other }, OPERATOR), receipts.toReversed()),
      ]);
      expect(results.flat().filter(result => result === 'raised')).toHaveLength(20);
    } finally {
      await other.close();
    }
  });
});

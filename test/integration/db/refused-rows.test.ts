import { describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { type AcceptItem, accept } from '../../../src/modules/messaging/accept.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { isChannelAttempt } from '../../../src/modules/routing/attempt.entity.ts';
import { setUpServices, setUpSharedAccount } from '../../support/fixtures.ts';
import { makeAttempt, makeMessage } from '../../support/logs/log-rows.ts';

const on = setUpServices();
const account = setUpSharedAccount(on);

/** A send as it is handed to the batch, with values that the edges would never let through. */
function makeItem(given: { text?: string; reference?: string; messageId?: string } = {}): AcceptItem {
  const message = makeMessage(account.accountId, {
    status: 'pending',
    channel: null,
    reference: given.reference ?? null,
    ...(given.text === undefined ? {} : { text: given.text }),
  });
  message.id = given.messageId ?? message.id;
  const attempt = makeAttempt(account.accountId, { messageId: message.id, status: 'pending', finishedAt: null });
  return { message, attempts: [attempt].filter(isChannelAttempt), fingerprint: 'f'.repeat(64), erased: '' };
}

async function storedIds(items: readonly AcceptItem[]): Promise<Set<string>> {
  const rows = await on.sql<{ id: string }>(
    'select id from messages where id in (select value::uuid from json_array_elements_text($1::json))',
    [JSON.stringify(items.map(item => toUuid(item.message.id)))],
  );
  return new Set(rows.map(row => row.id));
}

async function acceptAll(items: readonly AcceptItem[]): Promise<string[]> {
  const results = await Promise.allSettled(items.map(item => accept(on.database)(item)));
  return results.map(result => (result.status === 'rejected' ? 'failed' : result.value.kind));
}

describe('a row that the database refuses', () => {
  test.each<[string, Parameters<typeof makeItem>[0]]>([
    ['a text with NUL', { text: 'a\u0000b' }],
    ['a key outside of every partition', { messageId: 'msg_00000000000070008000000000000000' }],
    ['a reference with NUL', { reference: 'a\u0000b' }],
  ])('fails alone among fifty that are accepted: %s', async (_name, poison) => {
    const good = Array.from({ length: 50 }, (_, index) => makeItem({ reference: newId('key') + index }));
    const items = [...good.slice(0, 25), makeItem(poison), ...good.slice(25)];
    const kinds = await acceptAll(items);
    expect(kinds[25]).toBe('failed');
    expect(kinds.filter(kind => kind === 'accepted')).toHaveLength(50);
    await expect(storedIds(items)).resolves.toEqual(new Set(good.map(item => toUuid(item.message.id))));
  });

  test('fails alone where it is the same message twice', async () => {
    const first = makeItem();
    await acceptAll([first]);
    const again: AcceptItem = { ...makeItem({ messageId: first.message.id }), attempts: [] };
    const good = Array.from({ length: 50 }, () => makeItem());
    const kinds = await acceptAll([again, ...good]);
    expect(kinds).toEqual(['failed', ...good.map(() => 'accepted')]);
  });

  test('fails alone while outcomes are settled', async () => {
    const items = Array.from({ length: 20 }, () => makeItem());
    const leases = await Promise.all(items.map(item => accept(on.database)(item)));
    const results = await Promise.allSettled(
      items.map((item, index) => {
        const accepted = leases[index];
        const settled = item.attempts.map(attempt =>
          Object.assign(attempt, {
            status: 'sent' as const,
            providerMessageId: index === 7 ? 'a\u0000' : newId('sbx'),
            finishedAt: new Date(),
          }),
        );
        return MESSAGE.settle(on.database)({
          send: item.message,
          lease: accepted?.kind === 'accepted' ? accepted.lease : '',
          settled,
          next: null,

          outcome: { status: 'sent', channel: 'sms', kept: null },
        });
      }),
    );
    expect(results.map(result => result.status)).toEqual(
      items.map((_item, index) => (index === 7 ? 'rejected' : 'fulfilled')),
    );
    const rows = await on.sql<{ status: string; count: number }>(
      `select status, count(*)::int as count from messages
       where id in (select value::uuid from json_array_elements_text($1::json)) group by status order by status`,
      [JSON.stringify(items.map(item => toUuid(item.message.id)))],
    );
    expect(rows).toEqual([
      { status: 'pending', count: 1 },
      { status: 'sent', count: 19 },
    ]);
  });

  test('is told to nobody but its caller, and holds up nothing that comes after', async () => {
    await acceptAll([makeItem({ text: '\u0000' })]);
    await expect(acceptAll([makeItem()])).resolves.toEqual(['accepted']);
  });
});

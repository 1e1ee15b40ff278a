import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { storedMessage } from '../../../support/services.ts';
import { setUpTelling } from '../../../support/webhooks/event-fixture.ts';
import { makeEndpoint, storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { account, answerWith, names, report, send, sendBoth, t } = setUpTelling();

describe('the deliveries of an event', () => {
  test('one for each endpoint that subscribes', async () => {
    const [first, second] = await Promise.all([
      makeEndpoint(t, account.accountId, { events: ['message.sent'] }),
      makeEndpoint(t, account.accountId, { events: ['message.sent', 'sms.sent'] }),
    ]);
    await send();
    expect((await storedDeliveries(t, first.endpointId)).map(({ event }) => event)).toEqual(['message.sent']);
    expect((await storedDeliveries(t, second.endpointId)).map(({ event }) => event)).toEqual([
      'sms.sent',
      'message.sent',
    ]);
  });

  test('wait for an endpoint that is paused', async () => {
    const { endpointId } = await makeEndpoint(t, account.accountId, { events: ['message.sent'], status: 'paused' });
    await send();
    expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'pending', tries: 0 }]);
  });

  test('are kept, given up, for one that is disabled', async () => {
    const { endpointId } = await makeEndpoint(t, account.accountId, { events: ['message.sent'], status: 'disabled' });
    await send();
    expect(await storedDeliveries(t, endpointId)).toMatchObject([
      { status: 'dead', error: 'endpoint_disabled', next_in: null },
    ]);
  });

  test('a listener has events written, and no delivery', async () => {
    await t.sql(
      `insert into webhook_listeners (id, account_id, events, expires_at) values (gen_random_uuid(), $1, '{message.sent}', now() + interval '30 s')`,
      [toUuid(account.accountId)],
    );
    await send();
    expect(await names()).toEqual(['message.sent']);
    expect(await t.sql('select 1 from webhook_deliveries where account_id = $1', [toUuid(account.accountId)])).toEqual(
      [],
    );
  });
});

test('a receiver that ignores what is older ends where the gateway is, in whatever order events come', async () => {
  await makeEndpoint(t, account.accountId, { events: ['message.sent', 'message.failed', 'message.routed'] });
  const reports = fc.array(fc.constantFrom('delivered', 'failed', 'sent'), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(reports, fc.infiniteStream(fc.nat()), async (statuses, order) => {
      const { id, attempts } = await send();
      for (const status of statuses) await report(attempts?.[0]?.providerMessageId, status);
      const told = await t.sql<{ at: string; status: string }>(
        `select to_char(created_at, 'YYYY-MM-DD HH24:MI:SS.US') as at, data::json->>'status' as status
         from webhook_events where data::json->>'messageId' = $1`,
        [id],
      );
      expect(new Set(told.map(({ at }) => at)).size).toBe(told.length);
      const shuffled = told.map(event => ({ event, place: order.next().value ?? 0 })).sort((a, b) => a.place - b.place);
      let last = { at: '', status: '' };
      for (const { event } of shuffled) if (event.at > last.at) last = event;
      const { status } = await storedMessage(t, id);
      // What a receipt only confirms is not told again: delivered is sent.
      expect(last.status === 'failed').toBe(status === 'failed');
    }),
    { numRuns: 30 },
  );
});

test('an event stays below 20 KB, whatever a provider writes', async () => {
  await makeEndpoint(t, account.accountId);
  const words = '\u0001😀'.repeat(20_000);
  answerWith(() => ({ kind: 'rejected', code: words, message: words }));
  await sendBoth('fallback');
  const rows = await t.sql<{ size: number }>(
    'select octet_length(data) as size from webhook_events where account_id = $1',
    [toUuid(account.accountId)],
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { size } of rows) expect(size).toBeLessThan(19_000);
});

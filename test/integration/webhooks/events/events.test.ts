import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { setUpTelling } from '../../../support/webhooks/event-fixture.ts';
import { makeEndpoint, storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { account, answerWith, names, send, sendBoth, t } = setUpTelling();

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

import { expect, test } from 'vitest';
import { fromUuid, newId, toUuid } from '../../../src/kernel/ids.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { openPeer } from '../../support/providers/http-peer.ts';
import {
  VONAGE_ACCOUNT,
  vonagePart,
  vonageProtocol,
  vonageRefusal,
  vonageReply,
} from '../../support/providers/vonage-peer.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

/** Sends a text of which Vonage says this, and answers how Vonage reports about a part, and the attempt as it is then. */
async function send(...parts: Record<string, string>[]) {
  const peer = await openPeer(vonageProtocol);
  peer.say(vonageReply(...parts));
  await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: customer.accountId,
    provider: 'vonage',
    channel: 'sms',
    name: 'Vonage',
    config: { ...VONAGE_ACCOUNT, baseUrl: peer.origin },
  });
  await on.app.services.providers.refresh();
  const { body } = await on.rest('POST', '/api/sms/send', {
    token: customer.tokens.sms,
    body: { to: `+${newRecipient()}`, text: 'a'.repeat(300), sender: 'ACME' },
  });
  const [form] = peer.received.map(received => received.form);
  return async (part: Record<string, string> | undefined, status: string) => {
    const said = { messageId: part?.['message-id'] ?? '', 'client-ref': form?.get('client-ref') ?? '', status };
    const path = new URL(form?.get('callback') ?? '').pathname;
    expect((await on.rest('GET', `${path}?${new URLSearchParams(said)}`)).status).toBe(200);
    const [row] = await on.sql<{ status: string }>('select status from attempts where message_id = $1', [
      toUuid(String(body.data?.messageId)),
    ]);
    return row?.status;
  };
}

test('a text of which Vonage took all parts is delivered once all are', async () => {
  const parts = [vonagePart(), vonagePart()];
  const report = await send(...parts);
  expect(await report(parts[0], 'delivered')).toBe('sent');
  expect(await report(parts[1], 'delivered')).toBe('delivered');
});

test('a text of which Vonage refused a part is never delivered', async () => {
  const parts = [vonagePart(), vonageRefusal('1', 'Throttled'), vonagePart()];
  const report = await send(...parts);
  expect(await report(parts[0], 'delivered')).toBe('unknown');
  expect(await report(parts[2], 'delivered')).toBe('unknown');
});

test('a text of which Vonage refused a part is failed where another one is', async () => {
  const parts = [vonagePart(), vonageRefusal('1', 'Throttled')];
  const report = await send(...parts);
  expect(await report(parts[0], 'failed')).toBe('failed');
});

test.each(['failed', 'delivered'] as const)(
  'an id of a part that is given again, to a newer text, reports of that one alone: %s',
  async status => {
    const parts = [vonagePart(), vonagePart()];
    await send(...parts);
    const own = [toUuid(customer.accountId)];
    const [long] = await on.sql<{ id: string; connection_id: string }>(
      'select id, connection_id from attempts where account_id = $1',
      own,
    );
    const connectionId = fromUuid('con', long?.connection_id ?? '');
    // A text of one part has no row of parts.
    await on.sql(
      `insert into attempts select (jsonb_populate_record(a, jsonb_build_object('id', $2::text, 'provider_message_id', $3::text, 'message_id', null))).*
       from attempts a where account_id = $1`,
      [...own, toUuid(newId('att')), parts[1]?.['message-id']],
    );
    const receipts = parts.map(part => ({
      ...{ provider: 'vonage', connectionId, providerMessageId: part['message-id'] ?? '', attemptId: null },
      ...{ status, errorCode: null, errorMessage: null },
    }));
    const statuses = async () =>
      (await on.sql<{ status: string }>('select status from attempts where account_id = $1 order by id', own)).map(
        row => row.status,
      );
    await recordReceipts(on.app.makeCtx(OPERATOR, 'test'), receipts.slice(1));
    expect(await statuses()).toEqual(['sent', status]);
    // The other part has its id still, and alone it makes no text arrive.
    await recordReceipts(on.app.makeCtx(OPERATOR, 'test'), receipts);
    expect(await statuses()).toEqual([status === 'failed' ? 'failed' : 'sent', status]);
  },
);

import { expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
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

import { beforeAll, describe, expect, test } from 'vitest';
import { createConnection, shownReceiptsUrl } from '../../../src/modules/connections/manage-connections.ts';
import { listInbound } from '../../../src/modules/inbound/list-inbound.ts';
import { oncePerFile, setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { KANNEL_USER, type Kannel, startKannel } from '../../support/kannel/kannel.ts';
import { until } from '../../support/processes/gateway.ts';
import { gatewayConfig } from '../../support/providers/gateway-peer.ts';
import { OPERATOR } from '../../support/services.ts';
import { missing, startPerlSmsc } from '../../support/smpp/programs.ts';

const absent = missing(['libnet-smpp-perl', 'kannel']);

const on = setUpApp();
const customer = setUpCustomer(on);

describe.skipIf(absent !== null)('a phone, an SMSC, Kannel, and the address of what people write', () => {
  const smsc = oncePerFile(
    () => startPerlSmsc(),
    peer => peer[Symbol.asyncDispose](),
  );
  let kannel: Kannel;

  beforeAll(async () => {
    await on.app.start();
    const ctx = on.app.makeCtx(OPERATOR, 'test');
    const inbound = { from: 'query:from', to: 'query:to', text: 'query:text', messageId: 'query:id' };
    const connection = await createConnection(ctx, {
      accountId: customer.accountId,
      provider: 'http-sms',
      channel: 'sms',
      name: 'Kannel',
      config: { ...gatewayConfig('http://127.0.0.1:9'), inbound },
    });
    await on.app.services.providers.refresh();
    const url = `${shownReceiptsUrl(ctx, connection)}/inbound`;
    kannel = await startKannel({ port: smsc.port, user: 'gateway', password: 'secret' }, url);
    return () => kannel[Symbol.asyncDispose]();
  });

  test.each([
    ['12025550110', '0', 'Yes & no, 100 % é €'],
    ['12025550120', '2', 'Да 👍'],
    ['12025550130', '0', 'All that a phone can write: é, €, {}. '.repeat(10).trim()],
  ])('bring what %s writes in the coding %s: %j', async (phone, coding, text) => {
    const query = { ...KANNEL_USER, from: '15550000001', to: phone, text, coding, charset: 'UTF-8' };
    const sent = await fetch(`${kannel.sendsmsUrl}?${new URLSearchParams(query)}`);
    expect(sent.status).toBe(202);
    const message = await until('the answer is there', async () => {
      const filter = { recipient: `+${phone}` };
      const { rows } = await listInbound(on.app.makeCtx(customer.actor('unified'), 'test'), { filter });
      return rows[0] ?? null;
    });
    expect(message).toMatchObject({ fromNumber: phone, toAddress: '15550000001', text });
  });
});

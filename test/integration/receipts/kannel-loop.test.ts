import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { oncePerFile, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { startKannel } from '../../support/kannel/kannel.ts';
import { until } from '../../support/processes/gateway.ts';
import { gatewayConfig } from '../../support/providers/gateway-peer.ts';
import { OPERATOR } from '../../support/services.ts';
import { missing, startPerlSmsc } from '../../support/smpp/programs.ts';

const absent = missing(['libnet-smpp-perl', 'kannel']);

const on = setUpApp();
const customer = setUpOwnCustomer(on);

describe.skipIf(absent !== null)(
  'the config of the contract: the gateway, Kannel, an SMSC, and back by the receipts URL',
  () => {
    const smsc = oncePerFile(
      () => startPerlSmsc(),
      peer => peer[Symbol.asyncDispose](),
    );
    const kannel = oncePerFile(
      () => startKannel({ port: smsc.port, user: 'gateway', password: 'secret' }),
      peer => peer[Symbol.asyncDispose](),
    );

    // The gateway listens: Kannel reports to it over HTTP.
    beforeAll(async () => void (await on.app.start()));

    test.each([
      ['0', 'delivered', null],
      ['5', 'failed', '2'],
      ['6', 'expired', '34'],
    ])('a text to …%s is reported as %s', async (digit, status, code) => {
      const { origin } = new URL(kannel.sendsmsUrl);
      await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
        accountId: customer.accountId,
        provider: 'http-sms',
        channel: 'sms',
        name: 'Kannel',
        config: { ...gatewayConfig(origin, 'foobar') },
      });
      const { body } = await on.rest('POST', '/api/sms/send', {
        token: customer.tokens.sms,
        body: { to: `+4917012345${digit}${digit}`, text: 'Grüße & more = 100 %', sender: 'ACME' },
      });
      expect(body.data).toMatchObject({ status: 'sent', attempts: [{ provider: 'http-sms', credits: 1 }] });
      const attempt = await until(`the attempt is ${status}`, async () => {
        const [row] = await on.sql<{ status: string; error_code: string | null }>(
          'select status, error_code from attempts where account_id = $1',
          [toUuid(customer.accountId)],
        );
        return row?.status === status ? row : null;
      });
      expect(attempt.error_code).toBe(code);
    });
  },
);

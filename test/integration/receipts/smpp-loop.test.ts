import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { restRequest } from '../../support/app.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { until } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { OPERATOR } from '../../support/services.ts';
import { missing, type PerlSmsc, startPerlSmsc } from '../../support/smpp/programs.ts';

const absent = missing(['libnet-smpp-perl']);

const on = setUpApp();
const customer = setUpOwnCustomer(on);
// With its worker: a receipt may come before its text is stored.
beforeAll(async () => void (await on.app.start()));

/** Connects an SMSC for the customer, and waits until it is bound. */
async function connect(smsc: PerlSmsc, more: object = {}): Promise<string> {
  const { id } = await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: customer.accountId,
    provider: 'smpp',
    channel: 'sms',
    name: 'Carrier',
    config: { host: '127.0.0.1', port: smsc.port, systemId: 'gateway', password: 'secret', window: 100, ...more },
  });
  const { providers } = on.app.services;
  await providers.refresh();
  // Whoever is given the provider connects it.
  expect(providers.of(id)).not.toBeNull();
  await until('the connection is up', async () => {
    const [row] = await on.sql<{ health: string }>('select health from connections where id = $1', [toUuid(id)]);
    return row?.health === 'up' ? row : null;
  });
  return id;
}

const send = (to: string, text = 'Hello', more: object = {}) =>
  on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body: { to, text, sender: 'ACME', ...more } });

interface StoredAttempt {
  readonly status: string;
  readonly error_code: string | null;
  readonly credits: number;
  readonly provider: string;
}

/** Waits until the newest attempt of the customer is as wanted. */
const attempt = (status: string) =>
  until(`the attempt is ${status}`, async () => {
    const [row] = await on.sql<StoredAttempt>(
      'select status, error_code, credits, provider from attempts where account_id = $1 order by id desc limit 1',
      [toUuid(customer.accountId)],
    );
    return row?.status === status ? row : null;
  });

describe.skipIf(absent !== null)('a text by an SMSC', () => {
  const smsc = oncePerTest(
    () => startPerlSmsc(),
    peer => peer[Symbol.asyncDispose](),
  );

  describe('that is bound', () => {
    beforeEach(async () => void (await connect(smsc)));

    test.each([
      ['0', 'delivered', null],
      ['5', 'failed', '011'],
      ['6', 'expired', '001'],
      ['7', 'failed', '021'],
    ])('to …%s is reported as %s', async (digit, status, code) => {
      const { body } = await send(`+4917012345${digit}${digit}`);
      expect(body.data).toMatchObject({ status: 'sent', attempts: [{ provider: 'smpp', credits: 1 }] });
      expect(await attempt(status)).toMatchObject({ error_code: code, credits: 1, provider: 'smpp' });
    });

    test('in three parts is delivered when all of them are, and costs three credits', async () => {
      const { body } = await send('+491701234500', 'x'.repeat(400));
      expect(body.data).toMatchObject({ status: 'sent', segments: 3 });
      expect(await smsc.submitted(3)).toHaveLength(3);
      expect(await attempt('delivered')).toMatchObject({ credits: 3 });
      const parts = await on.sql(
        'select status from attempt_parts where attempt_id in (select id from attempts where account_id = $1)',
        [toUuid(customer.accountId)],
      );
      expect(parts).toEqual([{ status: 'delivered' }, { status: 'delivered' }, { status: 'delivered' }]);
    });

    test('that it throttles has failed after its tries, and costs nothing', async () => {
      const { body } = await send('+491701234508');
      expect(body.data).toMatchObject({ status: 'failed', attempts: [{ errorCode: 'esme_rthrottled', credits: 0 }] });
    });

    test('with a passcode says until when it is worth anything', async () => {
      const { status } = await on.rest('POST', '/api/sms/otp/send', {
        token: customer.tokens.otp,
        body: { to: '+491701234501', expiresIn: 600 },
      });
      expect(status).toBe(200);
      const [submit] = await smsc.submitted(1);
      expect(submit?.validity).toMatch(/^0000000009\d\d000R$|^000000001000000R$/);
    });
  });

  test('that refuses us is down, and the next connection sends', async () => {
    const other = await startPerlSmsc();
    try {
      const refused = createConnection(on.app.makeCtx(OPERATOR, 'test'), {
        accountId: customer.accountId,
        provider: 'smpp',
        channel: 'sms',
        name: 'Wrong password',
        priority: 1,
        config: { host: '127.0.0.1', port: other.port, systemId: 'gateway', password: 'wrong' },
      });
      const { id } = await refused;
      await connect(smsc);
      on.app.services.providers.of(id);
      await until('the connection is down', async () => {
        const [row] = await on.sql<{ health: string; health_error: string }>(
          'select health, health_error from connections where id = $1',
          [toUuid(id)],
        );
        return row?.health === 'down' && row.health_error.includes('ESME_RINVPASWD') ? row : null;
      });
      const { body } = await send('+491701234500');
      expect(body.data).toMatchObject({ status: 'sent', attempts: [{ status: 'sent' }] });
      expect(await smsc.submitted(1)).toHaveLength(1);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  const MESSAGES = rounds({ usual: 2_000, long: 10_000 });

  test(`${MESSAGES} of them while their SMSC is killed: none is lost, and none is sent twice`, async () => {
    const second = await startPerlSmsc();
    try {
      const firstId = await connect(smsc, { sessions: 2 });
      const secondId = await connect(second, { sessions: 2 });
      await on.sql('update connections set priority = 1 where id = $1', [toUuid(firstId)]);
      await on.app.services.providers.refresh();
      let begun = 0;
      const answers: number[] = [];
      const caller = async (): Promise<void> => {
        while (begun < MESSAGES) {
          const serial = begun++;
          // The last digit 9: no receipt is asked to come, so that what the SMSC says is all there is.
          const body = { to: `+4917${String(100_000 + serial)}009`, text: `${serial}`, sender: 'ACME' };
          const answer = await on.app.fetch(restRequest('POST', '/api/sms/send', { token: customer.tokens.sms, body }));
          answers.push(answer.status);
          if (answers.length === MESSAGES / 2) await smsc[Symbol.asyncDispose]();
        }
      };
      await Promise.all(Array.from({ length: 64 }, caller));
      expect(answers.filter(status => status !== 200)).toEqual([]);
      const rows = await on.sql<{ connection: string; status: string; count: number }>(
        `select connection_id as connection, status, count(*)::int as count from attempts where account_id = $1 group by 1, 2`,
        [toUuid(customer.accountId)],
      );
      const count = (id: string, status: string): number =>
        rows.find(row => row.connection === toUuid(id) && row.status === status)?.count ?? 0;
      // Each message has one end: sent by one of them, or unknown, as the one that died may have it.
      const [sent, unknown] = ['sent', 'unknown'].map(status => count(firstId, status) + count(secondId, status));
      expect((sent ?? 0) + (unknown ?? 0)).toBe(MESSAGES);
      expect(count(secondId, 'sent')).toBeGreaterThan(MESSAGES / 4);
      // The SMSC prints a line later than it answers.
      const taken = () => [...smsc.lines, ...second.lines].filter(line => line.startsWith('submit '));
      await expect.poll(() => taken().length).toBeGreaterThanOrEqual(sent ?? 0);
      const texts = taken().map(line => line.split(' ').at(-1));
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.length).toBeLessThanOrEqual(MESSAGES);
      const [money] = await on.sql<{ credits: number; held: number }>(
        'select credits, held from accounts where id = $1',
        [toUuid(customer.accountId)],
      );
      expect(money).toEqual({ credits: 1_000_000 - (sent ?? 0), held: 0 });
    } finally {
      await second[Symbol.asyncDispose]();
    }
  }, 180_000);
});

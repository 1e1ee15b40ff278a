import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { auditMoney, type MoneyAudit } from '../../support/billing/money-audit.ts';
import { BREAKS, openBrokenMoney, postAll, type Told } from '../../support/billing/money-race.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { type Gateway, startGateway, TEXT } from '../../support/processes/gateway.ts';
import { createTestServices, makeAccount, type TestAccount, type TestServices } from '../../support/services.ts';

/** The outcome of a race for credits. */
interface RaceResult {
  readonly told: Told;
  readonly audit: MoneyAudit;
  /** SMS that left the gateway, and messages or OTPs that are stored. */
  readonly arrivals: number;
  readonly stored: number;
}

/** The promise of a balance, whatever keeps it: as many SMS as it has credits, and whoever else asks is told so. */
function expectExactly(credits: number, calls: number, { told, audit, arrivals, stored }: RaceResult): void {
  expect(audit.faults).toEqual([]);
  expect(told).toEqual({ '200 sent': credits, '402 insufficient_balance': calls - credits });
  expect(audit).toMatchObject({
    credits: 0,
    held: 0,
    spent: credits,
    kinds: { adjustment: 1, capture: credits },
  });
  expect({ arrivals, stored }).toEqual({ arrivals: credits, stored: credits });
}

describePostgres('two gateways and the last credits of an account', () => {
  let t: TestServices;
  let url: string;
  let gateways: [Gateway, Gateway];

  beforeAll(async () => {
    t = await createTestServices();
    if (t.testDatabase.kind !== 'postgres') return;
    url = t.testDatabase.url;
    const env = { SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
    const start = () => startGateway({ databaseUrl: url, env });
    gateways = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    for (const gateway of gateways) gateway.kill('SIGTERM');
    await Promise.all(gateways.map(gateway => gateway.exited));
    await t.close();
  });

  async function resultOf({ accountId }: TestAccount, told: Told): Promise<RaceResult> {
    const [row] = await t.sql<{ arrivals: number; stored: number }>(
      `select (select count(*) from sandbox_messages where account_id = $1)::int as arrivals,
         (select count(*) from messages where account_id = $1)::int + (select count(*) from otps where account_id = $1)::int as stored`,
      [toUuid(accountId)],
    );
    return {
      told,
      audit: await auditMoney(t.sql, accountId),
      arrivals: row?.arrivals ?? -1,
      stored: row?.stored ?? -1,
    };
  }

  test('5,000 sends at the same time on a balance of 500: 500 go out', async () => {
    const account = await makeAccount(t.services, { credits: 500 });
    const bodies = Array.from({ length: 5_000 }, () => ({ to: '+12025550100', text: TEXT, sender: 'ACME' }));
    const told = await postAll(gateways, await account.token('sms'), '/api/sms/send', bodies);
    expectExactly(500, 5_000, await resultOf(account, told));
  });

  test('1,000 sends of two segments and of one, with references: not a credit too many is spent', async () => {
    const account = await makeAccount(t.services, { credits: 101 });
    const bodies = Array.from({ length: 1_000 }, (_, index) => ({
      to: '+12025550100',
      text: index % 2 === 0 ? TEXT : TEXT.padEnd(200, '.'),
      sender: 'ACME',
      reference: `mixed-${index}`,
    }));
    const told = await postAll(gateways, await account.token('sms'), '/api/sms/send', bodies);
    const { audit, arrivals, stored } = await resultOf(account, told);
    expect(audit).toMatchObject({ faults: [], held: 0 });
    // One credit may be left where only two would do.
    expect(audit.credits).toBeLessThanOrEqual(1);
    expect(told).toEqual({ '200 sent': arrivals, '402 insufficient_balance': 1_000 - arrivals });
    expect(stored).toBe(arrivals);
  });

  test.each([
    ['to recipients of their own', () => `+${newRecipient()}`],
    ['to a recipient that no limit counts', () => '+12025550100'],
  ])('600 OTPs at the same time on a balance of 60, %s: 60 are paid', async (_title, recipient) => {
    const account = await makeAccount(t.services, { credits: 60 });
    const bodies = Array.from({ length: 600 }, () => ({ to: recipient() }));
    const told = await postAll(gateways, await account.token('otp'), '/api/sms/otp/send', bodies);
    expectExactly(60, 600, await resultOf(account, told));
  });

  describe.each(BREAKS)('the same assertion catches a gateway that reads before it writes, %s', how => {
    test('by what is spent', async () => {
      const broken = await openBrokenMoney(url, newId('acc'), 50);
      try {
        const sent = await Promise.all(Array.from({ length: 500 }, (_, index) => broken.send(index, how)));
        const count = sent.filter(Boolean).length;
        const audit = await auditMoney(broken.sql, broken.accountId);
        const told = { '200 sent': count, '402 insufficient_balance': 500 - count };
        expect(() => expectExactly(50, 500, { told, audit, arrivals: count, stored: count })).toThrow();
        expect(count).toBeGreaterThan(50);
        expect(audit.faults).not.toEqual([]);
      } finally {
        await broken.close();
      }
    });
  });
});

import { describe, expect, test } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { Otp } from '../../../src/modules/otp/otp.entity.ts';
import { expireOtps, purgeOtps } from '../../../src/modules/otp/otp.jobs.ts';
import { findOtp } from '../../../src/modules/otp/reports/list-otps.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../src/modules/otp/verify/verify-otp.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { makeOtp, newPinId } from '../../support/otp/rows.ts';
import { OPERATOR, openTestDatabase } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);

const DECOY = '00000000-0000-0000-0000-000000000000';
const job = (): Ctx => on.ctxFor(OPERATOR);

let last = 0;
function nextRecipient(): string {
  last += 1;
  return `1415555${String(last).padStart(4, '0')}`;
}

async function store(...rows: object[]): Promise<void> {
  await on.database.fork().persist(rows).flush();
}

/** Stores an OTP whose time was over so long ago by the database's clock. */
async function storeOver(age: string, given: Parameters<typeof makeOtp>[1] = {}): Promise<Otp> {
  const otp = makeOtp(account.accountId, { recipient: nextRecipient(), ...given });
  await store(otp);
  await on.sql('update otps set expires_at = now() - $2::interval where id = $1', [toUuid(otp.id), age]);
  return otp;
}

async function statusOf({ id }: { readonly id: string }): Promise<string | null> {
  const [row] = await on.sql<{ status: string }>('select status from otps where id = $1', [toUuid(id)]);
  return row?.status ?? null;
}

async function count(table: string, where = 'true', parameters: readonly unknown[] = []): Promise<number> {
  const [row] = await on.sql<{ n: number }>(`select count(*)::int as n from ${table} where ${where}`, parameters);
  return row?.n ?? 0;
}

describe('expiring OTPs', () => {
  test.each(['pending', 'sent'] as const)('ends one that is %s when its time is over', async status => {
    const otp = await storeOver('1 second', { status });
    await expireOtps(job());
    await expect(statusOf(otp)).resolves.toBe('expired');
  });

  test('leaves one alone whose time is not over', async () => {
    const otp = await storeOver('-1 minute');
    await expireOtps(job());
    await expect(statusOf(otp)).resolves.toBe('sent');
  });

  test.each(['verified', 'blocked', 'failed', 'cancelled'] as const)('leaves one alone that is %s', async status => {
    const otp = await storeOver('1 second', { status });
    await expireOtps(job());
    await expect(statusOf(otp)).resolves.toBe(status);
  });

  test('ends one that is being sent', async () => {
    const otp = await storeOver('1 second', { status: 'pending', leaseUntil: new Date(Date.now() + 15_000) });
    await expireOtps(job());
    await expect(statusOf(otp)).resolves.toBe('expired');
  });

  test('never ends the decoy', async () => {
    await expireOtps(job());
    await expect(on.sql('select status from otps where id = $1', [DECOY])).resolves.toEqual([{ status: 'pending' }]);
  });

  test('says how many, in more than one chunk where there are many', async () => {
    await expireOtps(job());
    const otp = await storeOver('1 second');
    await on.sql(
      `insert into otps select (json_populate_record(o, json_build_object('id', gen_random_uuid(), 'recipient', n))).*
       from otps o, generate_series(1, 5000) n where o.id = $1`,
      [toUuid(otp.id)],
    );
    await expect(expireOtps(job())).resolves.toBe(5_001);
    await expect(expireOtps(job())).resolves.toBe(0);
  });

  test('gives way to a next send to the recipient', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    const to = `+${nextRecipient()}`;
    const first = await sendOtp(ctx, { to, channels: ['sms'] });
    await on.sql(`update otps set expires_at = now() - interval '1 second' where id = $1`, [toUuid(first.id)]);
    await on.sql(`update otp_recipients set cooldowns = '{}' where account_id = $1`, [toUuid(account.accountId)]);
    await expireOtps(job());
    const second = await sendOtp(ctx, { to, channels: ['sms'] });
    expect([await statusOf(first), await statusOf(second)]).toEqual(['expired', 'sent']);
  });

  test('shows in what its account reads, and a guess is told the same', async () => {
    const otp = await storeOver('1 second');
    await expireOtps(job());
    const ctx = on.ctxFor(account.actor('unified'));
    await expect(findOtp(ctx, otp.id)).resolves.toMatchObject({ status: 'expired' });
    await expect(verifyOtp(ctx, { pinId: otp.id, pin: '123456' })).rejects.toMatchObject({ code: 'otp_expired' });
  });
});

/** The rows of limits and buckets, by so much older than now. */
const LIMIT_ROWS: Record<string, { readonly insert: string; readonly old: string; readonly young: string }> = {
  otp_recipients: {
    insert: `insert into otp_recipients select $1::uuid, $2::text, '{}', '{}', '{}', now() - $3::interval`,
    old: '26 hours 1 second',
    young: '25 hours 59 minutes',
  },
  otp_addresses: {
    insert: `insert into otp_addresses select $1::uuid, $2::text, '{}', 0, now() - $3::interval`,
    old: '1 hour 1 second',
    young: '59 minutes',
  },
  otp_send_addresses: {
    insert: `insert into otp_send_addresses select $1::uuid, $2::text, '{}', 0, now() - $3::interval`,
    old: '2 hours 1 second',
    young: '1 hour 59 minutes',
  },
  otp_traffic: {
    insert: `insert into otp_traffic select $1::uuid, $2::text, now() - $3::interval, 1, 1`,
    old: '15 days 1 second',
    young: '14 days 23 hours 59 minutes',
  },
};

describe('purging OTPs', () => {
  test.each([
    ['24 hours 1 second', null],
    ['23 hours 59 minutes', 'verified'],
    ['-5 minutes', 'verified'],
  ] as const)('of one whose time was over %s ago leaves %s', async (age, left) => {
    const otp = await storeOver(age, { status: 'verified' });
    await purgeOtps(job());
    await expect(statusOf(otp)).resolves.toBe(left);
  });

  test('never deletes the decoy, and makes its guesses new', async () => {
    await expect(
      verifyOtp(on.ctxFor(account.actor('unified')), { pinId: newPinId(), pin: '123456' }),
    ).rejects.toMatchObject({ code: 'otp_not_found' });
    await expect(count('otps', 'id = $1 and attempts > 0', [DECOY])).resolves.toBe(1);
    await purgeOtps(job());
    await expect(on.sql('select attempts, status from otps where id = $1', [DECOY])).resolves.toEqual([
      { attempts: 0, status: 'pending' },
    ]);
  });

  test("never deletes the decoy's recipient, though nobody guessed for a day", async () => {
    const where = `account_id = $1 and recipient = ''`;
    await on.sql(`update otp_recipients set updated_at = now() - interval '27 hours' where ${where}`, [DECOY]);
    await purgeOtps(job());
    await expect(count('otp_recipients', where, [DECOY])).resolves.toBe(1);
  });

  test("deletes the decoy's log when it is a few minutes old, in more than one chunk where there is much", async () => {
    const insert = (age: string, rows: number) =>
      on.sql(
        `insert into attempts (id, account_id, area, type, pin_id, recipient, status, segments, started_at, finished_at)
         select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid,
           $1, 'management', 'otp_incorrect', $1, '', 'failed', 0, now(), now() - $2::interval from generate_series(1, $3::int)`,
        [DECOY, age, rows],
      );
    await purgeOtps(job());
    await insert('6 minutes', 5_001);
    await insert('1 minute', 2);
    await expect(purgeOtps(job())).resolves.toBe(5_001);
    await expect(
      count('attempts', `account_id = $1 and finished_at > now() - interval '2 minutes'`, [DECOY]),
    ).resolves.toBeGreaterThanOrEqual(2);
  });

  test('never deletes an entry of the log of an account, however old', async () => {
    const otp = await storeOver('20 days', { status: 'verified' });
    const old = new Date(Date.now() - 20 * 86_400_000);
    const shared = { pinId: otp.id, messageId: null, finishedAt: old };
    const attempt = makeAttempt(account.accountId, { ...shared, type: 'otp_attempt' });
    const outcome = makeAttempt(account.accountId, { ...shared, type: 'otp_verified', status: 'verified' });
    await store(attempt, outcome);
    await purgeOtps(job());
    await expect(statusOf(otp)).resolves.toBeNull();
    await expect(count('attempts', 'account_id = $1', [toUuid(account.accountId)])).resolves.toBe(2);
  });

  test.each(Object.entries(LIMIT_ROWS))('keeps of %s what still counts', async (table, { insert, old, young }) => {
    const id = toUuid(account.accountId);
    await on.sql(insert, [id, 'old', old]);
    await on.sql(insert, [id, 'young', young]);
    await purgeOtps(job());
    await expect(count(table, 'account_id = $1', [id])).resolves.toBe(1);
    await expect(count(table, `account_id = $1 and ${table}::text like '%young%'`, [id])).resolves.toBe(1);
  });

  test('says how many, in more than one chunk where there are many', async () => {
    await purgeOtps(job());
    await on.sql(
      `insert into otp_addresses select $1::uuid, n::text, '{}', 0, now() - interval '2 hours' from generate_series(1, 5001) n`,
      [toUuid(account.accountId)],
    );
    await expect(purgeOtps(job())).resolves.toBe(5_001);
    await expect(purgeOtps(job())).resolves.toBe(0);
  });

  test('leaves to a recipient the cooldown and the sends that its account counts', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    const to = `+${nextRecipient()}`;
    await sendOtp(ctx, { to, channels: ['sms'] });
    await purgeOtps(job());
    await expect(sendOtp(ctx, { to, channels: ['sms'] })).rejects.toMatchObject({ code: 'otp_cooldown' });
  });
});

describePostgres('what a send or a verify has in hand', () => {
  /** Runs while another session has rows in hand. Not inside its transaction, which the ORM would take the run's statements into. */
  async function whileHeld(
    statement: string,
    parameters: readonly unknown[],
    run: () => Promise<unknown>,
  ): Promise<void> {
    const other = await openTestDatabase(on.testDatabase);
    const [taken, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = other.fork().transactional(async em => {
      await runSql(em.getKysely(), statement, parameters);
      taken.resolve();
      await released.promise;
    });
    try {
      await Promise.race([taken.promise, holding]);
      await run();
    } finally {
      released.resolve();
      await holding;
      await other.close();
    }
  }

  test('is left to the next run of the expiry', async () => {
    const [held, free] = [await storeOver('1 second'), await storeOver('1 second')];
    await whileHeld('select from otps where id = $1 for update', [toUuid(held.id)], async () => {
      await expireOtps(job());
      expect([await statusOf(held), await statusOf(free)]).toEqual(['sent', 'expired']);
    });
    await expireOtps(job());
    await expect(statusOf(held)).resolves.toBe('expired');
  });

  test.each(Object.entries(LIMIT_ROWS).filter(([table]) => table !== 'otp_traffic'))(
    'is left to the next purge of %s',
    async (table, { insert, old }) => {
      const id = toUuid(account.accountId);
      await on.sql(insert, [id, 'old', old]);
      await whileHeld(`select from ${table} where account_id = $1 for update`, [id], async () => {
        await purgeOtps(job());
        await expect(count(table, 'account_id = $1', [id])).resolves.toBe(1);
      });
      await purgeOtps(job());
      await expect(count(table, 'account_id = $1', [id])).resolves.toBe(0);
    },
  );

  test('lets the purge end though the decoy is in hand', async () => {
    await whileHeld('select from otps where id = $1 for update', [DECOY], async () => {
      await expect(purgeOtps(job())).resolves.toEqual(expect.any(Number));
    });
  });

  test('keeps the row of an address that a verify was writing', async () => {
    const id = toUuid(account.accountId);
    await on.sql(`insert into otp_addresses select $1::uuid, '192.0.2.1', '{}', 0, now() - interval '2 hours'`, [id]);
    await whileHeld('update otp_addresses set updated_at = now() where account_id = $1', [id], () => purgeOtps(job()));
    await purgeOtps(job());
    await expect(count('otp_addresses', 'account_id = $1', [id])).resolves.toBe(1);
  });
});

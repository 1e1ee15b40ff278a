import { beforeEach, describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { fromUuid, newId, toUuid } from '../../../src/kernel/ids.ts';
import { findLedgerFaults, reconcileLedger } from '../../../src/modules/billing/reconcile.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { acceptedOutcome, type Script, scriptedProviders } from '../../support/app.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpServices({ providers: scriptedProviders((request, signal) => answer(request, signal)) });
const account = setUpAccount(on, { credits: 100 });

/** The provider's answer to the next SMS. */
let answer: Script;

beforeEach(async () => {
  answer = acceptedOutcome;
});

const send = () =>
  sendMessage(on.ctxFor(account.actor('sms')), {
    to: '+12025550100',
    text: 'Hello',
    channels: ['sms'],
    sender: 'ACME',
  });

/** Sends an SMS, and answers the stored id of its attempt. */
async function sendOne(): Promise<string> {
  const { attempts } = await send();
  return toUuid(attempts?.[0]?.id ?? '');
}

const sendPin = () => sendOtp(on.ctxFor(account.actor('otp')), { to: '+12025550100' });

/** Credits are held by both while they are under way. */
const SENDS = [
  ['message', 'messages', send],
  ['passcode', 'otps', sendPin],
] as const;

/** The ledger faults of the account of the test, without its id. */
async function faults(): Promise<object[]> {
  const found = await findLedgerFaults(on.ctxFor(OPERATOR));
  return found.flatMap(({ accountId, ...fault }) => (accountId === account.accountId ? [fault] : []));
}

/** Breaks what the database lets nobody break: no trigger sees this statement. */
async function breakBy(statement: string, ...parameters: unknown[]): Promise<void> {
  await on.database.fork().transactional(async em => {
    const sql = em.getKysely();
    await runSql(sql, 'set local session_replication_role = replica', []);
    await runSql(sql, statement, parameters);
  });
}

const accountUuid = (): string => toUuid(account.accountId);

const ENTRY = 'insert into ledger (account_id, id, kind, credits, held, attempt_id, reason, created_at)';

describe('a sound ledger has no faults', () => {
  test.each<[string, SendOutcome]>([
    ['accepted', acceptedOutcome()],
    ['rejected', { kind: 'rejected', code: 'refused', message: 'No.' }],
    ['unknown', { kind: 'unknown', code: 'timeout', message: 'No answer.' }],
  ])('after an SMS that is %s', async (_what, outcome) => {
    answer = () => outcome;
    await send();
    expect(await faults()).toEqual([]);
  });

  test('after a passcode', async () => {
    await sendPin();
    expect(await faults()).toEqual([]);
  });

  test.each(SENDS)('while a %s is under way', async (_what, _table, begin) => {
    let during: object[] | null = null;
    answer = async () => {
      during = await faults();
      return acceptedOutcome();
    };
    await begin();
    expect(during).toEqual([]);
  });

  // Holds are entries of former releases.
  test.each([
    ['a hold that was spent', ['hold', -1, 1], ['capture', 0, -1]],
    ['a hold that was given back', ['hold', -1, 1], ['release', 1, -1]],
    ['a hold that was given back, and charged later', ['hold', -1, 1], ['release', 1, -1], ['charge', -1, 0]],
    ['a charge alone', ['charge', -1, 0]],
  ])('with the entries of %s', async (_what, ...entries) => {
    const attempt = toUuid(newId('att'));
    for (const [kind, credits, held] of entries) {
      const values = [accountUuid(), toUuid(newId('led')), kind, credits, held, attempt];
      await breakBy(`${ENTRY} values ($1, $2, $3, $4, $5, $6, null, now())`, ...values);
      await breakBy('update accounts set credits = credits + $2::int where id = $1', accountUuid(), credits);
    }
    expect(await faults()).toEqual([]);
  });
});

describe('what is found', () => {
  test('credits that are not the sum of the ledger', async () => {
    await breakBy('update accounts set credits = 101 where id = $1', accountUuid());
    expect(await faults()).toEqual([{ kind: 'balance_differs', attemptId: null, found: 101, expected: 100 }]);
  });

  test('credits of an account without any entry', async () => {
    await breakBy('delete from ledger where account_id = $1', accountUuid());
    expect(await faults()).toEqual([{ kind: 'balance_differs', attemptId: null, found: 100, expected: 0 }]);
  });

  test('credits that differ while some are held', async () => {
    let during: object[] | null = null;
    answer = async () => {
      await breakBy('update accounts set credits = credits + 1 where id = $1', accountUuid());
      during = await faults();
      await breakBy('update accounts set credits = credits - 1 where id = $1', accountUuid());
      return acceptedOutcome();
    };
    await send();
    expect(during).toEqual([{ kind: 'balance_differs', attemptId: null, found: 101, expected: 100 }]);
  });

  test.each(SENDS)('a hold that is left though its %s is over', async (_what, table, begin) => {
    await begin();
    await breakBy('update accounts set credits = credits - 1, held = 1 where id = $1', accountUuid());
    await breakBy(`update ${table} set held = 1 where account_id = $1`, accountUuid());
    expect(await faults()).toEqual([{ kind: 'hold_left', attemptId: null, found: 1, expected: 0 }]);
  });

  test.each(SENDS)('a %s under way whose hold the account has lost', async (_what, _table, begin) => {
    let during: object[] | null = null;
    answer = async () => {
      await breakBy('update accounts set credits = credits + 1, held = 0 where id = $1', accountUuid());
      during = await faults();
      await breakBy('update accounts set credits = credits - 1, held = 1 where id = $1', accountUuid());
      return acceptedOutcome();
    };
    await begin();
    expect(during).toEqual([{ kind: 'hold_left', attemptId: null, found: 0, expected: 1 }]);
  });

  test('an attempt that was paid for twice', async () => {
    const attempt = await sendOne();
    await on.sql(`${ENTRY} values ($1, $2, 'charge', -1, 0, $3, null, now())`, [
      accountUuid(),
      toUuid(newId('led')),
      attempt,
    ]);
    expect(await faults()).toContainEqual({
      kind: 'ends_differ',
      attemptId: fromUuid('att', attempt),
      found: 2,
      expected: 1,
    });
  });

  test('an attempt that says another cost than was paid', async () => {
    const attempt = await sendOne();
    await on.sql('update attempts set credits = 5 where id = $1', [attempt]);
    expect(await faults()).toEqual([
      { kind: 'cost_differs', attemptId: fromUuid('att', attempt), found: 5, expected: 1 },
    ]);
  });

  test('a thousand faults at most', async () => {
    const count = 1_001;
    await breakBy(
      `insert into accounts (id, name, credits, created_at) select gen_random_uuid(), 'broken', 1, now() from generate_series(1, $1)`,
      count,
    );
    expect(await findLedgerFaults(on.ctxFor(OPERATOR))).toHaveLength(1_000);
    await breakBy(`delete from accounts where name = 'broken'`);
  });
});

describe('the nightly reconciliation', () => {
  test('says each fault in the log, and their number as a metric', async () => {
    await breakBy('update accounts set credits = 99 where id = $1', accountUuid());
    const lines: Record<string, unknown>[] = [];
    const log = createLogger('error', { write: line => lines.push(JSON.parse(line)) });
    await reconcileLedger(on.ctxFor(OPERATOR).with({ log: () => log }));
    expect(lines.filter(line => line.accountId === account.accountId)).toMatchObject([
      { msg: 'the ledger has a fault', fault: 'balance_differs', attemptId: null, found: 99, expected: 100 },
    ]);
    const { values } = await on.services.metrics.ledgerFaults.get();
    expect(values).toMatchObject([{ value: lines.length }]);
  });
});

test('only the operator looks for faults', async () => {
  await expect(findLedgerFaults(on.ctxFor(account.actor('management')))).rejects.toMatchObject({ code: 'wrong_area' });
});

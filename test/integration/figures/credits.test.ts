import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { Customer } from '../../support/app.ts';
import { setUpApp } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { SMS } from '../../support/messaging/send-cases.ts';
import { sendPin } from '../../support/otp/rest-calls.ts';

const on = setUpApp();
let customer: Customer;

const DAY_MS = 86_400_000;

beforeAll(async () => {
  customer = await on.customer();
});

/** The answer to a query with the account's management token. */
async function ask<Data>(query: string, of = customer): Promise<Data> {
  const { data, errors } = await on.graphql<Data>(query, { token: of.tokens.management });
  expect(errors).toBeNull();
  return data as Data;
}

async function send(of = customer): Promise<string> {
  const { body } = await on.rest('POST', '/api/omni/send', { token: of.tokens.unified, body: SMS });
  return String(body.data?.messageId);
}

/** Stores an SMS attempt that cost something some days ago, with its entry of the ledger. */
async function spentAgo(days: number, credits: number, of = customer): Promise<void> {
  const startedAt = new Date(Date.now() - days * DAY_MS);
  const attempt = makeAttempt(of.accountId, { startedAt, channel: 'sms', credits });
  await on.app.services.database.fork().persist(attempt).flush();
}

describe('the forecast', () => {
  const OF = (range: string) =>
    `{ overview(range: ${range}) { creditsLeft creditsLastDays } balance { credits forecast { perDay lastsDays } } }`;
  interface Shown {
    readonly overview: { creditsLeft: number; creditsLastDays: number | null };
    readonly balance: { credits: number; forecast: { perDay: number; lastsDays: number | null } };
  }

  test.each(['DAY', 'WEEK', 'MONTH'])('is the same on the overview of a %s and with the balance', async range => {
    const own = await on.customer();
    await spentAgo(0, 4, own);
    await spentAgo(3, 6, own);
    await spentAgo(20, 500, own);
    const { overview, balance } = await ask<Shown>(OF(range), own);
    expect(overview.creditsLastDays).toBeCloseTo(Number(balance.forecast.lastsDays), 3);
    expect(balance.forecast.perDay).toBe(10);
    expect(balance.forecast.lastsDays).toBe(balance.credits / 10);
  });

  test('says null where nothing was spent', async () => {
    const { balance } = await ask<Shown>(OF('DAY'), await on.customer());
    expect(balance.forecast).toEqual({ perDay: 0, lastsDays: null });
  });
});

describe('an entry of the ledger', () => {
  interface Entries {
    readonly ledger: {
      nodes: {
        credits: number;
        balance: number | null;
        send: { messageId: string | null; pinId: string | null } | null;
      }[];
    };
  }
  const LEDGER = '{ ledger { nodes { credits balance send { messageId pinId } } } }';

  test('says what there was after it, back to the first', async () => {
    const own = await on.customer();
    for (let count = 0; count < 3; count += 1) await send(own);
    const { nodes } = (await ask<Entries>(LEDGER, own)).ledger;
    const oldest = nodes.toReversed();
    let balance = 0;
    expect(oldest.map(entry => entry.balance)).toEqual(oldest.map(({ credits }) => (balance += credits)));
  });

  test('says it on a page behind others, and where a kind is filtered', async () => {
    const own = await on.customer();
    await send(own);
    const { nodes } = (
      await ask<Entries>('{ ledger(filter: { kind: ADJUSTMENT }) { nodes { credits balance } } }', own)
    ).ledger;
    expect(nodes).toEqual(nodes.map(({ credits }) => ({ credits, balance: credits })));
  });

  test('leads to the message or the passcode that it paid for', async () => {
    const own = await on.customer();
    const messageId = await send(own);
    const { pinId } = await sendPin(on, own);
    const { nodes } = (await ask<Entries>(LEDGER, own)).ledger;
    expect(nodes.map(entry => entry.send)).toEqual([{ messageId: null, pinId }, { messageId, pinId: null }, null]);
  });

  test('has lost its way where the log is not kept', async () => {
    const own = await on.customer();
    await send(own);
    await on.sql('delete from attempts where account_id = $1', [toUuid(own.accountId)]);
    expect((await ask<Entries>(LEDGER, own)).ledger.nodes.map(entry => entry.send)).toEqual([null, null]);
  });
});

describe('the days', () => {
  interface Days {
    readonly creditDays: {
      from: string;
      spent: number;
      adjusted: number;
      balance: number;
      spending: { channel: string; purpose: string; credits: number }[];
    }[];
  }
  const DAYS = '{ creditDays(days: 3) { from spent adjusted balance spending { channel purpose credits } } }';

  test('say what was spent by channel and purpose, what was given, and what there was at the end of each', async () => {
    const own = await on.customer();
    await send(own);
    await send(own);
    await sendPin(on, own);
    const [before, yesterday, today] = (await ask<Days>(DAYS, own)).creditDays;
    const given = today?.adjusted ?? 0;
    expect([before, yesterday]).toMatchObject([
      { spent: 0, adjusted: 0, balance: 0, spending: [] },
      { spent: 0, adjusted: 0, balance: 0, spending: [] },
    ]);
    expect(today).toMatchObject({ spent: 3, balance: given - 3 });
    expect(today?.spending.toSorted((a, b) => a.purpose.localeCompare(b.purpose))).toEqual([
      { channel: 'SMS', purpose: 'MESSAGE', credits: 2 },
      { channel: 'SMS', purpose: 'OTP', credits: 1 },
    ]);
  });

  test('are days of UTC, as many as are asked for, today last', async () => {
    const { creditDays } = await ask<Days>('{ creditDays(days: 40) { from } }');
    expect(creditDays).toHaveLength(40);
    const today = new Date().toISOString().slice(0, 10);
    expect(creditDays.at(-1)?.from).toBe(`${today}T00:00:00.000Z`);
  });

  test('count an attempt to the day on which it was begun', async () => {
    const own = await on.customer();
    await spentAgo(1, 7, own);
    expect((await ask<Days>(DAYS, own)).creditDays.map(({ spent }) => spent)).toEqual([0, 7, 0]);
  });

  test.each([0, 93])('are not %i', async days => {
    const { errors } = await on.graphql(`{ creditDays(days: ${days}) { from } }`, {
      token: customer.tokens.management,
    });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field: 'days' }] } }]);
  });
});

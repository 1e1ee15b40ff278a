import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { KINDS } from '../../../src/modules/alerts/alert-kinds.ts';
import type { AlertKind } from '../../../src/modules/answers/alert-kind.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { alertsOf } from '../../support/alerts/alert-fixture.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../../support/services.ts';
import { makeEndpoint, storedEvents } from '../../support/webhooks/stored-webhooks.ts';

const on = setUpServices();
const alerts = alertsOf(on);
let account: TestAccount;

beforeEach(async () => {
  account = await makeAccount(on, { credits: 1_000 });
});

const of = () => toUuid(account.accountId);
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** Stores entries of the log. */
async function log(entries: readonly Parameters<typeof makeAttempt>[1][]): Promise<void> {
  const em = on.database.fork();
  for (const entry of entries) em.persist(makeAttempt(account.accountId, entry));
  await em.flush();
}

/** Stores passcodes that were sent half an hour ago, so many of them verified. */
async function otps(sent: number, verified: number): Promise<void> {
  const startedAt = minutesAgo(30);
  const pins = Array.from({ length: sent }, (_, index) => `pin_${index.toString(16).padStart(32, '0')}`);
  await log([
    ...pins.map(pinId => ({ type: 'otp_attempt' as const, messageId: null, pinId, startedAt, providerMessageId: 'x' })),
    ...pins.slice(0, verified).map(pinId => ({
      type: 'otp_verified' as const,
      messageId: null,
      pinId,
      channel: null,
      provider: null,
      status: 'verified' as const,
      startedAt: minutesAgo(29),
    })),
  ]);
}

interface Row {
  /** Makes it ill. */
  ill(): Promise<unknown>;
  /** Makes it well again. */
  well(): Promise<unknown>;
  readonly threshold?: number;
  readonly raised: string;
  readonly cleared: string;
}

const forget = () => on.sql('delete from attempts where account_id = $1', [of()]);

const ROWS: Readonly<Record<AlertKind, Row>> = {
  endpoint_failing: {
    async ill() {
      const { endpointId } = await makeEndpoint(on, account.accountId, {
        url: 'https://hooks.example/secret-path',
        events: ['balance.low'],
      });
      await on.sql(`update webhook_endpoints set failing_since = now(), failures = 3 where id = $1`, [
        toUuid(endpointId),
      ]);
    },
    well: () => on.sql('update webhook_endpoints set failing_since = null, failures = 0 where account_id = $1', [of()]),
    raised: 'The endpoint hooks.example fails: 3 failed tries in a row.',
    cleared: 'The endpoint hooks.example no longer fails.',
  },
  connection_down: {
    async ill() {
      const { id } = await createConnection(on.ctxFor(OPERATOR), {
        accountId: account.accountId,
        provider: 'http-sms',
        channel: 'sms',
        name: 'Main carrier',
        config: { request: { url: 'http://127.0.0.1:9/send' } },
      });
      await on.sql(`update connections set health = 'down', health_since = now() where id = $1`, [toUuid(id)]);
    },
    well: () => on.sql(`update connections set health = 'up' where account_id = $1`, [of()]),
    raised: 'The connection Main carrier is down.',
    cleared: 'The connection Main carrier is no longer down.',
  },
  number_locked: {
    async ill() {
      const { id } = await createConnection(on.ctxFor(OPERATOR), {
        accountId: account.accountId,
        provider: 'chat-qr',
        channel: 'chat_qr',
        name: 'Shop phone',
        config: { number: '+12025550100' },
      });
      await on.sql(
        `insert into chat_sessions (connection_id, state, state_since, locked_since, locked_until)
         values ($1, 'linked', now(), now(), now() + interval '1 hour')`,
        [toUuid(id)],
      );
    },
    well: () =>
      on.sql(
        `update chat_sessions set locked_until = now() where connection_id in (select id from connections where account_id = $1)`,
        [of()],
      ),
    raised: 'The number of Shop phone is locked: WhatsApp lets it write to nobody new.',
    cleared: 'The number of Shop phone is no longer locked.',
  },
  balance_low: {
    ill: () => alerts.add(account, -951),
    well: () => alerts.add(account, 1),
    threshold: 50,
    raised: 'The balance is 49 credits, below 50.',
    cleared: 'The balance is no longer below 50 credits.',
  },
  balance_runs_out: {
    ill: () => log([{ startedAt: minutesAgo(30), credits: 400 }]),
    well: () => alerts.add(account, 1_000),
    threshold: 3,
    raised: 'At the pace of the last 7 days the credits last 2.5 days, fewer than 3.',
    cleared: 'The credits last 3 days or more again.',
  },
  conversion_low: {
    ill: () => otps(20, 5),
    async well() {
      await forget();
      await otps(20, 10);
    },
    threshold: 50,
    raised: 'Of the passcodes of an hour 25 % were verified, fewer than 50 %.',
    cleared: 'Of the passcodes of an hour 50 % or more are verified again.',
  },
  passcodes_blocked: {
    ill: () =>
      log(
        Array.from({ length: 3 }, () => ({
          type: 'otp_blocked' as const,
          messageId: null,
          provider: null,
          status: 'blocked' as const,
          errorCode: 'too_many_unverified',
          startedAt: minutesAgo(1),
        })),
      ),
    well: forget,
    threshold: 3,
    raised: 'The fraud guard refused 3 passcodes within an hour.',
    cleared: 'The fraud guard refuses fewer than 3 passcodes within an hour again.',
  },
};

describe.each(Object.keys(KINDS) as AlertKind[])('a rule of the kind %s', kind => {
  const { ill, well, threshold, raised, cleared } = ROWS[kind];

  test('tells that it is ill, and that it is well again, once each', async () => {
    await makeEndpoint(on, account.accountId, {
      url: 'https://other.example/',
      events: ['alert.raised', 'alert.cleared'],
    });
    const rule = await alerts.rule(account, { kind, threshold });
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([]);
    await ill();
    await alerts.watch();
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([raised]);
    await well();
    await alerts.watch();
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([raised, cleared]);
    const events = await storedEvents(on, account.accountId);
    expect(events.filter(({ event }) => event.startsWith('alert.'))).toMatchObject([
      { event: 'alert.raised', data: { ruleId: rule.id, kind, threshold: threshold ?? null } },
      { event: 'alert.cleared', data: { ruleId: rule.id, kind, threshold: threshold ?? null } },
    ]);
  });
});

describe('a rule', () => {
  test('tells of each endpoint by itself, and of no other account', async () => {
    const other = await makeAccount(on);
    await alerts.rule(account, { kind: 'endpoint_failing' });
    await alerts.rule(other, { kind: 'endpoint_failing' });
    await ROWS.endpoint_failing.ill();
    await alerts.watch();
    await ROWS.endpoint_failing.ill();
    await alerts.watch();
    expect(await alerts.told(account)).toHaveLength(2);
    expect(await alerts.told(other)).toEqual([]);
  });

  test('tells of an endpoint that was given up', async () => {
    await alerts.rule(account, { kind: 'endpoint_failing' });
    await makeEndpoint(on, account.accountId, { status: 'disabled' });
    await on.sql('update webhook_endpoints set disabled_at = now() where account_id = $1', [of()]);
    await alerts.watch();
    expect(await alerts.told(account)).toHaveLength(1);
  });

  test('tells of no endpoint and no connection that is paused', async () => {
    await alerts.rule(account, { kind: 'endpoint_failing' });
    await alerts.rule(account, { kind: 'connection_down' });
    await ROWS.endpoint_failing.ill();
    await ROWS.connection_down.ill();
    await on.sql(`update webhook_endpoints set status = 'paused' where account_id = $1`, [of()]);
    await on.sql('update connections set is_paused = true where account_id = $1', [of()]);
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([]);
  });

  test('says a value below its threshold by less than is shown as below it', () => {
    const alert = { kind: 'balance_runs_out', isRaised: true, value: 6.999, threshold: 7 } as const;
    expect(KINDS.balance_runs_out.raised(alert)).toBe(
      'At the pace of the last 7 days the credits last 6.9 days, fewer than 7.',
    );
  });

  test('waits anew for what lasts where too few passcodes tell it', async () => {
    await alerts.rule(account, { kind: 'conversion_low', threshold: 50, lastingMinutes: 15 });
    await otps(20, 5);
    await alerts.watch();
    await forget();
    await otps(19, 0);
    await alerts.watch();
    const states = await on.sql(
      `select s.ill_since from alert_states s join alert_rules r on r.id = s.rule_id where r.account_id = $1 and s.ill_since is not null`,
      [of()],
    );
    expect(states).toEqual([]);
  });

  test('leaves conversion as it is where too few passcodes tell it', async () => {
    await alerts.rule(account, { kind: 'conversion_low', threshold: 50 });
    await otps(19, 0);
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([]);
    await forget();
    await otps(20, 5);
    await alerts.watch();
    await forget();
    await otps(19, 19);
    await alerts.watch();
    expect(await alerts.told(account)).toEqual([ROWS.conversion_low.raised]);
  });
});

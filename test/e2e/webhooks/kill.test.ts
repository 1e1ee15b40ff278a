import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFaultWire } from '../../support/databases/cutting-proxy.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { makePin } from '../../support/otp/pins.ts';
import { type Gateway, startGateway, TEXT, until } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { createTestServices, makeAccount, type TestAccount, type TestServices } from '../../support/services.ts';
import { auditEvents, noteChanges } from '../../support/webhooks/event-audit.ts';
import { endLeases } from '../../support/webhooks/state-changes.ts';
import { makeEndpoint } from '../../support/webhooks/stored-webhooks.ts';

const MODES = ['before', 'after'] as const;

/**
 * Whether a gateway is killed before the statement of a place or after it. Before a later statement is usually left out: that is after its
 * predecessor, and each time another gateway has to come up. `crash.test.ts` shows that no place goes wrong many times in a row; here the
 * processes are real.
 */
const modesAt = (at: number) => (at === 0 || rounds({ usual: 1, long: 2 }) > 1 ? MODES : MODES.slice(1));

/** How far it is from one place to the next: usually each is tried of one change, and of the others every second one. */
const stepOf = (index: number) => (index === 0 || rounds({ usual: 1, long: 2 }) > 1 ? 1 : 2);

const TIMEOUT_MS = 300_000;

/** Recipients of the sandbox: one that only the SMS reaches, and one that nothing does. */
const CHAT_FAILS = '+12025550102';
const NOT_TAKEN = '+12025550104';

/** Processes that share codes share their secret key; these make codes too. */
const env = { SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };

describePostgres('a gateway that is killed at any statement of a change', () => {
  let t: TestServices;
  let url: string;
  let survivor: Gateway;
  let account: TestAccount;
  let token: string;

  beforeAll(async () => {
    t = await createTestServices();
    if (t.testDatabase.kind !== 'postgres') return;
    url = t.testDatabase.url;
    await noteChanges(t.sql);
    survivor = await startGateway({ databaseUrl: url, env });
    account = await makeAccount(t.services);
    token = await account.token('unified');
    // They wait: nothing is to be delivered here.
    await makeEndpoint(t, account.accountId, { status: 'paused' });
    await makeEndpoint(t, account.accountId, { status: 'paused', events: ['message.sent', 'otp.sent', 'otp.failed'] });
  });
  afterAll(async () => {
    survivor.kill('SIGTERM');
    await survivor.exited;
    await t.close();
  });

  /** A gateway at the far end of a wire. Another one takes up what it leaves: it only answers. */
  async function startVictim() {
    let victim: Gateway | null = null;
    const counts = (text: string) => /\b(messages|otps|attempts)\b/.test(text);
    const wire = await openFaultWire(url, { counts, onStrike: () => victim?.kill('SIGKILL') });
    victim = await startGateway({ databaseUrl: wire.url, env: { ...env, ROLE: 'api' } });
    return { victim, wire };
  }

  /** Whatever it answered, or nothing, where it died. */
  const post = (at: Gateway, path: string, body: object) =>
    fetch(`${at.url}/api/omni${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then(
      response => response.status,
      () => null,
    );

  const BOTH = { channels: ['chat_qr', 'sms'], chatFrom: '15550000001', sender: 'ACME' };

  /** The requests to the gateway. The sandbox's recipients decide the answers of the providers. */
  const REQUESTS: readonly [string, (at: Gateway) => Promise<number | null>][] = [
    ['a message', at => post(at, '/send', { to: CHAT_FAILS, text: TEXT, ...BOTH })],
    [
      'a message on all channels',
      at => post(at, '/send', { to: '+12025550100', text: TEXT, ...BOTH, deliveryMode: 'all' }),
    ],
    ['an OTP that no channel takes', at => post(at, '/otp/send', { to: NOT_TAKEN, ...BOTH })],
    [
      'a guess',
      async at => {
        const { pinId, code } = await makePin(t.sql, { accountId: account.accountId });
        return post(at, '/otp/verify', { pinId, pin: code });
      },
    ],
  ];

  test.each(REQUESTS.map(([title, request], index) => [title, request, stepOf(index)] as const))(
    '%s: what is told is what has changed',
    async (_title, request, step) => {
      let deaths = 0;
      let next = startVictim();
      for (let at = 0, isOver = false; !isOver; at += step) {
        for (const mode of modesAt(at)) {
          if (isOver) break;
          const { victim, wire } = await next;
          // The next victim starts while this one dies.
          next = startVictim();
          wire.arm({ at, mode });
          const status = await request(victim);
          isOver = !wire.hasStruck();
          deaths += isOver ? 0 : 1;
          expect(status === null).toBe(!isOver);
          victim.kill('SIGKILL');
          await victim.exited;
          await wire.settled();
          await wire.close();
        }
      }
      const { victim, wire } = await next;
      victim.kill('SIGKILL');
      await victim.exited;
      await wire.close();
      // Once: who recovers has leases of its own.
      await endLeases({ t, account });
      await until('nothing is under way', async () => {
        const [row] = await t.sql<{ left: number }>(
          `select (select count(*) from messages where lease_until is not null)::int
             + (select count(*) from otps where lease_until is not null)::int as left`,
        );
        return row?.left === 0 ? true : null;
      });
      const { faults, events } = await auditEvents(t.sql, account.accountId);
      expect(faults).toEqual([]);
      expect(events).toBeGreaterThan(0);
      expect(deaths).toBeGreaterThanOrEqual(2);
    },
    TIMEOUT_MS,
  );
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { entities } from '../../../mikro-orm.config.ts';
import type { SendRequest } from '../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import type { Ctx } from '../../../src/context.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import type { Sql } from '../../../src/db/statements/sql.ts';
import { fromUuid, toUuid } from '../../../src/kernel/ids.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { acceptedOutcome, scriptedProviders } from '../../support/app.ts';
import { FAULT_MODES, type FaultMode, type FaultWire, openFaultWire } from '../../support/databases/cutting-proxy.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { rounds } from '../../support/runner/rounds.ts';
import {
  createTestCtx,
  createTestServices,
  makeAccount,
  type TestAccount,
  type TestServices,
} from '../../support/services.ts';
import { settleBroken, type Telling } from '../../support/webhooks/broken-settle.ts';
import { auditEvents, noteChanges } from '../../support/webhooks/event-audit.ts';
import {
  type CtxFor,
  endLeases,
  type Prepared,
  type Run,
  recover,
  STATE_CHANGES,
  type StateChange,
} from '../../support/webhooks/state-changes.ts';
import { makeEndpoint, storedEvents } from '../../support/webhooks/stored-webhooks.ts';

/** How many cases of a change are tried: there are six, and further ones begin again with the first. */
const CASES = rounds({ usual: 6, long: 20 });

/**
 * The gap at which the cases of a change of many statements begin. Such a change usually dies at every second gap: at each gap half of the
 * cases die.
 */
const FIRST_OF_MANY: readonly number[] = [0, 0, 1, 1, 0, 1];

/** The gap before a later statement is the one after its predecessor: only long runs try both. */
const modesAt = (at: number): readonly FaultMode[] => (at === 0 || CASES > 6 ? FAULT_MODES : ['after']);

const TIMEOUT_MS = 300_000;

const ONE_SMS = { to: '+12125550199', text: 'Hello', channels: ['sms'], sender: 'ACME' } satisfies Parameters<
  typeof sendMessage
>[1];

describePostgres('a process that dies between any two statements of a state change', () => {
  let t: TestServices;
  let wire: FaultWire;
  let victim: Database;
  let answer: (request: SendRequest) => SendOutcome | Promise<SendOutcome> = acceptedOutcome;

  beforeAll(async () => {
    t = await createTestServices({ providers: scriptedProviders(request => answer(request)) });
    if (t.testDatabase.kind !== 'postgres') return;
    await noteChanges(t.sql);
    // Statements that make a connection ready change nothing.
    wire = await openFaultWire(t.testDatabase.url, { counts: text => !/^(set|show) /i.test(text) });
    victim = await openDatabase({ url: wire.url, poolSize: 5 }, entities);
  });
  afterAll(async () => {
    wire.arm(null);
    await victim.close();
    await wire.close();
    await t.close();
  });

  /** A process of its own on the wire: what it knows of its sends, and of its database, dies with it. */
  function newProcess(): { readonly ctxFor: CtxFor; die(): void } {
    let isDead = false;
    const gone: Sql = {
      executeQuery: () => Promise.reject(Object.assign(new Error('The process is dead.'), { code: 'ECONNREFUSED' })),
    };
    const database: Database = { ...victim, sql: signal => (isDead ? gone : victim.sql(signal)) };
    return {
      ctxFor: actor => createTestCtx({ ...t.services, database }, actor, t.clock),
      die: () => {
        isDead = true;
      },
    };
  }

  /** An account with endpoints of every kind: what each of them is owed is known from its row. */
  async function newAccount(): Promise<TestAccount> {
    const account = await makeAccount(t.services);
    await makeEndpoint(t, account.accountId);
    await makeEndpoint(t, account.accountId, { events: ['message.sent', 'sms.failed', 'otp.verified', 'otp.sent'] });
    await makeEndpoint(t, account.accountId, { status: 'paused', events: ['message.routed', 'otp.failed'] });
    await makeEndpoint(t, account.accountId, { status: 'disabled' });
    return account;
  }

  function newRun(account: TestAccount, number: number): Run {
    const providers: Run['providers'] = script => {
      answer = request => script(request.channel);
    };
    return {
      t,
      account,
      number,
      providers,
      async dying(work) {
        const before = answer;
        wire.arm(null);
        answer = request => {
          wire.cut();
          return before(request);
        };
        const dying = newProcess();
        await work(dying.ctxFor).catch(() => undefined);
        dying.die();
        answer = before;
        await wire.settled();
      },
    };
  }

  /** Makes a change in a process that dies over it, and has another one take up what it left. Answers whether it died. */
  async function die(run: Run, { change, again }: Prepared, at: number, mode: FaultMode): Promise<boolean> {
    const dying = newProcess();
    wire.arm({ at, mode });
    // Whatever it was told: who called is as dead as the process, or was refused.
    await change(dying.ctxFor).catch(() => undefined);
    dying.die();
    const hasDied = wire.hasStruck();
    // A lease is longer than any statement: who recovers comes when the server is done with what the dead process had begun.
    await wire.settled();
    await endLeases(run);
    await recover(t.ctxFor);
    if (hasDied) await again?.(t.ctxFor).catch(() => undefined);
    return hasDied;
  }

  /** Has processes die at every place of a change. Answers how many died at each, how many events there were, and what was wrong. */
  async function dieEverywhere(change: StateChange) {
    const faults: string[] = [];
    const deaths: number[] = [];
    let events = 0;
    const isThinned = change.hasManyStatements && CASES <= FIRST_OF_MANY.length;
    for (let number = 0; number < CASES; number++) {
      const account = await newAccount();
      let isOver = false;
      for (let at = isThinned ? (FIRST_OF_MANY[number] ?? 0) : 0; !isOver; at += isThinned ? 2 : 1) {
        isOver = true;
        for (const mode of modesAt(at)) {
          const run = newRun(account, number);
          if (!(await die(run, await change.prepare(run), at, mode))) continue;
          isOver = false;
          deaths[at] = (deaths[at] ?? 0) + 1;
        }
      }
      const audit = await auditEvents(t.sql, account.accountId);
      faults.push(...audit.faults.map(fault => `case ${number}: ${fault}`));
      events += audit.events;
    }
    return { deaths, events, faults };
  }

  test.each(STATE_CHANGES)(
    `$title: what is told is what has changed, in ${CASES} cases`,
    async change => {
      const { deaths, events, faults } = await dieEverywhere(change);
      expect(faults).toEqual([]);
      // A gap at which nobody died has no number.
      expect(Object.keys(deaths)).toHaveLength(deaths.length);
      expect(deaths.length).toBeGreaterThanOrEqual(change.statements);
      expect(events).toBeGreaterThan(CASES);
    },
    TIMEOUT_MS,
  );

  /** Has a process die at every place of a settle that is broken, and answers what was wrong after each, where anything was. */
  async function dieOverBroken(telling: Telling): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (let at = 0; ; at++) {
      let hasDied = false;
      for (const mode of FAULT_MODES) {
        const account = await newAccount();
        const { accountId } = account;
        const run = newRun(account, 0);
        run.providers(acceptedOutcome);
        await run.dying(ctxFor => sendMessage(ctxFor(account.actor('unified')), ONE_SMS));
        const [left] = await t.sql<{ id: string }>('select id from messages where account_id = $1', [
          toUuid(accountId),
        ]);
        const id = fromUuid('msg', left?.id ?? '');
        hasDied = await die(run, { change: () => settleBroken(victim, telling, accountId, id) }, at, mode);
        const { faults, events } = await auditEvents(t.sql, accountId);
        expect(events > 0 || faults.length > 0).toBe(true);
        if (faults.length > 0) found[`${mode} ${at}`] = faults.join('; ');
      }
      if (!hasDied) return found;
    }
  }

  test('a settle that tells after its commit is found out', async () => {
    const found = await dieOverBroken('after the change');
    expect(Object.keys(found).toSorted()).toEqual(['after 0', 'before 1']);
    for (const faults of Object.values(found)) expect(faults).toMatch(/\[message.sent, message.routed\] .* \[\] is/);
  });

  test('a settle that tells before its change is found out', async () => {
    const found = await dieOverBroken('before the change');
    expect(Object.keys(found).toSorted()).toEqual(['after 0', 'before 1']);
    // Whoever takes up the message tells of it once more, or of something else.
    for (const faults of Object.values(found))
      expect(faults).toMatch(/\[message.sent, message.routed, message.routed\] is/);
  });

  test('a settle that tells in its transaction is not', async () => {
    expect(await dieOverBroken('in the transaction of the change')).toEqual({});
  });

  const BOTH = { channels: ['chat_qr', 'sms'], chatFrom: '15550000001', sender: 'ACME' } as const;
  const SLOW: readonly [string, string, (ctx: Ctx) => Promise<unknown>][] = [
    [
      'a message',
      'message.sent',
      ctx => sendMessage(ctx, { ...BOTH, to: `+${newRecipient()}`, text: 'Hello', channels: [...BOTH.channels] }),
    ],
    ['an OTP', 'otp.sent', ctx => sendOtp(ctx, { ...BOTH, to: `+${newRecipient()}`, channels: [...BOTH.channels] })],
  ];

  test.each(SLOW)(
    '%s whose process was slow, and overtaken by the recovery, is told of',
    async (_title, event, send) => {
      const account = await newAccount();
      const run = newRun(account, 0);
      const calls = [Promise.withResolvers<SendOutcome>(), Promise.withResolvers<SendOutcome>()];
      const called = calls.map(() => Promise.withResolvers<void>());
      let count = 0;
      answer = () => {
        const place = count++;
        called[place]?.resolve();
        return calls[place]?.promise ?? acceptedOutcome();
      };
      const slow = send(t.ctxFor(account.actor('unified'))).catch(() => null);
      await called[0]?.promise;
      await endLeases(run);
      const recovered = recover(t.ctxFor);
      await called[1]?.promise;
      // The chat was taken after all, which the recovery does not know.
      calls[0]?.resolve(acceptedOutcome());
      await slow;
      calls[1]?.resolve({ kind: 'rejected', code: 'refused', message: 'Refused.' });
      await recovered;
      expect((await auditEvents(t.sql, account.accountId)).faults).toEqual([]);
      expect((await storedEvents(t, account.accountId)).map(each => each.event)).toContain(event);
    },
  );
});

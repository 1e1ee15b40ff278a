import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  auditAfterKills,
  type Call,
  type KillPoint,
  newCalls,
  postInTurn,
  repeatCalls,
  startSlowGateway,
  startVictim,
  untilOver,
} from '../../support/billing/money-kills.ts';
import { describePostgres } from '../../support/databases/database.ts';
import type { Gateway } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { createTestServices, makeAccount, type TestServices } from '../../support/services.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';
import { makeEndpoint } from '../../support/webhooks/stored-webhooks.ts';

/** How often a gateway is killed at each point. */
const RUNS = rounds({ usual: 1, long: 4 });

/** The calls of a run are made within this time. */
const SPREAD_MS = 200;

/** A gateway may live where its sends were fewer statements than usual: then another one is tried. */
const TRIES_MAX = RUNS * 5;

/** Of the statements at a point the process dies over any of the first, as many as there are at least. */
const FIRST = 3;

const ACCEPT = /insert into messages|insert into otps/;
const KEEP = /insert into sandbox_messages/;
const SETTLE = /update (messages|otps) m/;

/** The points of a send at which the process that serves it dies. */
const SENDING: readonly KillPoint[] = [
  { title: 'before it is accepted', statement: ACCEPT, mode: 'before' },
  { title: 'when it is accepted, and nobody was told', statement: ACCEPT, mode: 'after' },
  { title: 'before the provider has it', statement: KEEP, mode: 'before' },
  { title: 'while the provider takes it', statement: KEEP, mode: 'before', isCommit: true },
  {
    title: 'when the provider has it, and its answer is lost',
    statement: KEEP,
    mode: 'after',
    isCommit: true,
    charges: true,
  },
  { title: 'when its outcome is stored, and nobody was told', statement: SETTLE, mode: 'after' },
];

/** The points afterwards, at which a worker dies. */
const AFTERWARDS: readonly KillPoint[] = [
  {
    title: 'when its webhook is delivered, and that is not stored',
    statement: /insert into webhook_tries/,
    mode: 'before',
  },
  { title: 'before its receipt is stored', statement: /set status = [fr]\.status/, mode: 'before', first: 1 },
];

describePostgres('a gateway that is killed at any point of a send', () => {
  let t: TestServices;
  let url: string;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());
  beforeEach(async () => {
    t = await createTestServices();
    if (t.testDatabase.kind === 'postgres') url = t.testDatabase.url;
  });
  afterEach(() => t.close());

  async function newAccount() {
    const account = await makeAccount(t.services);
    await makeEndpoint(t, account.accountId, { url: receiver.url });
    const [sms, unified, otp] = await Promise.all([
      account.token('sms'),
      account.token('unified'),
      account.token('otp'),
    ]);
    return { accountId: account.accountId, tokens: { sms, unified, otp } };
  }

  /** The calls made while processes died at one point. */
  interface Outcome {
    readonly point: KillPoint;
    readonly accountId: string;
    readonly calls: readonly Call[];
  }

  /** Kills a process at a point, as often as is wanted; `api` answers where it is the worker that dies. */
  async function killAt(point: KillPoint, api: Gateway | null): Promise<Outcome> {
    const { accountId, tokens } = await newAccount();
    const role = api ? 'worker' : 'api';
    const calls: Call[] = [];
    let next: ReturnType<typeof startVictim> | null = null;
    let deaths = 0;
    for (let tries = 0; deaths < RUNS; tries++) {
      if (tries > TRIES_MAX) throw new Error(`${tries} gateways lived through this: ${point.title}`);
      const victim = await (next ?? startVictim(url, point, role));
      // The next victim starts while this one dies, if another is wanted. A second worker would take the work of this one.
      next = !api && deaths + 1 < RUNS ? startVictim(url, point, role) : null;
      next?.catch(() => undefined);
      victim.wire.arm({ at: tries % (point.first ?? FIRST), mode: point.mode });
      const own = newCalls(tokens);
      calls.push(...own);
      await postInTurn(api ?? victim.gateway, own, SPREAD_MS);
      if (api) await victim.untilStruck();
      if (await victim.bury()) deaths += 1;
    }
    await (await next)?.bury();
    return { point, accountId, calls };
  }

  /** Kills processes at all of these points, two at a time. */
  async function killAtAll(points: readonly KillPoint[], api: Gateway | null): Promise<Outcome[]> {
    const left = [...points];
    const outcomes: Outcome[] = [];
    const work = async (): Promise<void> => {
      for (let point = left.shift(); point; point = left.shift()) outcomes.push(await killAt(point, api));
    };
    await Promise.all([work(), work()]);
    return outcomes;
  }

  /** The faults of the money and of the references, point by point. */
  async function judge(outcomes: readonly Outcome[], gateway: Gateway, diedWorkers: boolean): Promise<string[]> {
    await untilOver(t.sql, diedWorkers);
    const faults: string[] = [];
    for (const { point, calls } of outcomes)
      faults.push(...(await repeatCalls(t.sql, gateway, calls)).map(fault => `${point.title}: ${fault}`));
    await untilOver(t.sql, diedWorkers);
    for (const { point, accountId } of outcomes) {
      const audit = await auditAfterKills(t.sql, accountId);
      faults.push(...audit.faults.map(fault => `${point.title}: ${fault}`));
      const { charge = 0 } = audit.kinds;
      if (point.charges && charge < RUNS) faults.push(`${point.title}: only ${charge} charges: nobody died here`);
    }
    return faults;
  }

  async function end(gateway: Gateway): Promise<void> {
    gateway.kill('SIGTERM');
    await gateway.exited;
  }

  test(
    `while it serves the send, ${RUNS} times at each of ${SENDING.length} points`,
    async () => {
      const survivor = await startSlowGateway(url);
      const outcomes = await killAtAll(SENDING, null);
      expect(await judge(outcomes, survivor, false)).toEqual([]);
      await end(survivor);
    },
    RUNS * 60_000 + 400_000,
  );

  test(
    `while it works on what follows, ${RUNS} times at each of ${AFTERWARDS.length} points`,
    async () => {
      const api = await startSlowGateway(url, { ROLE: 'api' });
      const outcomes: Outcome[] = [];
      // One after the other: a worker takes the work of any account.
      for (const point of AFTERWARDS) outcomes.push(await killAt(point, api));
      const survivor = await startSlowGateway(url);
      expect(await judge(outcomes, survivor, true)).toEqual([]);
      await Promise.all([end(api), end(survivor)]);
    },
    RUNS * 60_000 + 400_000,
  );
});

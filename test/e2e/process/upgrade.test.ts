/** An upgrade from the last release without a pause, and the way back, as docs/operating.md says. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { expectStraightLedger } from '../../support/billing/straight-ledger.ts';
import { createDatabase, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import type { SteadySend } from '../../support/messaging/steady-sends.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { callRest, OTP_PATHS } from '../../support/otp/race.ts';
import { runCli } from '../../support/processes/cli.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import { freePorts } from '../../support/processes/free-ports.ts';
import { ask, type Demo, type Gateway, seedDemo, send, startGateway, until } from '../../support/processes/gateway.ts';
import { findLastRelease, installRelease } from '../../support/upgrade/last-release.ts';
import { beginTurns, type TurningTraffic } from '../../support/upgrade/turning-traffic.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

const SECRET_KEY = Buffer.alloc(32, 17).toString('base64');

const isAlone = inject('testDatabase').kind === 'pglite';
const release = isAlone ? null : await findLastRelease();
if (release === null)
  process.stderr.write(
    'Left out: an upgrade needs PostgreSQL, and a clone with the tag or the commit of the last release.\n',
  );

/** A code that was sent and is not verified yet. */
interface OpenCode {
  readonly pinId: string;
  readonly pin: string;
}

describe.skipIf(release === null)(`an upgrade from ${release?.name} and back, one process after the other`, () => {
  let database: TestDatabase;
  let url: string;
  let receiver: Receiver;
  let demo: Demo;
  let former: string;
  let traffic: TurningTraffic;
  let sends: SteadySend[];
  const started: Gateway[] = [];
  /** The outcomes of codes, each as `sent by → verified by: status`. */
  const codes: string[] = [];
  /** How sends to people who want nothing more were answered. */
  const suppressed: string[] = [];

  beforeAll(async () => {
    if (release === null) return;
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    ({ url } = database);
    // The last release migrates by itself.
    await runSql(url, 'drop schema public cascade; create schema public');
    former = await installRelease(release);
    receiver = await startReceiver();
    await upgradeAndGoBack();
  }, 600_000);

  afterAll(async () => {
    for (const gateway of started) gateway.kill('SIGTERM');
    await Promise.all(started.map(({ exited }) => exited));
    await receiver?.close();
    await database?.drop();
  });

  async function start(port: number, installed?: string): Promise<Gateway> {
    const env = { PORT: String(port), SECRET_KEY, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
    const gateway = await startGateway({ databaseUrl: url, env, ...(installed === undefined ? {} : { installed }) });
    started.push(gateway);
    return gateway;
  }

  /** Stops a process as the page says, and starts another release in its place. */
  async function replace(old: Gateway, installed?: string): Promise<Gateway> {
    await traffic.remove(old);
    old.kill('SIGTERM');
    expect(await old.exited).toEqual({ code: 0, signal: null });
    const next = await start(Number(new URL(old.url).port), installed);
    traffic.add(next);
    await traffic.goesOn();
    return next;
  }

  async function upgradeAndGoBack(): Promise<void> {
    const ports = await freePorts('one', 'two');
    let one = await start(ports.one, former);
    let two = await start(ports.two, former);
    demo = await seedDemo(one);
    await runSql(
      url,
      `insert into ledger (account_id, id, kind, credits, held, reason, created_at)
       values ('${demo.accountId.replace('acc_', '')}', gen_random_uuid(), 'adjustment', 100000, 0, 'test', now())`,
    );
    await makeEndpoint({ url: one.url, demo }, receiver.url);
    traffic = beginTurns(demo.tokens.unified, url, [one, two]);
    await traffic.goesOn();
    const early = await sendCode(one);
    const stop = await suppress(one);

    const migrated = await runCli({ DATABASE_URL: url, SECRET_KEY }, 'migrate');
    expect(migrated).toMatchObject({ status: 0 });
    one = await replace(one);
    await exchange('forward', two, one);
    two = await replace(two);
    await verify('before the upgrade → after', two, early);
    await sendTo(two, stop);
    const late = await sendCode(one);
    const newStop = await suppress(two);

    one = await replace(one, former);
    await exchange('back', one, two);
    two = await replace(two, former);
    await verify('after the upgrade → back', two, late);
    await sendTo(two, newStop);
    sends = await traffic.end();
  }

  /** Codes of the former release at the new one, and the other way. */
  async function exchange(way: string, old: Gateway, next: Gateway): Promise<void> {
    await verify(`${way}, old → new`, next, await sendCode(old));
    await verify(`${way}, new → old`, old, await sendCode(next));
  }

  async function sendCode(by: Gateway): Promise<OpenCode> {
    const to = newPhone();
    const { pinId = '' } = await callRest(by, demo.tokens.unified, `${OTP_PATHS.unified}/send`, { to });
    const query = `{ sandboxMessages(to: "${to}") { text } }`;
    const { sandboxMessages } = await ask<{ sandboxMessages: { text: string }[] }>(by, demo.tokens.unified, query);
    return { pinId, pin: /\b[0-9]{6}\b/.exec(sandboxMessages[0]?.text ?? '')?.[0] ?? '' };
  }

  /** A wrong guess, then the right one. */
  async function verify(what: string, at: Gateway, { pinId, pin }: OpenCode): Promise<void> {
    const path = `${OTP_PATHS.unified}/verify`;
    const wrong = await callRest(at, demo.tokens.unified, path, { pinId, pin: pin === '111111' ? '222222' : '111111' });
    const right = await callRest(at, demo.tokens.unified, path, { pinId, pin });
    codes.push(`${what}: ${wrong.code} ${wrong.attemptsRemaining}, ${right.code}`);
  }

  async function suppress(by: Gateway): Promise<string> {
    const to = newPhone();
    await ask(by, demo.tokens.management, `mutation { suppress(input: { to: "${to}" }) { id } }`);
    return to;
  }

  const sendTo = async (by: Gateway, to: string): Promise<void> => {
    suppressed.push((await send(by, demo.tokens.unified, { to })).body.code ?? 'sent');
  };

  test('refuses no send', () => {
    expect(sends.filter(({ status }) => status !== 200)).toEqual([]);
    expect(sends.length).toBeGreaterThan(50);
  });

  test('keeps each send once, and hands it over once', async () => {
    const stored = await runSql(
      url,
      "select reference, count(*)::int as n from messages where reference like 'upgrade-%' group by 1",
    );
    expect(Object.fromEntries(stored.map(({ reference, n }) => [reference, n]))).toEqual(
      Object.fromEntries(sends.map(({ request }) => [request.reference, 1])),
    );
    const texts = sends.map(({ request }) => `'${request.text}'`).join();
    const arrived = await runSql(
      url,
      `select text, count(*)::int as n from sandbox_messages where text in (${texts}) group by 1`,
    );
    expect(arrived).toHaveLength(sends.length);
    expect(arrived.filter(({ n }) => n !== 1)).toEqual([]);
  });

  test('tells of each send by a webhook', async () => {
    const told = () => new Set(receiver.received.map(({ body }) => JSON.parse(body).data.messageId));
    const missing = () => sends.filter(({ messageId }) => !told().has(messageId));
    await until('every webhook has come', async () => (missing().length === 0 ? true : null));
    expect(missing()).toEqual([]);
  });

  test('verifies the codes of either release by the other one', () => {
    expect(codes).toEqual(
      [
        'forward, old → new',
        'forward, new → old',
        'before the upgrade → after',
        'back, old → new',
        'back, new → old',
        'after the upgrade → back',
      ].map(what => `${what}: otp_incorrect 4, verified`),
    );
  });

  test('heeds the stops that either release was told', () => {
    expect(suppressed).toEqual(['recipient_suppressed', 'recipient_suppressed']);
  });

  test('keeps the ledger straight', () => expectStraightLedger(url));

  test('lets no process log an error', () => {
    expect(
      started.flatMap(gateway =>
        gateway
          .stderr()
          .split('\n')
          .filter(line => /"level":(50|60)/.test(line)),
      ),
    ).toEqual([]);
  });
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { openWire, type Wire } from '../../support/databases/lost-answers-proxy.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { newAddress } from '../../support/otp/addresses.ts';
import { type MadePin, newRecipient, wrongCode } from '../../support/otp/pins.ts';
import {
  callGraphql,
  callRest,
  guessOutcome,
  type LogEar,
  listenToLog,
  OTP_PATHS,
  type OtpAnswer,
  type OtpArea,
  tallyCodes,
} from '../../support/otp/race.ts';
import { ask, type Demo, type Gateway, seedDemo, startGateway, until } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';

/** How often a process dies between the count and the answer: each time over another one of the five guesses. */
const RUNS = rounds({ usual: 5, long: 20 });
/** How often the other faults happen, which are met by chance. */
const CHANCES = rounds({ usual: 1, long: 5 });
/** A busy machine may tell of the first count when all are answered: it is tried again until some answers were lost. */
const isToGoOn = (run: number, lost: number): boolean => run < CHANCES || lost === 0;
const TIMEOUT_MS = 60_000 + RUNS * 20_000;

/** How soon after a restart what was left has a definite state (contract §4). */
const RECOVERED_MS = 35_000;

/** The sandbox takes this one's messages after two seconds: time to die in. */
const SLOW = '+12025550107';

/** Processes that share codes share their secret key. */
const env = { SECRET_KEY: Buffer.alloc(32, 13).toString('base64') };

const isEvaluated = ({ code }: OtpAnswer): boolean => code === 'verified' || code === 'otp_incorrect';
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A guess over REST. Null: the answer did not come. */
async function guess(at: Gateway, { tokens }: Demo, { pinId }: MadePin, pin: string, signal?: AbortSignal) {
  const path = `${OTP_PATHS.unified}/verify`;
  try {
    return await callRest(at, tokens.unified, path, { pinId, pin, clientIp: newAddress() }, signal);
  } catch (error) {
    // The errors of a `fetch` without an answer; anything else is a fault of the answer.
    if (error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')) return null;
    throw error;
  }
}

describePostgres('guesses whose process dies, whose caller goes or whose connection is killed', () => {
  let database: TestDatabase;
  let url: string;
  let survivor: Gateway;
  let demo: Demo;
  let ear: LogEar;

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    url = database.url;
    survivor = await startGateway({ databaseUrl: url, env });
    demo = await seedDemo(survivor);
    ear = await listenToLog(url);
  });

  afterAll(async () => {
    await ear.close();
    survivor.kill('SIGTERM');
    await survivor.exited;
    await database.drop();
  });

  async function newestCode(recipient: string): Promise<string> {
    const [row] = await runSql(
      url,
      `select text from sandbox_messages where recipient = '${recipient}' order by id desc limit 1`,
    );
    return /\b[0-9]{6}\b/.exec(String(row?.text))?.[0] ?? '';
  }

  async function sentPin(): Promise<MadePin> {
    const recipient = newRecipient();
    const path = `${OTP_PATHS.unified}/send`;
    const { pinId = '' } = await callRest(survivor, demo.tokens.unified, path, { to: `+${recipient}` });
    return { pinId, recipient, code: await newestCode(recipient) };
  }

  /** Twenty guesses at the same time at a process that lives, every other one right: whatever is left of a pin is used up. */
  const guessOn = (pin: MadePin) =>
    Promise.all(
      times(20).map(async index => {
        const answer = await guess(survivor, demo, pin, index % 2 === 0 ? wrongCode(pin, index) : pin.code);
        if (!answer) throw new Error('a process that lives did not answer');
        return answer;
      }),
    );

  /** The promise in spite of any death: every count is kept, five at most, one success. */
  async function expectKept(pin: MadePin, answers: readonly OtpAnswer[], lost: number): Promise<void> {
    const { told, remaining, attempts, log, status } = await guessOutcome(url, pin.pinId, answers);
    const evaluated = answers.filter(isEvaluated).length;
    expect(attempts).toBeLessThanOrEqual(5);
    expect(attempts).toBeGreaterThanOrEqual(evaluated);
    expect(attempts).toBeLessThanOrEqual(evaluated + lost);
    expect((log.otp_incorrect ?? 0) + (log.otp_verified ?? 0)).toBe(attempts);
    expect(told.verified ?? 0).toBeLessThanOrEqual(log.otp_verified ?? 0);
    expect(log.otp_verified ?? 0).toBeLessThanOrEqual(1);
    expect(new Set(remaining).size).toBe(remaining.length);
    expect(status).toBe(log.otp_verified === 1 ? 'verified' : 'blocked');
  }

  /** A process at the far end of a wire, that is about to die. */
  async function startVictim(): Promise<{ victim: Gateway; wire: Wire }> {
    const wire = await openWire(url);
    return { victim: await startGateway({ databaseUrl: wire.url, env }), wire };
  }

  async function bury({ victim, wire }: { victim: Gateway; wire: Wire }): Promise<void> {
    victim.kill('SIGKILL');
    await victim.exited;
    await wire.close();
  }

  test(
    `a guess whose process was killed between the count and the answer stays counted, ${RUNS} times`,
    async () => {
      let next = startVictim();
      for (const run of times(RUNS)) {
        const { victim, wire } = await next;
        // The next victim starts while this one dies.
        if (run + 1 < RUNS) next = startVictim();
        const pin = await sentPin();
        const before = run % 5;
        const isRight = run % 2 === 1;
        const answers: OtpAnswer[] = [];
        for (const index of times(before)) {
          const answer = await guess(survivor, demo, pin, wrongCode(pin, index));
          if (answer) answers.push(answer);
        }
        if (isRight) {
          // After a right one it is asked of the short statement.
          const other = await sentPin();
          expect(await guess(victim, demo, other, other.code)).toMatchObject({ code: 'verified' });
        }
        wire.set('hold');
        const committed = wire.lost();
        const call = guess(victim, demo, pin, isRight ? pin.code : wrongCode(pin, 9));
        await Promise.race([committed, call.then(answer => Promise.reject(new Error(`answered ${answer?.code}`)))]);
        const counted = await guessOutcome(url, pin.pinId, answers);
        await bury({ victim, wire });
        expect(await call).toBeNull();
        expect(counted).toMatchObject({
          attempts: before + 1,
          log: { [isRight ? 'otp_verified' : 'otp_incorrect']: isRight ? 1 : before + 1 },
        });
        const after = await guessOn(pin);
        if (isRight) expect(tallyCodes(after)).toEqual({ otp_already_verified: 20 });
        expect(after.filter(isEvaluated).length).toBeLessThanOrEqual(isRight ? 0 : 4 - before);
        await expectKept(pin, [...answers, ...after], 1);
      }
    },
    TIMEOUT_MS,
  );

  test(
    `fifty guesses whose process was killed over them are never more than five, ${CHANCES} times`,
    async () => {
      let lost = 0;
      for (let run = 0; isToGoOn(run, lost); run++) {
        const { victim, wire } = await startVictim();
        const pin = await sentPin();
        const counted = ear.next();
        const calls = times(50).map(index =>
          guess(victim, demo, pin, index % 9 === 8 ? pin.code : wrongCode(pin, index)),
        );
        await counted;
        await bury({ victim, wire });
        const answered = (await Promise.all(calls)).filter(answer => answer !== null);
        await expectKept(pin, [...answered, ...(await guessOn(pin))], 50 - answered.length);
        lost += 50 - answered.length;
      }
    },
    TIMEOUT_MS,
  );

  test(
    `fifty guesses whose callers went away stay counted, ${CHANCES} times`,
    async () => {
      let lost = 0;
      for (let run = 0; isToGoOn(run, lost); run++) {
        const pin = await sentPin();
        const gone = new AbortController();
        const counted = ear.next();
        const calls = times(50).map(index => guess(survivor, demo, pin, wrongCode(pin, index), gone.signal));
        await counted;
        gone.abort();
        const answered = (await Promise.all(calls)).filter(answer => answer !== null);
        await expectKept(pin, [...answered, ...(await guessOn(pin))], 50 - answered.length);
        lost += 50 - answered.length;
      }
    },
    TIMEOUT_MS,
  );

  /** Kills the connections of every gateway of this database. */
  const killConnections = () =>
    runSql(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name <> 'heliograph-tests'`,
    );

  test.each([
    ['while they waited', true],
    ['as the first were counted', false],
  ])(
    `fifty guesses whose connections were killed %s stay counted, ${CHANCES} times`,
    async (_when, waiting) => {
      let unavailable = 0;
      for (const _run of times(CHANCES)) {
        const pin = await sentPin();
        const row = waiting ? await holdRow(url, pin) : null;
        const counted = ear.next();
        const calls = times(50).map(index =>
          guess(survivor, demo, pin, index % 9 === 8 ? pin.code : wrongCode(pin, index)),
        );
        await (row ? row.awaited() : counted);
        await killConnections();
        await row?.release();
        const answers = (await Promise.all(calls)).filter(answer => answer !== null);
        const lost = answers.filter(({ code }) => code === 'database_unavailable').length;
        await until('the gateway has connections again', async () => {
          const answer = await guess(survivor, demo, { ...pin, pinId: 'pin_0' }, '1');
          return answer?.code === 'otp_not_found' ? true : null;
        });
        await expectKept(pin, [...answers, ...(await guessOn(pin))], lost);
        unavailable += lost;
      }
      if (waiting) expect(unavailable).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

/** Keeps a pin locked, so that who verifies it waits. */
async function holdRow(url: string, { pinId }: MadePin) {
  const client = new pg.Client({ connectionString: url, application_name: 'heliograph-tests' });
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from otps where id = $1 for update', [toUuid(pinId)]);
  return {
    /** Resolves when somebody waits for it. */
    awaited: () =>
      until('a guess waits', async () => {
        const [row] = await runSql(
          url,
          "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return Number(row?.n) > 0 ? true : null;
      }),
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}

interface LeftOtp {
  readonly status: string;
  readonly lease: boolean;
  readonly attempts: readonly { readonly channel: string; readonly status: string }[];
}

describePostgres('a code whose process was killed over its send', () => {
  let database: TestDatabase;
  let url: string;

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind === 'postgres') url = database.url;
  });
  afterAll(() => database.drop());

  async function readOtp(pinId: string): Promise<LeftOtp> {
    const id = toUuid(pinId);
    const [row] = await runSql(
      url,
      `select status, lease_until is not null as lease, (
         select json_agg(json_build_object('channel', channel, 'status', status) order by array_position(channels, channel), id)
         from attempts where pin_id = '${id}' and type = 'otp_attempt') as attempts
       from otps where id = '${id}'`,
    );
    return row as unknown as LeftOtp;
  }

  /** Sends, without waiting for the end, and answers the pin as soon as it is there. */
  async function beginSend(gateway: Gateway, token: string, area: OtpArea, body: object) {
    const call = callRest(gateway, token, `${OTP_PATHS[area]}/send`, { to: SLOW, ...body }).catch(() => 'cut off');
    const pinId = await until('the pin is there', async () => {
      const [row] = await runSql(url, `select id from otps where area = '${area}' and status = 'pending' limit 1`);
      return row ? `pin_${String(row.id).replaceAll('-', '')}` : null;
    });
    return { call, pinId };
  }

  const phoneOf = (gateway: Gateway, token: string) =>
    until('the code has arrived', async () => {
      const query = `{ sandboxMessages(to: "${SLOW}", first: 1) { text } }`;
      const { sandboxMessages } = await ask<{ sandboxMessages: { text: string }[] }>(gateway, token, query);
      return /\b[0-9]{6}\b/.exec(sandboxMessages[0]?.text ?? '')?.[0] ?? null;
    });

  test('has a definite state within 35 s of a restart, and is still good', async () => {
    const first = await startGateway({ databaseUrl: url, env });
    const { tokens } = await seedDemo(first);
    const fallback = { channels: ['chat_qr', 'sms'], chatFrom: '15550000001' };
    const [two, one] = await Promise.all([
      beginSend(first, tokens.unified, 'unified', fallback),
      beginSend(first, tokens.otp, 'otp', {}),
    ]);
    first.kill('SIGKILL');
    await first.exited;
    expect(await Promise.all([two.call, one.call])).toEqual(['cut off', 'cut off']);
    expect(await runSql(url, 'select id from sandbox_messages')).toEqual([]);

    const startedMs = performance.now();
    const next = await startGateway({ databaseUrl: url, env });
    const definite = (pinId: string) =>
      until(
        'the code has a definite state',
        async () => {
          const otp = await readOtp(pinId);
          return otp.status === 'pending' || otp.lease ? null : otp;
        },
        RECOVERED_MS - (performance.now() - startedMs),
      );
    // The channel that was asked is not asked again; the other one carries the same code.
    const taken = expect.stringMatching(/^(sent|delivered)$/);
    expect(await definite(two.pinId)).toMatchObject({
      status: 'sent',
      attempts: [
        { channel: 'chat_qr', status: 'unknown' },
        { channel: 'sms', status: taken },
      ],
    });
    expect(await definite(one.pinId)).toMatchObject({
      status: 'sent',
      attempts: [{ channel: 'sms', status: 'unknown' }],
    });

    const verify = async (area: OtpArea, pinId: string) => {
      const pin = await phoneOf(next, tokens.unified);
      return callRest(next, tokens[area], `${OTP_PATHS[area]}/verify`, { pinId, pin });
    };
    expect(await verify('unified', two.pinId)).toMatchObject({ code: 'verified' });
    await runSql(url, 'delete from sandbox_messages');
    expect(await callGraphql(next, tokens.otp, 'resendOtp', { pinId: one.pinId })).toMatchObject({ code: 'sent' });
    expect(await verify('otp', one.pinId)).toMatchObject({ code: 'verified' });
    next.kill('SIGTERM');
    await next.exited;
  });
});

describe('on the embedded database', () => {
  test('what was answered stays counted after kill -9', async () => {
    const first = await startGateway();
    const { demo } = first;
    if (!demo) throw new Error('a first start makes the demo account');
    const recipient = newRecipient();
    const { pinId = '' } = await callRest(first, demo.tokens.unified, '/api/omni/otp/send', { to: `+${recipient}` });
    const query = `{ sandboxMessages(to: "+${recipient}") { text } }`;
    const { sandboxMessages } = await ask<{ sandboxMessages: { text: string }[] }>(first, demo.tokens.unified, query);
    const pin = { pinId, recipient, code: /\b[0-9]{6}\b/.exec(sandboxMessages[0]?.text ?? '')?.[0] ?? '' };
    for (const index of times(3)) {
      expect(await guess(first, demo, pin, wrongCode(pin, index))).toMatchObject({ attemptsRemaining: 4 - index });
    }
    first.kill('SIGKILL');
    await first.exited;

    const second = await startGateway({ dataDir: first.dataDir });
    expect(await guess(second, demo, pin, wrongCode(pin, 3))).toMatchObject({ attemptsRemaining: 1 });
    expect(await guess(second, demo, pin, pin.code)).toMatchObject({ code: 'verified' });
    second.kill('SIGKILL');
    await second.exited;

    const third = await startGateway({ dataDir: first.dataDir });
    expect(await guess(third, demo, pin, pin.code)).toEqual({ code: 'otp_already_verified' });
    third.kill('SIGTERM');
    await third.exited;
  });
});

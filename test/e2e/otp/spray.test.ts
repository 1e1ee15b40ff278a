import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSql as runStatement } from '../../../src/db/statements/sql.ts';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { readRecord } from '../../support/leaks/log-faults.ts';
import { type MadePin, makePins, wrongCode } from '../../support/otp/pins.ts';
import { callGraphql, callRest, OTP_PATHS, type OtpAnswer, tallyCodes } from '../../support/otp/race.ts';
import { openBrokenBudget, type SprayOutcome, sprayOutcome } from '../../support/otp/spray.ts';
import {
  ask,
  type Demo,
  type Gateway,
  operatorTokenOf,
  seedDemo,
  startGateway,
} from '../../support/processes/gateway.ts';
import { openTestDatabase } from '../../support/services.ts';

/** How many pins are sprayed; a night's run asks for 10,000 (`SPRAY_PINS=10000`) on a machine that has nothing else to do. */
const PINS = Number(process.env.SPRAY_PINS ?? 1_000);

/** Wrong codes in a minute that the account is given. */
const LIMIT = 60;

/** How many guesses are under way at once. */
const AT_ONCE = 1_000;

const KEY = Buffer.alloc(32, 13);

/**
 * The answer to a guess, or the code `lost` where a busy machine shed it or broke the connection off. Nobody was told whether a lost guess
 * counted.
 */
function orLost(answer: Promise<OtpAnswer>): Promise<OtpAnswer> {
  const orTold = answer.then(told => (told.code === 'overloaded' ? { code: 'lost' } : told));
  return orTold.catch((error: unknown) => {
    if (error instanceof TypeError || /^status (408|503)/.test(String(error instanceof Error && error.message)))
      return { code: 'lost' };
    throw error;
  });
}

/** The broken promises where every guess is wrong, each at a pin of its own, all of them within `seconds`. */
function faultsOfSpray(answers: readonly OtpAnswer[], { attempts, mostInMinute }: SprayOutcome, seconds: number) {
  const told = tallyCodes(answers);
  const { otp_incorrect: evaluated = 0, lost = 0 } = told;
  const waits = answers.filter(({ code }) => code === 'rate_limited').map(({ retryAfter = 0 }) => retryAfter);
  const rules: [string, boolean][] = [
    [`${mostInMinute} were looked at in a minute`, mostInMinute === LIMIT],
    [
      `${evaluated} were told that their code is wrong, ${attempts} are counted, ${lost} are lost`,
      evaluated <= attempts && attempts <= evaluated + lost,
    ],
    [`${attempts} were looked at in ${seconds} s`, attempts <= LIMIT * minutesOf(seconds)],
    [`told was ${JSON.stringify(told)}`, evaluated + waits.length + lost === answers.length],
    ['a wait is not within a minute', waits.every(wait => wait >= 1 && wait <= 60)],
  ];
  return rules.filter(([, holds]) => !holds).map(([fault]) => fault);
}

/** The most minutes that have begun in so many seconds. */
function minutesOf(seconds: number): number {
  return Math.ceil((seconds + 1) / 60);
}

describePostgres('a spray of wrong codes over three gateways on one database', () => {
  let database: TestDatabase;
  let url: string;
  let gateways: readonly Gateway[];
  let demo: Demo;
  /** Of the area unified, both of one account. */
  let tokens: readonly string[];

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    url = database.url;
    const start = () =>
      startGateway({ databaseUrl: url, env: { SECRET_KEY: KEY.toString('base64'), LOG_LEVEL: 'warn' } });
    gateways = await Promise.all([start(), start(), start()]);
    demo = await seedDemo(gatewayAt(0));
    const made = await ask<{ createToken: { secret: string } }>(
      gatewayAt(0),
      await operatorTokenOf(gatewayAt(0)),
      'mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret } }',
      { input: { accountId: demo.accountId, area: 'UNIFIED' } },
    );
    tokens = [demo.tokens.unified, made.createToken.secret];
    await ask(
      gatewayAt(0),
      await operatorTokenOf(gatewayAt(0)),
      'mutation ($input: UpdateOtpSettingsInput!) { updateOtpSettings(input: $input) { id } }',
      { input: { accountId: demo.accountId, wrongCodesPerAccount: LIMIT } },
    );
  });

  afterAll(async () => {
    for (const gateway of gateways) gateway.kill('SIGTERM');
    await Promise.all(gateways.map(gateway => gateway.exited));
    await database.drop();
  });

  function gatewayAt(index: number): Gateway {
    const gateway = gateways[index % gateways.length];
    if (!gateway) throw new Error('no gateway');
    return gateway;
  }

  async function makeTargets(): Promise<readonly MadePin[]> {
    const own = await openTestDatabase(database);
    try {
      const seeds = Array.from({ length: PINS }, () => ({ accountId: demo.accountId, expiresInSeconds: 3_600 }));
      return await makePins(
        (text, parameters = []) => runStatement(own.sql(), text, parameters),
        seeds,
        createKeyRing(KEY, []),
      );
    } finally {
      await own.close();
    }
  }

  /** One wrong guess: over the gateways, the tokens and the transports in turn, each from an address of its own. */
  function guess(target: MadePin, index: number): Promise<OtpAnswer> {
    const clientIp = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
    const input = { pinId: target.pinId, pin: wrongCode(target), clientIp };
    const token = tokens[Math.floor(index / 6) % tokens.length] ?? '';
    return orLost(
      Math.floor(index / 3) % 2 === 0
        ? callRest(gatewayAt(index), token, `${OTP_PATHS.unified}/verify`, input)
        : callGraphql(gatewayAt(index), token, 'verifyOtp', input),
    );
  }

  test('is stopped at 60 looked at in a minute, and the operator is told once in each', async () => {
    const pins = await makeTargets();
    const beganMs = performance.now();
    const answers: OtpAnswer[] = [];
    let next = 0;
    const guessOn = async (): Promise<void> => {
      for (let target = pins[next]; target; target = pins[next]) answers.push(await guess(target, next++));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, guessOn));
    const seconds = (performance.now() - beganMs) / 1_000;
    const outcome = await sprayOutcome(url, demo.accountId);
    expect(faultsOfSpray(answers, outcome, seconds)).toEqual([]);
    const counted = await Promise.all(
      gateways.map(async gateway => {
        const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
        return Number(/^heliograph_otp_wrong_code_alarms_total (\d+)$/m.exec(metrics)?.[1]);
      }),
    );
    const count = counted.reduce((sum, n) => sum + n, 0);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(minutesOf(seconds));
    // A log comes later than the answers.
    const alarms = () =>
      gateways
        .flatMap(gateway => gateway.stderr().split('\n'))
        .map(readRecord)
        .filter(record => record?.event === 'otp_wrong_codes_alarm');
    await expect.poll(alarms).toHaveLength(count);
    expect(alarms()[0]).toMatchObject({ level: 50, accountId: demo.accountId, wrongCodes: LIMIT });
    process.stderr.write(
      `Sprayed ${PINS} pins in ${seconds.toFixed(1)} s: ${outcome.attempts} codes were looked at, at most ${outcome.mostInMinute} in a minute.\n`,
    );
  }, 600_000);

  describe.each([
    ['counts first and looks then', false],
    ['does so inside a transaction', true],
  ])('the same check catches a budget that %s', (_how, inTransaction) => {
    test('of 1,000 guesses', async () => {
      const broken = await openBrokenBudget(url, demo.accountId, LIMIT);
      try {
        const answers = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) => broken.guess(index, inTransaction)),
        );
        const outcome = await sprayOutcome(url, demo.accountId, broken.tables);
        expect(faultsOfSpray(answers, outcome, 0).join()).toMatch(/were looked at in a minute/);
      } finally {
        await broken.close();
      }
    });
  });
});

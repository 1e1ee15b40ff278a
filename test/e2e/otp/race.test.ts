import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { newAddress } from '../../support/otp/addresses.ts';
import { type MadePin, newRecipient, wrongCode } from '../../support/otp/pins.ts';
import {
  type BrokenOtps,
  callGraphql,
  callRest,
  type GuessOutcome,
  guessOutcome,
  OTP_PATHS,
  type OtpAnswer,
  type OtpArea,
  openBroken,
  tallyCodes,
} from '../../support/otp/race.ts';
import { type Demo, type Gateway, seedDemo, startGateway } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';

/** How often each race is run. */
const RUNS = rounds({ usual: 1, long: 5 });
const ROUNDS = Array.from({ length: RUNS }, (_, index) => index + 1);

const CALLS = 1_000;

/** Processes that share codes share their secret key. */
const SECRET_KEY = Buffer.alloc(32, 11).toString('base64');

/** All guesses wrong: five are looked at, each told another number, and all the others hear that the pin is blocked. */
const ALL_WRONG: GuessOutcome = {
  told: { otp_incorrect: 5, otp_blocked: CALLS - 5 },
  remaining: [4, 3, 2, 1, 0],
  attempts: 5,
  status: 'blocked',
  log: { otp_incorrect: 5, otp_blocked: CALLS - 5 },
};

/** All guesses right: the first that is looked at has it. */
const ALL_RIGHT: GuessOutcome = {
  told: { verified: 1, otp_already_verified: CALLS - 1 },
  remaining: [],
  attempts: 1,
  status: 'verified',
  log: { otp_verified: 1 },
};

/** The broken promises where one guess of all is right. */
function faultsOfOneRight(right: OtpAnswer, { told, remaining, attempts, status, log }: GuessOutcome): string[] {
  const incorrect = told.otp_incorrect ?? 0;
  const isWon = right.code === 'verified';
  const rules: [string, boolean][] = [
    [`the successes are ${told.verified}`, (told.verified ?? 0) === (isWon ? 1 : 0)],
    [
      `${incorrect + (told.verified ?? 0)} were looked at`,
      incorrect + (told.verified ?? 0) === attempts && attempts <= 5,
    ],
    [`left were ${remaining}`, remaining.join() === [4, 3, 2, 1, 0].slice(0, incorrect).join()],
    [`the right code was told ${right.code} after ${incorrect} wrong ones`, isWon ? incorrect < 5 : incorrect === 5],
    [`the pin ended ${status}`, status === (isWon ? 'verified' : 'blocked')],
    [
      `the rest were told ${JSON.stringify(told)}`,
      CALLS - attempts === (told[isWon ? 'otp_already_verified' : 'otp_blocked'] ?? 0),
    ],
    [
      `logged were ${JSON.stringify(log)}`,
      (log.otp_incorrect ?? 0) === incorrect && (log.otp_verified ?? 0) === (isWon ? 1 : 0),
    ],
  ];
  return rules.filter(([, holds]) => !holds).map(([fault]) => fault);
}

/** The broken promises where all send to one recipient. */
function faultsOfSends(answers: readonly OtpAnswer[], arrivals: number): string[] {
  const told = tallyCodes(answers);
  const waits = answers.filter(({ code }) => code === 'otp_cooldown').map(({ retryAfter = 0 }) => retryAfter);
  const rules: [string, boolean][] = [
    [`${arrivals} arrived`, arrivals === 1],
    [`told was ${JSON.stringify(told)}`, told.sent === 1 && told.otp_cooldown === CALLS - 1],
    ['a wait is not within a minute', waits.every(seconds => seconds >= 1 && seconds <= 60)],
  ];
  return rules.filter(([, holds]) => !holds).map(([fault]) => fault);
}

describePostgres('three gateways on one database', () => {
  let database: TestDatabase;
  let url: string;
  let gateways: readonly Gateway[];
  let demo: Demo;

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    url = database.url;
    const start = () => startGateway({ databaseUrl: url, env: { SECRET_KEY } });
    gateways = await Promise.all([start(), start(), start()]);
    demo = await seedDemo(gatewayAt(0));
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

  /** The newest code that the sandbox has for a recipient. */
  async function codeTo(recipient: string, mark = ''): Promise<string> {
    const [row] = await runSql(
      url,
      `select text from sandbox_messages where recipient = '${recipient}' and text like '%${mark}%' order by id desc limit 1`,
    );
    return /\b[0-9]{6}\b/.exec(String(row?.text))?.[0] ?? '';
  }

  async function arrivalsAt(recipient: string): Promise<number> {
    const [row] = await runSql(url, `select count(*)::int as n from sandbox_messages where recipient = '${recipient}'`);
    return Number(row?.n);
  }

  const sendRest = (index: number, area: OtpArea, body: { to: string; template?: string }) =>
    callRest(gatewayAt(index), demo.tokens[area], `${OTP_PATHS[area]}/send`, body);

  async function sentPin(area: OtpArea): Promise<MadePin> {
    const recipient = newRecipient();
    const { code, pinId = '' } = await sendRest(0, area, { to: `+${recipient}` });
    expect(code).toBe('sent');
    return { pinId, recipient, code: await codeTo(recipient) };
  }

  /** One guess: over the gateways in turn, over REST and GraphQL in turn, each from an address of its own. */
  function guess(area: OtpArea, { pinId }: MadePin, pin: string, index: number): Promise<OtpAnswer> {
    const token = demo.tokens[area];
    const input = { pinId, pin, clientIp: newAddress() };
    if (Math.floor(index / gateways.length) % 2 === 0)
      return callRest(gatewayAt(index), token, `${OTP_PATHS[area]}/verify`, input);
    return callGraphql(gatewayAt(index), token, 'verifyOtp', input);
  }

  const guessAll = (area: OtpArea, pin: MadePin, codeAt: (index: number) => string) =>
    Promise.all(Array.from({ length: CALLS }, (_, index) => guess(area, pin, codeAt(index), index)));

  describe.each(['unified', 'otp'] as const)('a thousand guesses at the same time at one pin, area %s', area => {
    test.each(ROUNDS)('all wrong: five are looked at, round %i', async () => {
      const pin = await sentPin(area);
      const answers = await guessAll(area, pin, index => wrongCode(pin, index));
      expect(await guessOutcome(url, pin.pinId, answers)).toEqual(ALL_WRONG);
    });

    test.each(ROUNDS)('all right: one has it, round %i', async () => {
      const pin = await sentPin(area);
      const answers = await guessAll(area, pin, () => pin.code);
      expect(await guessOutcome(url, pin.pinId, answers)).toEqual(ALL_RIGHT);
    });

    test.each(ROUNDS)('one right: it has it only among the five, round %i', async () => {
      const pin = await sentPin(area);
      // Early more often than not: among the first is where it may win.
      const right = Math.floor(Math.random() ** 3 * CALLS);
      const answers = await guessAll(area, pin, index => (index === right ? pin.code : wrongCode(pin, index)));
      const outcome = await guessOutcome(url, pin.pinId, answers);
      expect(faultsOfOneRight(answers[right] ?? { code: 'none' }, outcome)).toEqual([]);
    });
  });

  describe('a thousand sends at the same time to one recipient', () => {
    test.each(ROUNDS)('one goes out, round %i', async () => {
      const recipient = newRecipient();
      const answers = await Promise.all(
        Array.from({ length: CALLS }, (_, index) =>
          Math.floor(index / gateways.length) % 2 === 0
            ? sendRest(index, 'unified', { to: `+${recipient}` })
            : callGraphql(gatewayAt(index), demo.tokens.unified, 'sendOtp', { to: `+${recipient}` }),
        ),
      );
      expect(faultsOfSends(answers, await arrivalsAt(recipient))).toEqual([]);
    });
  });

  describe.each([
    ['reads the row and writes it then', false],
    ['does so inside a transaction', true],
  ])('the same checks catch an implementation that %s', (_how, inTransaction) => {
    async function withBroken<Result>(work: (broken: BrokenOtps, pinId: string) => Promise<Result>): Promise<Result> {
      const { pinId } = await sentPin('unified');
      const broken = await openBroken(url, pinId);
      try {
        return await work(broken, pinId);
      } finally {
        await broken.close();
      }
    }

    const guessBroken = (rightAt: (index: number) => boolean) =>
      withBroken(async (broken, pinId) => {
        const answers = await Promise.all(
          Array.from({ length: CALLS }, (_, index) => broken.guess(index, rightAt(index), inTransaction)),
        );
        return { answers, outcome: await guessOutcome(url, pinId, answers, broken.tables) };
      });

    test('all wrong', async () => {
      const { outcome } = await guessBroken(() => false);
      expect(outcome).not.toEqual(ALL_WRONG);
      expect(outcome.told.otp_incorrect).toBeGreaterThan(5);
    });

    test('all right', async () => {
      const { outcome } = await guessBroken(() => true);
      expect(outcome).not.toEqual(ALL_RIGHT);
      expect(outcome.told.verified).toBeGreaterThan(1);
    });

    test('one right', async () => {
      const { answers, outcome } = await guessBroken(index => index === 7);
      expect(faultsOfOneRight(answers[7] ?? { code: 'none' }, outcome)).not.toEqual([]);
    });

    test('sends', async () => {
      const faults = await withBroken(async broken => {
        const answers = await Promise.all(
          Array.from({ length: CALLS }, (_, index) => broken.send(index, inTransaction)),
        );
        return faultsOfSends(answers, await broken.arrivals());
      });
      expect(faults).not.toEqual([]);
    });
  });

  test.each(ROUNDS)('a code that was used is used for the other processes at once, round %i', async round => {
    const pin = await sentPin('unified');
    expect(await guess('unified', pin, pin.code, round)).toMatchObject({ code: 'verified' });
    const later = await Promise.all([1, 2, 3, 4, 5, 6].map(step => guess('unified', pin, pin.code, round + step)));
    expect(tallyCodes(later)).toEqual({ otp_already_verified: 6 });
  });

  test.each(ROUNDS)(
    'a code is over once a newer send has returned: 100 sends and their verifies, round %i',
    async round => {
      const recipient = '12025550100';
      const returned: { readonly pinId: string; readonly mark: string }[] = [];
      const answers: OtpAnswer[] = [];
      const sendAndTryOlder = async (worker: number): Promise<void> => {
        for (let number = 0; number < 10; number++) {
          const older = returned.at(-1);
          const mark = `${round}.${worker}.${number}.`;
          const { code: told, pinId = '' } = await sendRest(worker, 'unified', {
            to: `+${recipient}`,
            template: `{{code}} ${mark}`,
          });
          expect(told).toBe('sent');
          if (older) {
            const code = await codeTo(recipient, older.mark);
            expect(code).toMatch(/^[0-9]{6}$/);
            answers.push(await guess('unified', { ...older, recipient, code }, code, worker + number));
          }
          returned.push({ pinId, mark });
        }
      };
      await Promise.all(Array.from({ length: 10 }, (_, worker) => sendAndTryOlder(worker)));
      expect(answers.length).toBeGreaterThanOrEqual(90);
      expect(tallyCodes(answers)).toEqual({ otp_expired: answers.length });
      const live = `select count(*)::int as n from otps where recipient = '${recipient}' and status in ('pending', 'sent')`;
      expect(await runSql(url, live)).toEqual([{ n: 1 }]);
    },
  );
});

/**
 * Faults of other gateways and servers that verify passcodes, one test for each class of advisory, named after its ids. A test here fails
 * when the protection goes. Its races over processes are in `e2e/otp`, and its schedules in `limits/schedules`. Its limits are tested one
 * by one in `limits`, and its documents in `graphql/server`.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import type { Database } from '../../../src/db/orm.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { clientAddress } from '../../../src/kernel/network/address.ts';
import { routes } from '../../../src/rest/routes.ts';
import { type Customer, createTestApp, restRequest, type TestApp } from '../../support/app.ts';
import { newAddress } from '../../support/otp/addresses.ts';
import { wrongAgo, wrongsKept } from '../../support/otp/budgets.ts';
import { from, guess, type Told, tally, tryResend, trySend } from '../../support/otp/guess.ts';
import {
  type MadePin,
  makePin,
  makePins,
  newRecipient,
  type PinSeed,
  storedPin,
  wrongCode,
} from '../../support/otp/pins.ts';
import { OTP_AREAS, type OtpArea, otpPath } from '../../support/otp/rest-calls.ts';
import { openTestDatabase, withEm } from '../../support/services.ts';

let on: TestApp;
let other: Database;
let customer: Customer;

beforeAll(async () => {
  on = await createTestApp();
  other = await openTestDatabase(on.testDatabase);
});
// The wrong codes of an account are limited too, so each test begins with none given.
beforeEach(async () => {
  customer = await on.customer();
});
afterAll(async () => {
  await other.close();
  await on.close();
});

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
const pin = (seed: Partial<PinSeed> = {}) =>
  makePin(on.sql, { accountId: customer.accountId, ...seed }, on.app.services.keys);
const pinsOf = (accountId: string, count: number) =>
  makePins(on.sql, times(count, { accountId }), on.app.services.keys);

/** A request of the customer in process; of one of two processes, where a number is given. */
function ctx(process = 0, by: Customer = customer, area: OtpArea = 'unified'): Ctx {
  const made = on.app.makeCtx(by.actor(area), 'advisory');
  return process % 2 === 0 ? made : made.with({ services: { ...made.services, database: other } });
}

/** A way to verify. Answers the code that the caller is told, or `verified`. */
interface Path {
  readonly name: string;
  readonly area: OtpArea;
  verify(pinId: string, code: string): Promise<string>;
}

function restPath(area: OtpArea, member: 'pin' | 'otp' | 'code'): Path {
  return {
    name: `POST ${otpPath(area, 'verify')} with ${member}`,
    area,
    async verify(pinId, code) {
      const body = { pinId, [member]: code, clientIp: newAddress() };
      const answer = await on.rest('POST', otpPath(area, 'verify'), { token: customer.tokens[area], body });
      return answer.body.code ?? String(answer.body.data?.status);
    },
  };
}

function graphqlPath(area: OtpArea): Path {
  return {
    name: `POST /graphql, area ${area}`,
    area,
    async verify(pinId, code) {
      const { data, errors } = await on.graphql<{ verifyOtp: { status: string } }>(
        'mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }',
        { token: customer.tokens[area], variables: { input: { pinId, pin: code, clientIp: newAddress() } } },
      );
      return (errors?.[0]?.extensions.code ?? data?.verifyOtp.status ?? 'none').toLowerCase();
    },
  };
}

const PATHS: readonly Path[] = OTP_AREAS.flatMap(area => [
  restPath(area, 'pin'),
  restPath(area, 'otp'),
  restPath(area, 'code'),
  graphqlPath(area),
]);

const pathsOf = (area: OtpArea) => PATHS.filter(path => path.area === area);

describe('one code is accepted once', () => {
  test.each(OTP_AREAS)(
    'however many verify it at the same time, area %s (CVE-2026-43930 GHSA-jpq4-7fmq-q5fj, CVE-2026-34224 GHSA-w73w-g5xw-rwhf, CVE-2026-33624 GHSA-2299-ghjr-6vjp, Better Auth #8067 #9993)',
    async area => {
      const { pinId, code } = await pin({ area });
      const calls = times(25, pathsOf(area)).flat();
      const overHttp = calls.map(path => path.verify(pinId, code));
      const overTwo = calls.map(async (_, index) => (await guess(ctx(index, customer, area), { pinId }, code)).code);
      const told = await Promise.all([...overHttp, ...overTwo]);
      expect(tally(told.map(each => ({ code: each as Told['code'] })))).toEqual({
        verified: 1,
        otp_already_verified: told.length - 1,
      });
    },
  );

  test.each(OTP_AREAS)(
    'and is used up by that, on every path and for good, area %s (CVE-2026-31875 GHSA-4hf6-3x24-c9m8, CVE-2026-27855)',
    async area => {
      const { pinId, code } = await pin({ area });
      const [first] = pathsOf(area);
      expect(await first?.verify(pinId, code)).toBe('verified');
      for (const path of pathsOf(area))
        expect([path.name, await path.verify(pinId, code)]).toEqual([path.name, 'otp_already_verified']);
      expect(await tryResend(ctx(0, customer, area), pinId)).toMatchObject({ code: 'otp_already_verified' });
      for (const path of pathsOf(area))
        expect([path.name, await path.verify(pinId, code)]).toEqual([path.name, 'otp_already_verified']);
      expect(await storedPin(on.sql, pinId)).toMatchObject({
        status: 'verified',
        attempts: 1,
        log: { otp_verified: 1 },
      });
    },
  );
});

describe('a count outlives the failure of whoever asked', () => {
  test('whose transaction is rolled back (CVE-2026-35597 GHSA-fgfv-pv97-6cmj)', async context => {
    context.skip(on.testDatabase.kind === 'pglite', 'one connection: no transaction can be around a verify');
    const target = await pin();
    for (let tries = 0; tries < 5; tries++) {
      const caller = ctx();
      const undone = caller.em.transactional(async em => {
        await guess(withEm(caller, em), target, wrongCode(target, tries), newAddress());
        throw new Error('the caller fails');
      });
      await expect(undone).rejects.toThrow('the caller fails');
    }
    expect(await guess(ctx(), target, target.code, newAddress())).toEqual({ code: 'otp_blocked' });
    expect(await storedPin(on.sql, target.pinId)).toMatchObject({ status: 'blocked', attempts: 5 });
  });

  test('whose neighbours in the same group of commits fail (CVE-2026-35597 GHSA-fgfv-pv97-6cmj)', async () => {
    const target = await pin();
    const told = await Promise.allSettled([
      ...times(3, target).map((each, index) => guess(ctx(), each, wrongCode(each, index), newAddress())),
      ...times(3, { pinId: newId('pin') }).map(each => guess(ctx(), each, '1', newAddress())),
    ]);
    expect(told.map(({ status }) => status)).toEqual(times(6, 'fulfilled'));
    expect((await storedPin(on.sql, target.pinId)).attempts).toBe(3);
  });
});

describe('tries are limited', () => {
  test.each(PATHS.map(path => [path.name, path] as const))(
    'to five by %s (CVE-2024-32868 GHSA-7j7j-66cv-m239, CVE-2025-64102 GHSA-xrw9-r35x-x878, CVE-2026-105638 GHSA-mqjv-rwgv-4gxq, CVE-2026-33640 GHSA-cwhc-53hw-qqx6, CVE-2026-56450, GHSA-85v8-vx4w-q684, usd-2021-0016)',
    async (_name, path) => {
      const target = await pin({ area: path.area });
      const told = [];
      for (let tries = 0; tries < 8; tries++) told.push(await path.verify(target.pinId, wrongCode(target, tries)));
      expect(told).toEqual([...times(5, 'otp_incorrect'), ...times(3, 'otp_blocked')]);
      expect(await path.verify(target.pinId, target.code)).toBe('otp_blocked');
    },
  );

  test('by every path that there is: one that is added is added here too (CVE-2025-64102 GHSA-xrw9-r35x-x878)', () => {
    const mounted = routes
      .filter(({ operation }) => operation.includes('verify'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(mounted.toSorted()).toEqual(OTP_AREAS.map(area => `POST ${otpPath(area, 'verify')}`).toSorted());
    const fields = Object.keys(on.app.schema.getMutationType()?.getFields() ?? {});
    // A code of a person's own app is no passcode, and has tries of its own.
    const ofOtps = fields.filter(name => name !== 'confirmSecondFactor');
    expect(ofOtps.filter(name => /verif|confirm|check|redeem/i.test(name))).toEqual(['verifyOtp']);
  });

  test.each(OTP_AREAS)(
    'to five over all paths together, area %s: who is locked out of one is locked out of all (CVE-2026-9798)',
    async area => {
      const target = await pin({ area });
      const paths = times(3, pathsOf(area)).flat();
      const told = [];
      for (const [index, path] of paths.entries()) told.push(await path.verify(target.pinId, wrongCode(target, index)));
      expect(told).toEqual([...times(5, 'otp_incorrect'), ...times(paths.length - 5, 'otp_blocked')]);
      for (const path of pathsOf(area)) expect(await path.verify(target.pinId, target.code)).toBe('otp_blocked');
      expect(await tryResend(ctx(0, customer, area), target.pinId)).toMatchObject({ code: 'otp_blocked' });
    },
  );

  test('to five of 1,000 at the same time over two processes (CVE-2024-4629)', async () => {
    const target = await pin();
    const told = await Promise.all(
      times(1_000, target).map((each, index) => guess(ctx(index), each, wrongCode(each, index), newAddress())),
    );
    expect(tally(told)).toEqual({ otp_incorrect: 5, otp_blocked: 995 });
  });

  test('to five for one pin from 200 addresses (GHSA-c55g-q6f4-5qxr, CVE-2026-43914 GHSA-c5rv-q295-7w4g)', async () => {
    const target = await pin();
    const told = [];
    for (let tries = 0; tries < 200; tries++) {
      told.push(await guess(from(ctx(), newAddress()), target, wrongCode(target, tries), newAddress()));
    }
    expect(tally(told)).toEqual({ otp_incorrect: 5, otp_blocked: 195 });
  });

  test('to twenty for one recipient from as many addresses, whatever number of pins (GHSA-c55g-q6f4-5qxr)', async () => {
    const recipient = newRecipient();
    const told = [];
    for (let pins = 0; pins < 6; pins++) {
      const target = await pin({ recipient });
      for (let tries = 0; tries < 5; tries++)
        told.push(await guess(ctx(), target, wrongCode(target, tries), newAddress()));
      await on.sql("update otps set status = 'cancelled' where id = $1 and status = 'sent'", [toUuid(target.pinId)]);
    }
    expect(tally(told)).toEqual({ otp_incorrect: 20, rate_limited: 10 });
  });
});

/** Guesses once at each of 40 pins of an account, as `guessAt` does; the limit of an address is 30. */
async function spray(guessAt: (target: MadePin, index: number, by: Customer) => Promise<string>) {
  const by = await on.customer();
  const told = [];
  for (const [index, target] of (await pinsOf(by.accountId, 40)).entries()) told.push(await guessAt(target, index, by));
  const kept = Object.keys(await wrongsKept(on.sql, by.accountId)).filter(subject => !/^(\+|account$)/.test(subject));
  return { told: tally(told.map(code => ({ code: code as Told['code'] }))), addresses: kept };
}

/** The answers of a limit that counts all of them as one address. */
const ONE_ADDRESS = { otp_incorrect: 30, rate_limited: 10 };

const HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip'];

describe('an address is', () => {
  test('its network of 64 bits, whichever address of it guesses (CVE-2026-45364 GHSA-p6v2-xcpg-h6xw)', async () => {
    const { told, addresses } = await spray(async (target, index, by) => {
      const clientIp = `2001:db8:7:9:${(index * 1009).toString(16)}::${index.toString(16)}`;
      return (await guess(ctx(0, by), target, wrongCode(target), clientIp)).code;
    });
    expect({ told, addresses }).toEqual({ told: ONE_ADDRESS, addresses: ['2001:db8:7:9::/64'] });
  });

  test('one however it is written (CVE-2026-45364 GHSA-p6v2-xcpg-h6xw)', async () => {
    const writings = [
      '192.0.2.1',
      '::ffff:192.0.2.1',
      '::FFFF:192.0.2.1',
      '::ffff:c000:201',
      '0:0:0:0:0:ffff:c000:0201',
    ];
    const { told, addresses } = await spray(
      async (target, index, by) =>
        (await guess(ctx(0, by), target, wrongCode(target), writings[index % writings.length])).code,
    );
    expect({ told, addresses }).toEqual({ told: ONE_ADDRESS, addresses: ['192.0.2.1'] });
  });

  test("not what stands leftmost in X-Forwarded-For, which is the caller's own (CVE-2026-45364 GHSA-p6v2-xcpg-h6xw)", async () => {
    const { told, addresses } = await spray(async (target, index, by) => {
      const header = `203.0.113.${index}, 198.51.100.${index}, 192.0.2.44`;
      const caller = from(ctx(0, by), clientAddress('127.0.0.1', header, { hops: 1 }));
      return (await guess(caller, target, wrongCode(target))).code;
    });
    expect({ told, addresses }).toEqual({ told: ONE_ADDRESS, addresses: ['192.0.2.44'] });
  });

  test.each(HEADERS)(
    'not what a stranger says in %s (CVE-2023-49792 GHSA-5j2p-q736-hw98, CVE-2026-43914 GHSA-c5rv-q295-7w4g)',
    async header => {
      const { told, addresses } = await spray(async (target, index, by) => {
        const value = header === 'forwarded' ? `for=203.0.113.${index}` : `203.0.113.${index}`;
        const asked = restRequest('POST', otpPath('unified', 'verify'), {
          token: by.tokens.unified,
          body: { pinId: target.pinId, pin: wrongCode(target) },
          headers: { [header]: value },
        });
        const response = await on.app.fetch(asked, { peer: '192.0.2.55' });
        return ((await response.json()) as { code: string }).code;
      });
      expect({ told, addresses }).toEqual({ told: ONE_ADDRESS, addresses: ['192.0.2.55'] });
    },
  );
});

describe('a lockout is no weapon (CVE-2024-1722)', () => {
  test('a pin that was locked by wrong codes is made good by a new one', async () => {
    const target = await pin();
    for (let tries = 0; tries < 5; tries++) await guess(ctx(), target, wrongCode(target, tries), newAddress());
    expect(await guess(ctx(), target, target.code, newAddress())).toEqual({ code: 'otp_blocked' });
    const next = await pin({ recipient: target.recipient });
    expect(await guess(ctx(), next, next.code, newAddress())).toEqual({ code: 'verified' });
  });

  test("nobody without the account's token locks a pin or a recipient", async () => {
    const target = await pin();
    const stranger = await on.customer();
    const told = await Promise.all(
      times(200, target).map(each => guess(ctx(0, stranger), each, wrongCode(each), newAddress())),
    );
    expect(tally(told)).toEqual({ otp_not_found: 200 });
    expect(await guess(ctx(), target, target.code, newAddress())).toEqual({ code: 'verified' });
  });

  test('one address locks no recipient: it runs out of tries first, and takes no more', async () => {
    const by = await on.customer();
    const address = newAddress();
    await wrongAgo(on.sql, { accountId: by.accountId, address }, times(30, 1));
    const [target] = await pinsOf(by.accountId, 1);
    if (!target) throw new Error('no pin was made');
    for (let tries = 0; tries < 50; tries++) {
      expect(await guess(ctx(0, by), target, wrongCode(target, tries), address)).toMatchObject({
        code: 'rate_limited',
      });
    }
    expect(await guess(ctx(0, by), target, target.code, newAddress())).toEqual({ code: 'verified' });
  });

  // The attack that is left: a guesser in the customer's own form can use up the twenty of a recipient, for a day at most.
  test('twenty wrong codes lock one recipient for a day at most, and no other one', async () => {
    const target = await pin();
    await wrongAgo(on.sql, { accountId: customer.accountId, recipient: target.recipient }, times(20, 1));
    const { code, retryAfter = 0 } = await guess(ctx(), target, target.code, newAddress());
    expect(code).toBe('rate_limited');
    expect(retryAfter).toBeLessThanOrEqual(86_400);
    const neighbour = await pin();
    expect(await guess(ctx(), neighbour, neighbour.code, newAddress())).toEqual({ code: 'verified' });
  });

  test('a locked recipient is still sent to', async () => {
    const recipient = newRecipient();
    await wrongAgo(on.sql, { accountId: customer.accountId, recipient }, times(20, 1));
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'sent' });
  });
});

describe('one request is one guess (CrackQL otp-bypass, GraphQL batching attack, OWASP GraphQL cheat sheet)', () => {
  const field = (alias: string, code: string, pinId: string) =>
    `${alias}:verifyOtp(input:{pinId:"${pinId}",pin:"${code}"}){id}`;
  const documentOf = (count: number, target: MadePin) =>
    `mutation{${Array.from({ length: count }, (_, index) => field(`a${index}`, wrongCode(target, index), target.pinId)).join(' ')}}`;

  async function expectNoneLookedAt(body: unknown, target: MadePin): Promise<void> {
    const answer = await on.rest('POST', '/graphql', { token: customer.tokens.unified, body });
    expect(answer.body.data ?? null).toBeNull();
    expect(answer.body.errors).not.toEqual([]);
    expect(await storedPin(on.sql, target.pinId)).toEqual({ status: 'sent', attempts: 0, log: {} });
  }

  test.each([2, 16, 500, 10_000])('however many aliases it has: %i', async count => {
    const target = await pin();
    await expectNoneLookedAt({ query: documentOf(count, target) }, target);
  });

  test.each([1, 2, 100])('however many documents it lists: %i', async count => {
    const target = await pin();
    await expectNoneLookedAt(times(count, { query: documentOf(1, target) }), target);
  });

  test('and it is one where it has one', async () => {
    const target = await pin();
    const { errors } = await on.graphql(documentOf(1, target), { token: customer.tokens.unified });
    expect(errors?.[0]?.extensions.code).toBe('OTP_INCORRECT');
    expect(await storedPin(on.sql, target.pinId)).toEqual({ status: 'sent', attempts: 1, log: { otp_incorrect: 1 } });
  });
});

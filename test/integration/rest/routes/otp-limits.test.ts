import { describe, expect, test } from 'vitest';
import type { Customer, RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { endCooldowns, OTP_AREAS, type OtpArea, otpPath, sendPin, verifyPin } from '../../../support/otp/rest-calls.ts';
import { expectLimit, expectProblem, PROBLEM_MEMBERS } from '../../../support/problems.ts';
import { emptyBuckets } from '../../../support/request-buckets.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

function send(body: unknown, area: OtpArea = 'unified', of: Customer = customer): Promise<RestAnswer> {
  return on.rest('POST', otpPath(area, 'send'), { token: of.tokens[area], body });
}

describe('the limits of a recipient', () => {
  test.each(OTP_AREAS)('no other passcode goes out within 60 s, with a token of the area %s', async area => {
    const recipient = newPhone();
    expect((await send({ to: recipient }, area)).status).toBe(200);
    const answer = await send({ to: recipient }, area);
    expectLimit(answer, 'otp_cooldown', 60);
    expect(Object.keys(answer.body)).toEqual([...PROBLEM_MEMBERS, 'retryAfter']);
  });

  test('the cooldown of one area is none of the other', async () => {
    const recipient = newPhone();
    expect((await send({ to: recipient }, 'unified')).status).toBe(200);
    expect((await send({ to: recipient }, 'otp')).status).toBe(200);
  });

  test('the sandbox numbers have no cooldown', async () => {
    for (const area of ['unified', 'unified', 'otp', 'otp'] as const) {
      expect((await send({ to: '+12025550100' }, area)).status).toBe(200);
    }
  });

  test('a newer passcode ends the older one', async () => {
    const own = await on.customer();
    const recipient = newPhone();
    const older = await sendPin(on, own, { to: recipient });
    await endCooldowns(on, own);
    const newer = await sendPin(on, own, { to: recipient });
    expectProblem(await verifyPin(on, own, { pinId: older.pinId, pin: older.code }), 410, 'otp_expired');
    expect((await verifyPin(on, own, { pinId: newer.pinId, pin: newer.code })).status).toBe(200);
  });

  test('a recipient gets five in an hour', async () => {
    const own = await on.customer();
    const recipient = newPhone();
    for (let count = 0; count < 5; count++) {
      await endCooldowns(on, own);
      expect((await send({ to: recipient }, 'unified', own)).status).toBe(200);
    }
    await endCooldowns(on, own);
    expectLimit(await send({ to: recipient }, 'unified', own), 'rate_limited', 3_600);
  });
});

describe('the limit of requests per token', () => {
  test('is told with every answer, and refuses what is too much', async () => {
    const own = await on.customer({ rateLimit: 1 });
    const taken = await send({ to: '+12025550104' }, 'otp', own);
    expectProblem(taken, 502, 'all_channels_failed');
    expect(taken.headers.get('ratelimit')).toMatch(/^"requests";r=1;t=[0-9]+$/);
    await emptyBuckets(on.sql, own.accountId);
    const refused = await send({ to: '+12025550104' }, 'otp', own);
    expectLimit(refused, 'rate_limited', 2);
    for (const { headers } of [taken, refused]) expect(headers.get('ratelimit-policy')).toBe('"requests";q=2;w=2');
  });

  test('is told nothing of where there is none', async () => {
    const { headers } = await send({ to: newPhone() });
    expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([null, null]);
  });
});

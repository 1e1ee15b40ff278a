import { describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { logsData } from '../../../../src/rest/schemas.ts';
import type { Customer, RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { wrongCode } from '../../../support/otp/pins.ts';
import { expirePin, otpPath, sendPin, setOtpLimits, verifyPin } from '../../../support/otp/rest-calls.ts';
import { expectProblem } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const PATH = '/api/sms/otp/logs';

function logs(of: Customer, query = ''): Promise<RestAnswer> {
  return on.rest('GET', `${PATH}${query}`, { token: of.tokens.otp });
}

async function entries(of: Customer) {
  return logsData.parse((await logs(of)).body.data).logs;
}

test('every outcome is an entry, newest first, in the documented shape', async () => {
  const own = await on.customer();
  const pin = await sendPin(on, own, { area: 'otp' });
  await verifyPin(on, own, { pinId: pin.pinId, pin: wrongCode(pin) }, 'otp');
  await verifyPin(on, own, { pinId: pin.pinId, pin: pin.code }, 'otp');
  const { status, body, headers } = await logs(own);
  expect([status, body.success]).toEqual([200, true]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(body.data ?? {})).toEqual(['logs', 'nextCursor']);
  const data = logsData.parse(body.data);
  expect(data.nextCursor).toBeNull();
  const facts = ['type', 'channel', 'provider', 'status', 'segments', 'credits'] as const;
  expect(data.logs.map(entry => facts.map(fact => String(entry[fact])).join(' '))).toEqual([
    'otp_verified sms null verified 0 0',
    'otp_incorrect sms null failed 0 0',
    'otp_attempt sms sandbox sent 1 1',
  ]);
  for (const entry of data.logs) {
    expect(entry).toMatchObject({ messageId: null, pinId: pin.pinId, recipient: pin.recipient });
    expect(Object.keys(entry)).toEqual(
      'id type messageId pinId channel provider recipient status errorCode errorMessage segments credits latencyMs createdAt'.split(
        ' ',
      ),
    );
  }
});

test('a time range goes by the time that each entry shows', async () => {
  const own = await on.customer();
  const pin = await sendPin(on, own, { area: 'otp' });
  await verifyPin(on, own, { pinId: pin.pinId, pin: wrongCode(pin) }, 'otp');
  await verifyPin(on, own, { pinId: pin.pinId, pin: pin.code }, 'otp');
  const idsOf = async (filter: object): Promise<string[]> => {
    const query = 'query ($filter: LogFilter) { logs(filter: $filter) { nodes { id } } }';
    const asked = { token: own.tokens.otp, variables: { filter } };
    const { data } = await on.graphql<{ logs: { nodes: { id: string }[] } }>(query, asked);
    return (data?.logs.nodes ?? []).map(({ id }) => id);
  };
  for (const { id, createdAt } of await entries(own)) {
    expect(await idsOf({ from: createdAt })).toContain(id);
    expect(await idsOf({ to: createdAt })).not.toContain(id);
  }
});

test('what the fraud guard observes is in the log of GraphQL alone', async () => {
  const own = await on.customer();
  await on.sql(
    `insert into attempts (id, account_id, area, type, recipient, status, segments, started_at, finished_at)
     values ($1, $2, 'otp', 'otp_flagged', '12025550199', 'sent', 0, now(), now())`,
    [toUuid(newId('att')), toUuid(own.accountId)],
  );
  await expect(entries(own)).resolves.toEqual([]);
  const { data } = await on.graphql<{ logs: { nodes: unknown[] } }>(
    '{ logs(filter: {types: [OTP_FLAGGED, OTP_BLOCKED]}) { nodes { type status } } }',
    { token: own.tokens.otp },
  );
  expect(data?.logs.nodes).toEqual([{ type: 'OTP_FLAGGED', status: 'SENT' }]);
});

test('a send that failed is an entry', async () => {
  const own = await on.customer();
  await on.rest('POST', otpPath('otp', 'send'), { token: own.tokens.otp, body: { to: '+12025550101' } });
  expect(await entries(own)).toMatchObject([
    { type: 'otp_attempt', channel: 'sms', status: 'failed', errorCode: 'recipient_refused', credits: 0 },
  ]);
});

test('a verify after the time is an entry', async () => {
  const own = await on.customer();
  const { pinId, code } = await sendPin(on, own, { area: 'otp' });
  await expirePin(on, pinId);
  await verifyPin(on, own, { pinId, pin: code }, 'otp');
  const [entry] = await entries(own);
  expect(entry).toMatchObject({ type: 'otp_expired', pinId, status: 'expired', errorCode: 'otp_expired' });
});

test('a verify of a blocked passcode is an entry', async () => {
  const own = await on.customer();
  const pin = await sendPin(on, own, { area: 'otp' });
  for (let number = 0; number < 6; number++) {
    await verifyPin(on, own, { pinId: pin.pinId, pin: wrongCode(pin, number) }, 'otp');
  }
  expect((await entries(own)).map(entry => entry.type)).toEqual([
    'otp_blocked',
    ...Array.from({ length: 5 }, () => 'otp_incorrect'),
    'otp_attempt',
  ]);
});

test('a verify that a limit refused is an entry', async () => {
  const own = await on.customer();
  await setOtpLimits(on, own, { wrongCodesPerDay: 1 });
  const pin = await sendPin(on, own, { area: 'otp' });
  for (const code of [wrongCode(pin), pin.code]) await verifyPin(on, own, { pinId: pin.pinId, pin: code }, 'otp');
  const [entry] = await entries(own);
  expect(entry).toMatchObject({ type: 'otp_blocked', status: 'blocked', errorCode: 'rate_limited' });
});

test('no entry holds a code or a text', async () => {
  const own = await on.customer();
  const pin = await sendPin(on, own, { area: 'otp' });
  for (const code of [wrongCode(pin), pin.code]) await verifyPin(on, own, { pinId: pin.pinId, pin: code }, 'otp');
  const shown = JSON.stringify(
    (await entries(own)).map(({ id, pinId, recipient, createdAt, latencyMs, ...entry }) => entry),
  );
  for (const secret of [pin.code, wrongCode(pin), 'verification code']) expect(shown).not.toContain(secret);
});

test('holds what was made with tokens of the area otp, and nothing else of the account', async () => {
  const own = await on.customer();
  const [ours] = [await sendPin(on, own, { area: 'otp' }), await sendPin(on, own, { area: 'unified' })];
  const sms = { to: '+12025550100', text: 'Hello', sender: 'ACME' };
  await on.rest('POST', '/api/sms/send', { token: own.tokens.sms, body: sms });
  expect((await entries(own)).map(entry => entry.pinId)).toEqual([ours?.pinId]);
});

test('is part of the log of the unified path', async () => {
  const own = await on.customer();
  const { pinId } = await sendPin(on, own, { area: 'otp' });
  const { body } = await on.rest('GET', '/api/omni/logs', { token: own.tokens.unified });
  expect(logsData.parse(body.data).logs.map(entry => entry.pinId)).toEqual([pinId]);
});

test('a guess at a passcode of somebody else is in nobody’s log', async () => {
  const [own, other] = [await on.customer(), await on.customer()];
  const { pinId, code } = await sendPin(on, own, { area: 'otp' });
  await verifyPin(on, other, { pinId, pin: code }, 'otp');
  expect((await entries(own)).map(entry => entry.type)).toEqual(['otp_attempt']);
  expect(await entries(other)).toEqual([]);
});

test('pages follow each other by nextCursor, without a gap or a repeat', async () => {
  const own = await on.customer();
  for (let count = 0; count < 3; count++) await sendPin(on, own, { area: 'otp' });
  const whole = (await entries(own)).map(entry => entry.id);
  expect(whole).toHaveLength(3);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await logs(own, `?limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    const page = logsData.parse(body.data);
    seen.push(...page.logs.map(entry => entry.id));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(whole);
});

test.each(['?limit=1', '?limit=200', '?limit=50&cursor=', '?unknown=1'])('reads %s', async query => {
  const { status } = await logs(customer, query);
  expect(status).toBe(query.includes('cursor') ? 400 : 200);
});

describe('refuses', () => {
  test.each([
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?limit=ten', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?cursor=x', 'cursor'],
  ])('%s', async (query, field) => {
    const answer = await logs(customer, query);
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors?.map(error => error.field)).toEqual([field]);
  });

  test('a call without a token', async () => {
    const answer = await on.rest('GET', PATH);
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(['POST', 'PUT', 'DELETE'])('the method %s', async method => {
    const answer = await on.rest(method, PATH, { token: customer.tokens.otp });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET');
  });
});

test('is open while the unified API is off and its plan is over', async () => {
  const off = await on.customer({ unifiedApi: false, planExpiresAt: new Date(Date.now() - 60_000) });
  expect((await logs(off)).status).toBe(200);
});

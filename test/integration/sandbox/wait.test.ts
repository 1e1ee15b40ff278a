import { describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { statementsOf } from '../../support/databases/statements.ts';
import { oncePerFile, oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { expirePin, sendPin, verifyPin } from '../../support/otp/rest-calls.ts';

/** More waits at once than requests are worked on. */
const CROWD = 100;

const on = setUpApp({ mayTell: /http:\/\/127\.0\.0\.1[:/]/g });
const customer = setUpOwnCustomer(on);
const gateway = oncePerTest(openHttpGateway, gate => gate.close());
const listener = oncePerFile(() => on.app.start());

const WAIT_FOR_CODE = `query ($to: String!, $timeoutSeconds: Int) {
  found: sandboxWaitForCode(to: $to, timeoutSeconds: $timeoutSeconds) { code pinId message { to text channel } } }`;
const WAIT_FOR_TEXT = `query ($to: String!, $timeoutSeconds: Int) {
  found: sandboxWaitForText(to: $to, timeoutSeconds: $timeoutSeconds) { text from } }`;

interface FoundCode {
  readonly code: string;
  readonly pinId: string;
}

interface FoundText {
  readonly text: string;
  readonly from: string;
}

const ask = <Found>(query: string, to: string, timeoutSeconds: number | null, token = customer.tokens.unified) =>
  on.graphql<{ found: Found | null }>(query, { token, variables: { to, timeoutSeconds } });

const waitForCode = async (to: string, timeoutSeconds: number | null = null) =>
  (await ask<FoundCode>(WAIT_FOR_CODE, to, timeoutSeconds)).data?.found;

const waitForText = async (to: string, timeoutSeconds: number | null = null) =>
  (await ask<FoundText>(WAIT_FOR_TEXT, to, timeoutSeconds)).data?.found;

const sendText = (to: string, text: string) =>
  on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body: { to, text, sender: 'ACME' } });

describe('the code of a passcode', () => {
  test('that has come is answered at once, and is right', async () => {
    const { pinId, recipient, code } = await sendPin(on, customer);
    const text = expect.stringContaining(code);
    const found = { code, pinId, message: { to: recipient, text, channel: 'SMS' } };
    expect(await waitForCode(`+${recipient}`)).toEqual(found);
    expect((await verifyPin(on, customer, { pinId, pin: code })).status).toBe(200);
  });

  test('that comes later is answered when it comes', async () => {
    const to = newPhone();
    const waiting = waitForCode(to);
    const { pinId, code } = await sendPin(on, customer, { to });
    expect(await waiting).toMatchObject({ code, pinId });
  });

  test('is that of the newest text, whatever else has come since', async () => {
    const { pinId, recipient, code } = await sendPin(on, customer);
    await sendText(`+${recipient}`, 'Your parcel 123456 is on its way');
    expect(await waitForCode(`+${recipient}`)).toMatchObject({ code, pinId });
  });

  test.each<[what: string, end: (pin: { pinId: string; code: string }) => Promise<unknown>]>([
    ['was used', ({ pinId, code }) => verifyPin(on, customer, { pinId, pin: code })],
    ['is too old', ({ pinId }) => expirePin(on, pinId)],
  ])('that %s is none: nothing came in time', async (_what, end) => {
    const pin = await sendPin(on, customer);
    await end(pin);
    expect(await waitForCode(`+${pin.recipient}`, 1)).toBeNull();
  });

  test('that went to a real phone is told nobody', async () => {
    const input = {
      accountId: customer.accountId,
      provider: 'http-sms',
      channel: 'SMS',
      name: 'Carrier',
      config: gateway.config,
    };
    const { errors } = await on.graphql(
      'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }',
      { token: OPERATOR_TOKEN, variables: { input } },
    );
    expect(errors).toBeNull();
    const to = newPhone();
    const body = { to, channels: ['sms'] };
    const { status } = await on.rest('POST', '/api/omni/otp/send', { token: customer.tokens.unified, body });
    expect([status, gateway.messages.length]).toEqual([200, 1]);
    expect(await waitForCode(to, 1)).toBeNull();
  });
});

describe('a text', () => {
  test('that came a moment ago is the next one', async () => {
    const to = newPhone();
    await sendText(to, 'First');
    await sendText(to, 'Second');
    expect(await waitForText(to)).toEqual({ text: 'Second', from: 'ACME' });
  });

  test('that comes later is answered when it comes; an older one, and one to another phone, are none', async () => {
    const to = newPhone();
    await on.sql(
      `insert into sandbox_messages (id, account_id, recipient, channel, sender, text, created_at)
       values ($1, $2, $3, 'sms', 'ACME', 'Old', now() - interval '11 seconds')`,
      [toUuid(newId('sbx')), toUuid(customer.accountId), to.slice(1)],
    );
    const waiting = waitForText(to);
    await sendText(newPhone(), 'Elsewhere');
    await sendText(to, 'New');
    expect(await waiting).toEqual({ text: 'New', from: 'ACME' });
  });

  test('of another account is none', async () => {
    const to = newPhone();
    await sendText(to, 'Mine');
    const other = await on.customer();
    const { data } = await ask(WAIT_FOR_TEXT, to, 1, other.tokens.unified);
    expect(data).toEqual({ found: null });
  });
});

test('those who wait hold no place of those who work', async () => {
  const to = newPhone();
  const headers = { authorization: `Bearer ${customer.tokens.unified}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: WAIT_FOR_TEXT, variables: { to } });
  const waiting = Array.from({ length: CROWD }, async () => {
    const response = await fetch(`${listener.url}/graphql`, { method: 'POST', headers, body });
    return response.json();
  });
  const message = JSON.stringify({ to, text: 'All of you', sender: 'ACME' });
  const sms = { ...headers, authorization: `Bearer ${customer.tokens.sms}` };
  const sent = await fetch(`${listener.url}/api/sms/send`, { method: 'POST', headers: sms, body: message });
  expect(sent.status).toBe(200);
  const found = { data: { found: { text: 'All of you', from: 'ACME' } } };
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: CROWD }, () => found));
});

test('an account waits a hundred times at once: one more is refused until one of them ends, and no other account', async () => {
  const to = newPhone();
  const waiting = Array.from({ length: 101 }, () => ask<FoundText>(WAIT_FOR_TEXT, to, 60));
  const refused = await Promise.race(waiting);
  expect(refused.errors?.[0]).toMatchObject({
    message:
      'The account waits for 100 texts and codes of the sandbox here, as many as it may. End one of these waits first.',
    extensions: { code: 'RATE_LIMITED', retryAfter: 5 },
  });
  const other = await on.customer();
  expect((await ask(WAIT_FOR_CODE, to, 1, other.tokens.unified)).data).toEqual({ found: null });
  await sendText(to, 'All of you');
  const found = (await Promise.all(waiting)).filter(({ data }) => data?.found?.text === 'All of you');
  expect(found).toHaveLength(100);
  expect((await ask(WAIT_FOR_CODE, to, 1)).data).toEqual({ found: null });
});

test.each([
  ['a text', WAIT_FOR_TEXT],
  ['a code', WAIT_FOR_CODE],
])('those who wait for %s share a look at each arrival', async (_what, query) => {
  const to = newPhone();
  const looks = (seen: readonly string[]) =>
    seen.filter(text => /^select .* from "sandbox_messages"/.test(text)).length;
  let before = 0;
  const seen = await statementsOf(on.app.services.database, async soFar => {
    const waiting = Array.from({ length: 20 }, () => ask<object>(query, to, 60));
    // Each looks at once, and again when it follows.
    await expect.poll(() => looks(soFar)).toBe(40);
    before = looks(soFar);
    await sendPin(on, customer, { to });
    for (const { data } of await Promise.all(waiting)) expect(data?.found).toBeTruthy();
  });
  expect(looks(seen) - before).toBeLessThan(5);
});

test.each([
  ['a phone that is none', 'abc', 1, 'to'],
  ['no time', '+12025550100', 0, 'timeoutSeconds'],
  ['too long a time', '+12025550100', 61, 'timeoutSeconds'],
])('%s is refused', async (_what, to, timeoutSeconds, field) => {
  for (const query of [WAIT_FOR_CODE, WAIT_FOR_TEXT]) {
    const { errors } = await ask(query, to, timeoutSeconds);
    expect(errors).toEqual([
      expect.objectContaining({
        extensions: expect.objectContaining({ code: 'INVALID_INPUT', errors: [expect.objectContaining({ field })] }),
      }),
    ]);
  }
});

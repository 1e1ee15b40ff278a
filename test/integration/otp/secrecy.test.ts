import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHANNELS, DELIVERY_MODES } from '../../../src/kernel/channel.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { type Customer, createTestApp, OPERATOR_TOKEN, type TestApp } from '../../support/app.ts';
import { findInDatabase, type Read, readSecrets, type Secrets, TOLD, Told } from '../../support/leaks/leak-scan.ts';

const codeIn = (text: string): string => /[0-9]{4,10}/.exec(text)?.[0] ?? '';
const secretsOf = (codes: string[], lines: string[] = []): Secrets => ({
  codes: new Set(codes),
  lines: new Set(lines),
});

describe('the life of OTPs, by every way to its end', () => {
  let t: TestApp;
  let customer: Customer;
  const told = new Told();
  const read: Read = sql => t.sql(sql);

  beforeAll(async () => {
    t = await createTestApp({ log: told.logger() });
    customer = await t.customer();
    await Promise.all(Array.from({ length: 9 }, (_, last) => sendEveryWay(`+1202555010${last}`)));
    for (const length of [4, 5, 6, 7, 8, 9, 10]) await verifyEveryWay(`+1202555020${length % 10}`, length);
    await beRefused();
    await t.rest('GET', '/api/sms/otp/logs', { token: customer.tokens.otp });
  });
  afterAll(() => t.close());

  const send = (body: object) => t.rest('POST', '/api/omni/otp/send', { token: customer.tokens.unified, body });
  const verify = (pinId: unknown, pin: string) =>
    t.rest('POST', '/api/omni/otp/verify', { token: customer.tokens.unified, body: { pinId, pin } });

  async function arrivedAt(to: string): Promise<string> {
    const query = 'query ($to: String!) { sandboxMessages(to: $to, first: 1) { text } }';
    const { data } = await t.graphql<{ sandboxMessages: { text: string }[] }>(query, {
      token: customer.tokens.unified,
      variables: { to },
    });
    return data?.sandboxMessages[0]?.text ?? '';
  }

  /** Over every route, with and without autofill, and once more each. */
  async function sendEveryWay(to: string): Promise<void> {
    const routes = [...CHANNELS.map(channel => [channel]), [...CHANNELS], [...CHANNELS].reverse()];
    const autofills = [null, { domain: 'example.com' }, { appHash: 'FA+9qCX9VSu' }];
    for (const [index, channels] of routes.entries()) {
      const deliveryMode = DELIVERY_MODES[index % 2];
      const senders = { chatFrom: '15550000001', cloudTemplate: { name: 'login', language: 'en' }, sender: 'ACME' };
      const { status, body } = await send({ to, channels, deliveryMode, ...senders, autofill: autofills[index % 3] });
      expect([200, 502]).toContain(status);
      await t.graphql(
        'mutation ($input: ResendOtpInput!) { resendOtp(input: $input) { status attempts { errorMessage } } }',
        {
          token: customer.tokens.unified,
          variables: { input: { pinId: body.data?.pinId } },
        },
      );
    }
  }

  /** Wrong, right, and used; then cancelled by a newer one, over, and blocked. */
  async function verifyEveryWay(to: string, length: number): Promise<void> {
    const used = await send({ to, length });
    const code = codeIn(await arrivedAt(to));
    const wrong = `${code}0`;
    for (const pin of [wrong, code, code]) await verify(used.body.data?.pinId, pin);
    await t.sql('delete from otp_recipients');
    const cancelled = await send({ to, length });
    await t.sql('delete from otp_recipients');
    const blocked = await send({ to, length });
    await verify(cancelled.body.data?.pinId, wrong);
    for (let count = 0; count < 6; count++) await verify(blocked.body.data?.pinId, wrong);
    await t.sql('delete from otp_recipients');
    const over = await send({ to, length });
    await t.sql(`update otps set expires_at = now() where id = $1`, [toUuid(String(over.body.data?.pinId))]);
    await verify(over.body.data?.pinId, codeIn(await arrivedAt(to)));
  }

  /** By the cooldown, by the fraud guard, and as what is no pin. */
  async function beRefused(): Promise<void> {
    await send({ to: '+12025550300' });
    expect((await send({ to: '+12025550300' })).body.code).toBe('otp_cooldown');
    const input = { accountId: customer.accountId, countries: ['US'], fraudMode: 'BLOCK' };
    const settings = 'mutation ($input: UpdateOtpSettingsInput!) { updateOtpSettings(input: $input) { id } }';
    await t.graphql(settings, { token: OPERATOR_TOKEN, variables: { input } });
    t.app.authenticator.forget();
    expect((await send({ to: '+4930901820' })).status).toBe(400);
    await verify(`pin_${'1'.repeat(32)}`, codeIn(await arrivedAt('+12025550300')));
  }

  test('leaves no code in a row', async () => {
    expect(await findInDatabase(read, await readSecrets(read))).toEqual([]);
  });

  test('leaves none in the log at the level trace', async () => {
    expect(told.find(await readSecrets(read))).toEqual([]);
    expect(told.find(secretsOf([], ['a passcode was routed'])).length).toBeGreaterThan(50);
  });

  test('leaves none in an answer', async () => {
    expect(TOLD.find(await readSecrets(read))).toEqual([]);
    const outcomes = [
      'all_channels_failed',
      'otp_incorrect',
      'otp_expired',
      'otp_blocked',
      'otp_already_verified',
      'otp_not_found',
    ];
    expect(outcomes.filter(outcome => TOLD.find(secretsOf([], [outcome])).length === 0)).toEqual([]);
  });

  test('leaves none in a metric', async () => {
    const { text } = await t.rest('GET', '/metrics');
    const metrics = new Told();
    metrics.noteMetrics(text);
    expect(metrics.find(await readSecrets(read))).toEqual([]);
    expect(text).toContain('heliograph_otps_total{area="unified",event="blocked"}');
  });

  test('was looked at: the codes are those that the phones show, of every length', async () => {
    const { codes, lines } = await readSecrets(read);
    const arrivals = await t.sql<{ text: string }>('select text from sandbox_messages');
    const shown = arrivals.map(({ text }) => codeIn(text)).filter(code => code.length >= 6);
    expect(shown.filter(code => !codes.has(code))).toEqual([]);
    const routes = await t.sql(
      'select distinct a.channel from attempts a join otps o on o.id = a.pin_id and o.resends > 0',
    );
    expect(routes).toHaveLength(CHANNELS.length);
    expect([...new Set([...codes].map(code => code.length))].sort((a, b) => a - b)).toEqual([6, 7, 8, 9, 10]);
    expect(new Set([...lines].map(line => codeIn(line).length))).toEqual(new Set([4, 5]));
  });
});

describe('a failure that nobody expected', () => {
  let t: TestApp;
  let customer: Customer;
  let last = 1_000;
  const told = new Told();
  const read: Read = sql => t.sql(sql);

  beforeAll(async () => {
    t = await createTestApp({ log: told.logger() });
    customer = await t.customer();
  });
  afterAll(() => t.close());

  const send = () =>
    t.rest('POST', '/api/omni/otp/send', { token: customer.tokens.unified, body: { to: `+1202555${++last}` } });

  async function expectNoLeak(): Promise<void> {
    const secrets = await readSecrets(read);
    expect(secrets.codes.size).toBeGreaterThan(0);
    expect([...(await findInDatabase(read, secrets)), ...told.find(secrets), ...TOLD.find(secrets)]).toEqual([]);
  }

  test('of the phone that keeps the text, whose row the database quotes', async () => {
    await t.sql('alter table sandbox_messages add constraint no_text check (text is null) not valid');
    const { status, body } = await send();
    await t.sql('alter table sandbox_messages drop constraint no_text');
    expect({ status, attempts: body.data?.attempts }).toMatchObject({
      status: 200,
      attempts: [{ status: 'unknown', errorCode: 'provider_error' }],
    });
    await expectNoLeak();
  });

  test('of the settle, when the provider has the text, is logged without it', async () => {
    await t.sql('alter table attempts rename provider_message_id to away');
    const { status } = await send();
    await t.sql('alter table attempts rename away to provider_message_id');
    expect(status).toBe(500);
    expect(told.find(secretsOf([], ['provider_message_id'])).length).toBeGreaterThan(0);
    await expectNoLeak();
  });

  test.each(['rest', 'graphql'] as const)(
    'of a verify over %s, which brought the code, is logged without it',
    async transport => {
      const { body } = await send();
      const [arrival] = await t.sql<{ text: string }>('select text from sandbox_messages order by id desc limit 1');
      const input = { pinId: body.data?.pinId, pin: codeIn(arrival?.text ?? '') };
      await t.sql('alter table otp_traffic rename to away');
      const token = customer.tokens.unified;
      const { text } =
        transport === 'rest'
          ? await t.rest('POST', '/api/omni/otp/verify', { token, body: input })
          : await t.graphql('mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }', {
              token,
              variables: { input },
            });
      await t.sql('alter table away rename to otp_traffic');
      expect(text).toMatch(/internal_error/i);
      expect(told.find(secretsOf([], ['otp_traffic'])).length).toBeGreaterThan(0);
      await expectNoLeak();
    },
  );
});

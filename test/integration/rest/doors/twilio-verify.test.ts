import { beforeAll, describe, expect, test } from 'vitest';
import { toSid } from '../../../../src/rest/doors/twilio/caller.ts';
import { type Customer, OPERATOR_TOKEN } from '../../../support/app.ts';
import { twilioClient } from '../../../support/doors/twilio-client.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { arrivedText, setOtpLimits } from '../../../support/otp/rest-calls.ts';

const on = setUpApp({ env: { DOORS: 'twilio' } });
const customer = setUpCustomer(on);
const CLOUD_NUMBER = '15550000002';
let url = '';

beforeAll(async () => {
  ({ url } = await on.app.start());
});

const serviceOf = ({ accountId }: Customer, token: string, sid = toVerifySid(accountId)) =>
  twilioClient(url, accountId, token).verify.v2.services(sid);
const toVerifySid = (accountId: string): string => accountId.replace('acc_', 'VA');
const service = (token = customer.tokens.otp) => serviceOf(customer, token);
const start = (to: string, channel = 'sms') => service().verifications.create({ to, channel });
const check = (to: string, code: string) => service().verificationChecks.create({ to, code });

/** A number with a live code, and another code. */
async function started(): Promise<{ to: string; code: string; wrong: string; sid: string }> {
  const to = `+${newRecipient()}`;
  const { sid } = await start(to);
  const code = /[0-9]{6}/.exec(await arrivedText(on, customer, to))?.[0] ?? '';
  return { to, code, wrong: code === '000000' ? '000001' : '000000', sid };
}

describe('the published client of Twilio', () => {
  test('starts a verification that lives for ten minutes', async () => {
    const to = `+${newRecipient()}`;
    const verification = await start(to);
    expect(verification).toMatchObject({
      to,
      channel: 'sms',
      status: 'pending',
      valid: false,
      serviceSid: toVerifySid(customer.accountId),
    });
    expect(verification.sid).toMatch(/^VE[0-9a-f]{32}$/);
    expect(await arrivedText(on, customer, to)).toContain('10 minutes');
  });

  test('approves the right code for a number once', async () => {
    const { to, code, sid } = await started();
    expect(await check(to, code)).toMatchObject({ sid, status: 'approved', valid: true, to });
    expect(await service().verifications(sid).fetch()).toMatchObject({ status: 'approved' });
    await expect(check(to, code)).rejects.toMatchObject({ status: 404, code: 20404 });
  });

  test('approves the right code for a sid', async () => {
    const { code, sid } = await started();
    const checked = await service().verificationChecks.create({ verificationSid: sid, code });
    expect(checked.status).toBe('approved');
  });

  test('is refused the sid of another number than it names, and its code stays unused', async () => {
    const [mine, other] = [await started(), await started()];
    const crossed = { to: mine.to, verificationSid: other.sid, code: other.code };
    await expect(service().verificationChecks.create(crossed)).rejects.toMatchObject({ status: 404, code: 20404 });
    const checked = await service().verificationChecks.create({ ...crossed, to: other.to });
    expect(checked.status).toBe('approved');
  });

  test('is told times without parts of a second, as some clients read no other', async () => {
    const { sid } = await started();
    const token = Buffer.from(`${toSid('AC', customer.accountId)}:${customer.tokens.otp}`).toString('base64');
    const { body } = await on.rest('GET', `/v2/Services/${toVerifySid(customer.accountId)}/Verifications/${sid}`, {
      headers: { authorization: `Basic ${token}` },
    });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(body).toMatchObject({ date_created: time, date_updated: time });
  });

  test('is told a wrong code as pending, and after five that no more may be tried', async () => {
    const { to, wrong } = await started();
    for (let tries = 0; tries < 5; tries++)
      expect(await check(to, wrong)).toMatchObject({ status: 'pending', valid: false });
    await expect(check(to, wrong)).rejects.toMatchObject({ status: 429, code: 60202 });
  });

  test('counts no wrong code against the address of its server', async () => {
    const one = await on.customer();
    await setOtpLimits(on, one, { wrongCodesPerAddress: 1 });
    const own = serviceOf(one, one.tokens.otp);
    const [guessed, to] = [`+${newRecipient()}`, `+${newRecipient()}`];
    for (const number of [guessed, to]) await own.verifications.create({ to: number, channel: 'sms' });
    const code = /[0-9]{6}/.exec(await arrivedText(on, one, to))?.[0] ?? '';
    for (let tries = 0; tries < 2; tries++) await own.verificationChecks.create({ to: guessed, code: '0000' });
    expect(await own.verificationChecks.create({ to, code })).toMatchObject({ status: 'approved' });
  });

  test('has the sends of a person limited by DeviceIp', async () => {
    const one = await on.customer();
    await setOtpLimits(on, one, { sendsPerAddress: 1 });
    const own = serviceOf(one, one.tokens.otp).verifications;
    const startFrom = (deviceIp: string) => own.create({ to: `+${newRecipient()}`, channel: 'sms', deviceIp });
    await startFrom('203.0.113.7');
    await expect(startFrom('203.0.113.7')).rejects.toMatchObject({ status: 429, code: 60203 });
    expect(await startFrom('203.0.113.8')).toMatchObject({ status: 'pending' });
    await expect(startFrom('nowhere')).rejects.toMatchObject({ status: 400, code: 60200 });
  });

  test('is asked to wait before another send to the same number', async () => {
    const { to } = await started();
    await expect(start(to)).rejects.toMatchObject({ status: 429, code: 60212 });
  });

  test('is refused another send once a number has had as many as it may', async () => {
    const one = await on.customer();
    await setOtpLimits(on, one, { cooldownSeconds: 0, sendsPerHour: 1 });
    const own = serviceOf(one, one.tokens.otp).verifications;
    const to = `+${newRecipient()}`;
    await own.create({ to, channel: 'sms' });
    await expect(own.create({ to, channel: 'sms' })).rejects.toMatchObject({ status: 429, code: 60203 });
  });

  test('sends by the cloud chat of the account for the channel whatsapp', async () => {
    await on.graphql('mutation ($input: SetOtpTemplateInput!) { setOtpTemplate(input: $input) { id } }', {
      token: OPERATOR_TOKEN,
      variables: { input: { accountId: customer.accountId, address: CLOUD_NUMBER, name: 'code', language: 'en' } },
    });
    const own = service(customer.tokens.unified).verifications;
    const { channel, sid } = await own.create({ to: `+${newRecipient()}`, channel: 'whatsapp' });
    expect(channel).toBe('whatsapp');
    const id = sid.replace('VE', 'pin_');
    const { data } = await on.graphql<{ otp: { channel: string } }>(`{ otp(pinId: "${id}") { channel } }`, {
      token: customer.tokens.unified,
    });
    expect(data?.otp.channel).toBe('CHAT_CLOUD');
  });

  test.each([
    ['a number that is none', { to: '12', channel: 'sms' }, 400, 60200],
    ['another channel', { to: '+12025550100', channel: 'call' }, 400, 60200],
    ['a code of its own', { to: '+12025550100', channel: 'sms', customCode: '123456' }, 400, 60204],
    ['another language', { to: '+12025550100', channel: 'sms', locale: 'fr' }, 400, 60200],
    ['a number that takes no SMS', { to: '+12025550101', channel: 'sms' }, 502, 30008],
  ])('is refused %s', async (_what, input, status, code) => {
    await expect(service().verifications.create(input)).rejects.toMatchObject({ status, code });
  });

  test('is told the one service of its account in place of any other', async () => {
    const other = serviceOf(customer, customer.tokens.otp, `VA${'0'.repeat(32)}`).verifications;
    await expect(other.create({ to: `+${newRecipient()}`, channel: 'sms' })).rejects.toMatchObject({
      status: 404,
      code: 20404,
      message: expect.stringContaining(toVerifySid(customer.accountId)),
    });
  });

  test('checks a number in the area of its token, though another area sent later', async () => {
    const to = `+${newRecipient()}`;
    await setOtpLimits(on, customer, { cooldownSeconds: 0 });
    await service(customer.tokens.unified).verifications.create({ to, channel: 'sms' });
    const code = /[0-9]{6}/.exec(await arrivedText(on, customer, to))?.[0] ?? '';
    await start(to);
    const checked = await service(customer.tokens.unified).verificationChecks.create({ to, code });
    expect(checked.status).toBe('approved');
    await setOtpLimits(on, customer, { cooldownSeconds: 60 });
  });

  /** Starts a verification as a client without a library does. */
  function post({ query = '', more = '', headers = {} }: { query?: string; more?: string; headers?: object }) {
    const credentials = Buffer.from(`${toSid('AC', customer.accountId)}:${customer.tokens.otp}`).toString('base64');
    return on.rest('POST', `/v2/Services/${toVerifySid(customer.accountId)}/Verifications${query}`, {
      body: `To=%2B12025550100&Channel=sms${more}`,
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
    });
  }

  test.each(['I-Twilio-Idempotency-Token', 'Idempotency-Key'])(
    'is refused a header %s, which would do nothing',
    async name => {
      const { status, body } = await post({ headers: { [name]: 'once' } });
      expect([status, body.code, body.message]).toEqual([400, 60200, `${name}: is of messages alone; leave it out`]);
    },
  );

  test.each(['constructor', '__proto__'])('is refused a parameter %s as any other', async name => {
    const { status, body } = await post({ more: `&${name}=1` });
    const message = `${name}: is not carried over by this door; leave it out`;
    expect([status, body.code, body.message]).toEqual([400, 60200, message]);
  });

  test('is refused a query string beside a form', async () => {
    const { status, body } = await post({ query: '?CustomCode=123456' });
    const message = 'CustomCode: is not read in the query string; leave it out';
    expect([status, body.code, body.message]).toEqual([400, 60200, message]);
  });

  test('finds no verification of a number that was sent none', async () => {
    await expect(check(`+${newRecipient()}`, '123456')).rejects.toMatchObject({ status: 404, code: 20404 });
  });
});

import { expect, test } from 'vitest';
import { fromUuid, toUuid } from '../../../../src/kernel/ids.ts';
import { otpData } from '../../../../src/rest/schemas.ts';
import { acceptedOutcome, type RestAnswer, type Script, scriptedProviders } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { TEMPLATE } from '../../../support/messaging/send-cases.ts';
import { newPhone, storedPin } from '../../../support/otp/pins.ts';
import { otpPath, verifyPin } from '../../../support/otp/rest-calls.ts';
import { expectProblem } from '../../../support/problems.ts';

const on = setUpApp({ providers: scriptedProviders((request, signal) => script(request, signal)) });
const own = setUpCustomer(on);
let script: Script = acceptedOutcome;

function send(body: Readonly<Record<string, unknown>>): Promise<RestAnswer> {
  return on.rest('POST', otpPath('unified', 'send'), { token: own.tokens.unified, body });
}

test('a code that is typed before the provider has answered is right', async () => {
  let typed: RestAnswer | undefined;
  let pinId = '';
  script = async ({ text }) => {
    const [pin] = await on.sql<{ id: string }>("select id from otps where status = 'pending' and account_id = $1", [
      toUuid(own.accountId),
    ]);
    pinId = fromUuid('pin', pin?.id ?? '');
    typed = await verifyPin(on, own, { pinId, pin: /[0-9]{6}/.exec(text)?.[0] });
    return acceptedOutcome();
  };
  const sent = await send({ to: newPhone() });
  expect(typed?.status).toBe(200);
  expect(sent.status).toBe(200);
  expect(otpData.parse(sent.body.data)).toMatchObject({ pinId, channel: 'sms' });
  await expect(storedPin(on.sql, pinId)).resolves.toMatchObject({ status: 'verified', attempts: 1 });
});

test('a provider that throws is one whose outcome is not known', async () => {
  script = () => {
    throw new Error('select 1 from secrets at 10.0.0.1');
  };
  const { status, body } = await send({ to: newPhone() });
  expect(status).toBe(200);
  expect(otpData.parse(body.data)).toMatchObject({
    status: 'sent',
    channel: null,
    attempts: [{ status: 'unknown', errorCode: 'provider_error' }],
  });
});

test('the cloud channel is given the template with the code in it', async () => {
  const given: unknown[] = [];
  script = ({ template, text }) => {
    given.push([template?.name, JSON.stringify(template?.components), /[0-9]{6}/.exec(text)?.[0]]);
    return acceptedOutcome();
  };
  const { body } = await send({ to: newPhone(), cloudTemplate: TEMPLATE });
  expect(body.data).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
  const [[name, components, code] = []] = given as string[][];
  expect(name).toBe(TEMPLATE.name);
  expect(components).toContain(`"text":"${code}"`);
});

test('a passcode that no channel accepted leaves no cooldown', async () => {
  script = () => ({ kind: 'rejected', code: 'refused', message: 'No.' });
  const recipient = newPhone();
  expectProblem(await send({ to: recipient }), 502, 'all_channels_failed');
  script = acceptedOutcome;
  expect((await send({ to: recipient })).status).toBe(200);
});

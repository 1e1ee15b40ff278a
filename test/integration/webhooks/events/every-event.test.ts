/** Every event of the catalogue, made to happen and delivered: one without a row here does not compile. */
import { expect, test } from 'vitest';
import { updateBilling } from '../../../../src/modules/billing/update-billing.ts';
import { tellLowBalances } from '../../../../src/modules/figures/credits/tell-low-balances.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../../src/modules/otp/verify/verify-otp.ts';
import { replyFromPhone } from '../../../../src/modules/sandbox/replies/reply-from-phone.ts';
import { startWebhooks } from '../../../../src/modules/webhooks/deliveries/deliverer.ts';
import { EVENTS, type WebhookEventName } from '../../../../src/modules/webhooks/events/webhook-events.ts';
import { alertsOf } from '../../../support/alerts/alert-fixture.ts';
import { oncePerTest } from '../../../support/fixtures.ts';
import { REFUSED } from '../../../support/messaging/scripted-sends.ts';
import { makePins, newRecipient } from '../../../support/otp/pins.ts';
import { OPERATOR } from '../../../support/services.ts';
import { setUpTelling } from '../../../support/webhooks/event-fixture.ts';
import { startReceiver } from '../../../support/webhooks/receiver.ts';
import { makeEndpoint } from '../../../support/webhooks/stored-webhooks.ts';

const { account, answerWith, send, t } = setUpTelling();
const alerts = alertsOf(t);
const receiver = oncePerTest(startReceiver, started => started.close());
oncePerTest(
  () => startWebhooks(t.ctxFor(OPERATOR)),
  worker => worker.stop(),
);

const sendRefused = (area: 'unified' | 'sms') => {
  answerWith(() => REFUSED);
  return send({}, area);
};
const ask = () => sendOtp(t.ctxFor(account.actor('unified')), { to: `+${newRecipient()}` });
const phone = '+12025550100';
const write = (text: string) => replyFromPhone(t.ctxFor(account.actor('unified')), { phone, to: 'ACME', text });
const spend = () => alerts.add(account, -999_990);

/** Makes a passcode and gives its code, or another one. */
async function verify(how: { readonly expiresInSeconds?: number; readonly isWrong?: boolean } = {}): Promise<void> {
  const { expiresInSeconds = 300, isWrong = false } = how;
  const [made] = await makePins(t.sql, [{ accountId: account.accountId, expiresInSeconds }]);
  if (!made) throw new Error('there is none');
  const pin = isWrong ? String((Number(made.code) + 1) % 1_000_000).padStart(6, '0') : made.code;
  await verifyOtp(t.ctxFor(account.actor('unified')), { pinId: made.pinId, pin }).catch(() => undefined);
}

async function raise(): Promise<void> {
  await alerts.rule(account, { kind: 'balance_low', threshold: 50 });
  await spend();
  await alerts.watch();
}

/** The cause of each event. */
const HAPPENS: Readonly<Record<WebhookEventName, () => Promise<unknown>>> = {
  'message.sent': send,
  'message.failed': () => sendRefused('unified'),
  'message.routed': send,
  'message.received': () => write('Yes, please.'),
  'recipient.suppressed': () => write('STOP'),
  'recipient.unsuppressed': async () => {
    await write('STOP');
    await write('START');
  },
  'sms.sent': () => send({}, 'sms'),
  'sms.failed': () => sendRefused('sms'),
  'otp.sent': ask,
  'otp.verified': verify,
  'otp.failed': () => verify({ isWrong: true }),
  'otp.expired': () => verify({ expiresInSeconds: -1 }),
  'balance.low': async () => {
    await updateBilling(t.ctxFor(OPERATOR), { accountId: account.accountId, lowBalanceThreshold: 50 });
    await spend();
    await tellLowBalances(t.ctxFor(OPERATOR));
  },
  'alert.raised': raise,
  'alert.cleared': async () => {
    await raise();
    await alerts.add(account, 100);
    await alerts.watch();
  },
};

test.each(EVENTS)('$name is delivered, with what its documents promise', async ({ name, data }) => {
  await makeEndpoint(t, account.accountId, { url: receiver.url, events: [name] });
  await HAPPENS[name]();
  await receiver.hasReceived(1);
  const told = receiver.received.map(({ body }) => JSON.parse(body));
  expect(told).toEqual([expect.objectContaining({ event: name, accountId: account.accountId })]);
  expect(data.schema.strict().safeParse(told[0].data).error).toBeUndefined();
});

import { describe, expect, test } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { loadAccount } from '../../../src/modules/accounts/load-account.ts';
import { updateAccount } from '../../../src/modules/accounts/manage-accounts.ts';
import { updateOtpSettings } from '../../../src/modules/accounts/settings/otp-settings.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { REFUSED, setUpScriptedSends, UNKNOWN } from '../../support/messaging/scripted-sends.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { refusal } from '../../support/refusal.ts';
import { OPERATOR } from '../../support/services.ts';

/** Two segments as it is, one as it is encoded. */
const TEXT = `Don’t wait – your parcel “${'x'.repeat(50)}” arrives…`;
const ENCODED = `Don't wait - your parcel "${'x'.repeat(50)}" arrives...`;
const BOTH = { text: TEXT, channels: ['chat_qr', 'sms'], chatFrom: '15550000001' } satisfies Parameters<typeof send>[0];
/** A recipient of the sandbox: exempt from the limits of passcodes. */
const EXEMPT = '+12025550100';

const { t, account, asked, answerWith, holdAnswer, send } = setUpScriptedSends({ credits: 10 });

/** Sets it for messages. */
async function setEncoding(smartEncoding: boolean): Promise<void> {
  await updateAccount(t.ctxFor(OPERATOR), { accountId: account.accountId, smartEncoding });
}

/** A context with the account as it is now: a token is read anew when its account has changed. */
async function ctxNow(): Promise<Ctx> {
  const grant = await loadAccount(t.database, account.accountId);
  if (!grant) throw new Error('there is no such account');
  return t.ctxFor({ kind: 'token', tokenId: newId('tok'), area: 'unified', account: grant });
}

const sendNow = async (input: Partial<Parameters<typeof sendMessage>[1]> = {}) =>
  sendMessage(await ctxNow(), { to: newPhone(), text: TEXT, channels: ['sms'], sender: 'ACME', ...input });

const texts = (): string[] => asked.map(({ text }) => text);

async function balance(): Promise<unknown> {
  const [row] = await t.sql('select credits, held from accounts where id = $1', [toUuid(account.accountId)]);
  return row;
}

describe('the SMS of a message', () => {
  test('goes out as it was written where nothing is set', async () => {
    const message = await sendNow();
    expect(message).toMatchObject({ segments: 2, smartEncoded: false, attempts: [{ segments: 2, credits: 2 }] });
    expect([texts(), await balance()]).toEqual([[TEXT], { credits: 8, held: 0 }]);
  });

  test('goes out encoded where that is set, and is counted and paid so; the text stays', async () => {
    await setEncoding(true);
    const { id, ...message } = await sendNow();
    expect(message).toMatchObject({ text: TEXT, segments: 1, smartEncoded: true });
    expect(message.attempts).toMatchObject([{ segments: 1, credits: 1 }]);
    expect([texts(), await balance()]).toEqual([[ENCODED], { credits: 9, held: 0 }]);
    expect(await t.sql('select text, segments, smart_encoded from messages where id = $1', [toUuid(id)])).toEqual([
      { text: TEXT, segments: 1, smart_encoded: true },
    ]);
  });

  test('is not said to be encoded where nothing of it changed', async () => {
    await setEncoding(true);
    expect(await sendNow({ text: 'Hello' })).toMatchObject({ smartEncoded: false });
    expect(await sendNow({ text: '“Hello” 😀' })).toMatchObject({ smartEncoded: false });
    expect(texts()).toEqual(['Hello', '“Hello” 😀']);
  });

  test('is encoded, and a chat beside it is not', async () => {
    await setEncoding(true);
    await sendNow({ ...BOTH, deliveryMode: 'all' });
    expect(asked.map(({ channel, text }) => [channel, text]).sort()).toEqual([
      ['chat_qr', TEXT],
      ['sms', ENCODED],
    ]);
  });

  test('is not looked at where a message goes by chat only', async () => {
    await setEncoding(true);
    expect(await sendNow({ ...BOTH, channels: ['chat_qr'] })).toMatchObject({ segments: 2, smartEncoded: false });
    expect(texts()).toEqual([TEXT]);
  });

  test('is held and sent as it was accepted, though the account is set otherwise before its turn', async () => {
    await setEncoding(true);
    const held = holdAnswer();
    const sending = sendNow(BOTH);
    await held.called;
    await setEncoding(false);
    answerWith(() => ({ kind: 'accepted', providerMessageId: newId('sbx') }));
    held.answer(REFUSED);
    expect(await sending).toMatchObject({ attempts: [{ channel: 'chat_qr' }, { channel: 'sms', credits: 1 }] });
    expect([texts(), await balance()]).toEqual([[TEXT, ENCODED], { credits: 9, held: 0 }]);
  });

  test('is sent so by whoever takes it over from a process that died', async () => {
    await setEncoding(true);
    answerWith(() => REFUSED);
    const { id } = await sendNow(BOTH);
    // As it stood before the chat was asked.
    await t.sql('delete from attempts where message_id = $1', [toUuid(id)]);
    await putUnderWay(t.sql, id);
    asked.length = 0;
    await setEncoding(false);
    await recoverSends(t.ctxFor(OPERATOR), MESSAGE);
    expect(texts()).toContain(ENCODED);
  });

  test('may be as long as its segments allow when it is encoded', async () => {
    const text = `“${'x'.repeat(1_400)}”`;
    await expect(sendNow({ text })).rejects.toEqual(refusal('invalid_input', 'text'));
    await setEncoding(true);
    expect(await sendNow({ text })).toMatchObject({ segments: 10 });
  });

  test.each([
    ['accepted', true, () => ({ kind: 'accepted', providerMessageId: newId('sbx') }) as const],
    ['of which nobody knew', true, () => UNKNOWN],
    ['accepted', false, () => ({ kind: 'accepted', providerMessageId: newId('sbx') }) as const],
  ])(
    'that was %s is answered as at first where its reference comes again, set from %j to the other',
    async (_what, isOn, answer) => {
      await setEncoding(isOn);
      answerWith(answer);
      const request = { to: newPhone(), reference: newId('msg') };
      const first = await sendNow(request);
      await setEncoding(!isOn);
      const again = await sendNow(request);
      const facts = { id: first.id, segments: isOn ? 1 : 2, smartEncoded: isOn };
      expect([first, again]).toMatchObject([facts, facts]);
      expect(asked).toHaveLength(1);
    },
  );
});

test('the setting of an account is audited, and the same again changes nothing', async () => {
  await setEncoding(true);
  await setEncoding(true);
  expect(
    await t.sql('select action, details from audit_entries where account_id = $1', [toUuid(account.accountId)]),
  ).toEqual([{ action: 'account.updated', details: { smartEncoding: { from: false, to: true } } }]);
});

describe('the SMS of a passcode', () => {
  const template = `“Shop” – your code is {{code}}. Don’t share it…`;
  const encoded = /^"Shop" - your code is \d{6}\. Don't share it\.\.\.$/;
  const written = /^“Shop” – your code is \d{6}\. Don’t share it…$/;
  const sms = (input: Partial<Parameters<typeof sendOtp>[1]> = {}): Parameters<typeof sendOtp>[1] => ({
    to: newPhone(),
    channels: ['sms'],
    template,
    ...input,
  });

  test('goes out encoded where nothing is set, whatever is set for messages', async () => {
    await sendOtp(await ctxNow(), sms());
    await setEncoding(true);
    await sendOtp(await ctxNow(), sms());
    expect(texts()).toEqual([expect.stringMatching(encoded), expect.stringMatching(encoded)]);
  });

  test('goes out as it was written where that is set, whatever is set for messages', async () => {
    await setEncoding(true);
    await updateOtpSettings(t.ctxFor(OPERATOR), { accountId: account.accountId, smartEncoding: false });
    await sendOtp(await ctxNow(), sms());
    expect(texts()).toEqual([expect.stringMatching(written)]);
  });

  test('is paid as it goes out', async () => {
    await sendOtp(await ctxNow(), sms({ template: `${TEXT} {{code}}` }));
    expect(await balance()).toEqual({ credits: 9, held: 0 });
  });

  test('is encoded, and a chat beside it is not', async () => {
    await sendOtp(await ctxNow(), sms({ channels: ['chat_qr', 'sms'], chatFrom: '15550000001', deliveryMode: 'all' }));
    expect(Object.fromEntries(asked.map(({ channel, text }) => [channel, text]))).toEqual({
      chat_qr: expect.stringMatching(written),
      sms: expect.stringMatching(encoded),
    });
  });

  test('goes out again as it did at first, though the account is set otherwise', async () => {
    const { id } = await sendOtp(await ctxNow(), sms({ to: EXEMPT }));
    await updateOtpSettings(t.ctxFor(OPERATOR), { accountId: account.accountId, smartEncoding: false });
    await resendOtp(await ctxNow(), { pinId: id });
    expect([...new Set(texts())]).toEqual([expect.stringMatching(encoded)]);
    expect([asked.length, await balance()]).toEqual([2, { credits: 8, held: 0 }]);
  });

  test('may be filled in by an app where its bytes fit as it is encoded', async () => {
    const input = sms({ template: `“${'x'.repeat(110)}” {{code}}`, autofill: { appHash: 'FA+9qCX9VSu' } });
    expect(await sendOtp(await ctxNow(), input)).toMatchObject({ status: 'sent' });
    await updateOtpSettings(t.ctxFor(OPERATOR), { accountId: account.accountId, smartEncoding: false });
    await expect(sendOtp(await ctxNow(), { ...input, to: newPhone() })).rejects.toEqual(
      refusal('invalid_input', 'autofill'),
    );
  });
});

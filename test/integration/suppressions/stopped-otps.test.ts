import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { loadContent } from '../../../src/modules/chat-sessions/handovers/load-content.ts';
import { OTP } from '../../../src/modules/otp/send/otp-kind.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { updateOptOutSettings } from '../../../src/modules/suppressions/opt-out-settings.ts';
import { SUPPRESSED } from '../../../src/modules/suppressions/refuse-suppressed.ts';
import { createFollowUps } from '../../support/messaging/follow-ups.ts';
import { REFUSED, setUpScriptedSends } from '../../support/messaging/scripted-sends.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { OPERATOR } from '../../support/services.ts';

const { t, account, asked, answerWith, holdAnswer } = setUpScriptedSends();
const waits = createFollowUps({ sql: (text, parameters) => t.sql(text, parameters) });

type Otp = typeof account.grant.otp;

/** A caller of an account that stops passcodes too, or does not. */
function ctx({ stopsOtps = true, ...otp }: Partial<Otp> & { readonly stopsOtps?: boolean } = {}) {
  const { grant } = account;
  const actor = { ...account.actor('unified'), account: { ...grant, stopsOtps, otp: { ...grant.otp, ...otp } } };
  return t.ctxFor(actor as never);
}

const person = (to: string) => to.replace('+', '');

/** Puts a name onto the list, and tells no process of it. */
const stopUnheard = (name: string) =>
  t.sql(
    `insert into suppressions (id, account_id, person, origin, created_at) values (gen_random_uuid(), $1, $2, 'recipient', now())`,
    [toUuid(account.accountId), name],
  );

/** Tells this process of a stop. */
const hear = (to: string) =>
  t.services.suppressed.note({
    account_id: toUuid(account.accountId),
    person: person(to),
    is_suppressed: true,
    number: Date.now(),
  });

const stopsOtps = () => updateOptOutSettings(t.ctxFor(account.actor('management')), { stopsOtps: true });

const stored = () =>
  t.sql(
    `select (select count(*)::int from otps where account_id = a.id) as otps,
       (select count(*)::int from otp_recipients where account_id = a.id) as recipients,
       (select count(*)::int from otp_traffic where account_id = a.id) as traffic,
       (select count(*)::int from attempts where account_id = a.id) as attempts, credits, held
     from accounts a where id = $1`,
    [toUuid(account.accountId)],
  );

const refused = { code: 'recipient_suppressed' };

const BOTH = { channels: ['chat_qr', 'sms'] as ('chat_qr' | 'sms')[], chatFrom: '15550000001', sender: 'ACME' };

describe('a stop that is committed, of which this process has not heard, where the account stops passcodes', () => {
  test.each([
    ['', {}, {}],
    [' whose account has a fraud guard', { fraudMode: 'block' as const }, {}],
    [' whose address is counted', {}, { clientIp: '198.51.100.7' }],
  ])('refuses a passcode%s: nothing is stored, counted or held', async (_of, settings, input) => {
    const to = newPhone();
    await stopUnheard(person(to));
    await expect(sendOtp(ctx(settings), { to, ...input })).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
    expect(await stored()).toEqual([{ otps: 0, recipients: 0, traffic: 0, attempts: 0, credits: 1_000_000, held: 0 }]);
  });

  test('refuses it to a recipient who was erased since', async () => {
    const to = newPhone();
    await stopUnheard(t.services.suppressed.erasedName(account.accountId, person(to)));
    await expect(sendOtp(ctx(), { to })).rejects.toMatchObject(refused);
  });

  test('refuses it to one of the recipients of a group, and lets those of the others go', async () => {
    const [stopped, other, free] = [newPhone(), newPhone(), newPhone()];
    await stopUnheard(person(stopped));
    await stopUnheard(person(free));
    const sends = [
      sendOtp(ctx(), { to: stopped }),
      sendOtp(ctx(), { to: other }),
      sendOtp(ctx({ stopsOtps: false }), { to: free }),
    ];
    const [first, ...others] = await Promise.allSettled(sends);
    expect(first).toMatchObject({ status: 'rejected', reason: refused });
    for (const one of others) expect(one).toMatchObject({ status: 'fulfilled', value: { status: 'sent' } });
    expect(asked.map(request => request.to).toSorted()).toEqual([person(other), person(free)].toSorted());
  });

  test('refuses to send one again: the passcode and the balance are as before', async () => {
    const to = newPhone();
    const { id } = await sendOtp(ctx(), { to });
    await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(id)]);
    const before = await stored();
    await stopUnheard(person(to));
    await expect(resendOtp(ctx(), { pinId: id })).rejects.toMatchObject(refused);
    expect(asked).toHaveLength(1);
    expect(await stored()).toEqual(before);
    expect(await t.sql('select resends, lease_until from otps where id = $1', [toUuid(id)])).toEqual([
      { resends: 0, lease_until: null },
    ]);
    await expect(resendOtp(ctx({ stopsOtps: false }), { pinId: id })).resolves.toMatchObject({ resends: 1 });
  });

  test('keeps recovery from asking a channel that was stored to be asked next', async () => {
    await stopsOtps();
    const to = newPhone();
    answerWith(() => REFUSED);
    const { id } = await sendOtp(ctx(), { to, ...BOTH });
    await t.sql(`update otps set status = 'pending' where id = $1`, [toUuid(id)]);
    await t.sql('delete from attempts where pin_id = $1', [toUuid(id)]);
    await waits.putUnderWay(id, 'chat_qr', { held: 0 });
    await stopUnheard(person(to));
    await waits.loseLease(id);
    asked.length = 0;
    await recoverSends(t.ctxFor(OPERATOR), OTP);
    expect(asked).toEqual([]);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr unknown', 'sms failed']);
  });
});

describe('a passcode that a process of the release before hands over, which does not say whether it goes to those who stopped', () => {
  test.each([true, false])('is refused to them where the account stops passcodes, and only there: %s', async stops => {
    const to = newPhone();
    const { id } = await sendOtp(ctx({ stopsOtps: stops }), { to, ...BOTH });
    if (stops) await stopsOtps();
    hear(to);
    const handed = { attemptId: 'att_1', connectionId: 'con_1', sendId: id, test: null, goesToSuppressed: null };
    const content = await loadContent(t.ctxFor(OPERATOR), handed);
    expect(content?.refuse?.() ?? null).toEqual(stops ? SUPPRESSED : null);
  });
});

describe('a stop that comes while the channel of a passcode is asked', () => {
  test.each([
    [true, ['chat_qr failed', 'sms failed']],
    [false, ['chat_qr failed', 'sms sent']],
  ])('keeps the next channel from being asked, where the account stops them: %s', async (stops, attempts) => {
    const to = newPhone();
    const held = holdAnswer();
    const sending = sendOtp(ctx({ stopsOtps: stops }), { to, ...BOTH });
    await held.called;
    hear(to);
    answerWith(() => ({ kind: 'accepted', providerMessageId: 'second' }));
    held.answer(REFUSED);
    const { id } = await sending;
    expect(await waits.attemptsOf(id)).toEqual(attempts);
    expect(asked).toHaveLength(stops ? 1 : 2);
  });

  test('keeps the next channel of one that is sent again from being asked', async () => {
    const to = newPhone();
    const { id } = await sendOtp(ctx(), { to, ...BOTH });
    await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(id)]);
    const held = holdAnswer();
    const sending = resendOtp(ctx(), { pinId: id });
    await held.called;
    hear(to);
    held.answer(REFUSED);
    await sending;
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'chat_qr failed', 'sms failed']);
    expect(asked).toHaveLength(2);
  });

  test.each([
    [true, SUPPRESSED],
    [false, null],
  ])('are refused by the process that owns the phone, where the account stops them: %s', async (stops, refusal) => {
    const to = newPhone();
    const { id } = await sendOtp(ctx(), { to, ...BOTH });
    hear(to);
    const handed = { attemptId: 'att_1', connectionId: 'con_1', sendId: id, test: null, goesToSuppressed: !stops };
    const message = await loadContent(t.ctxFor(OPERATOR), handed);
    expect(message?.text).toContain('verification code');
    expect(message?.refuse?.()).toEqual(refusal);
  });
});

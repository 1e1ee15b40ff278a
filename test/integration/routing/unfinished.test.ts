/** An outcome that a process knows and could not store is stored later, whatever the error was. Nothing is made twice for it. */
import { expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { Message } from '../../../src/modules/messaging/message.entity.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { OTP } from '../../../src/modules/otp/send/otp-kind.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { healOvertaken } from '../../../src/modules/routing/recovery/heal-overtaken.ts';
import { resumeRouting } from '../../../src/modules/routing/recovery/recover.ts';
import { leaveUnfinished } from '../../../src/modules/routing/recovery/unfinished.ts';
import { routeSend } from '../../../src/modules/routing/route-send.ts';
import { withUnderWay } from '../../../src/modules/routing/under-way.ts';
import { acceptedOutcome } from '../../support/app.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { setUpScriptedSends } from '../../support/messaging/scripted-sends.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { storedMessage } from '../../support/services.ts';

const { account, answerWith, holdAnswer, send, t } = setUpScriptedSends();

const OVERLOADED = new AppError('overloaded', 'Too much is changed at once here.');

/** Messages whose first settles fail so often, with an error that does not say that the database is away. */
function failing(times: number): typeof MESSAGE {
  let left = times;
  const kind: typeof MESSAGE = {
    ...MESSAGE,
    settle: database => item => (left-- > 0 ? Promise.reject(OVERLOADED) : MESSAGE.settle(database)(item)),
    async resume(ctx, id, lease, known) {
      const found = await ctx.services.database.fork().findOneOrFail(Message, { id });
      const attempts = withUnderWay([], found, MESSAGE.attemptOf(found));
      await resumeRouting(ctx, kind, { send: found, lease, attempts, isWanted: true, known });
    },
  };
  return kind;
}

/** A message by SMS that is under way. */
async function underWay() {
  answerWith(acceptedOutcome);
  const message = await send();
  const [made] = message.attempts ?? [];
  if (!made) throw new Error('it has no attempt');
  // The first attempt is paid already.
  const attempt = { ...made, id: newId('att'), status: 'pending' as const, credits: 0, providerMessageId: null };
  const lease = await putUnderWay(t.sql, message.id, 'held');
  const [first] = await t.sql<{ under_way: string }>('select under_way from messages where id = $1', [
    toUuid(message.id),
  ]);
  await t.sql('update messages set under_way = $2 where id = $1', [
    toUuid(message.id),
    first?.under_way.replace(toUuid(made.id), toUuid(attempt.id)),
  ]);
  return { message, attempt, lease };
}

const statusesOf = async (id: string) =>
  (await storedMessage(t, id)).attempts.map(({ status, credits }) => ({ status, credits }));

test('an outcome is stored later where its settle was given up', async () => {
  const { message, attempt, lease } = await underWay();
  const routing = { send: message, kind: failing(1), lease, shortage: null, attempts: [attempt], rest: [] };
  await expect(routeSend(t.ctxFor(account.actor('unified')), routing)).rejects.toThrow(OVERLOADED);
  await expect.poll(() => statusesOf(message.id)).toEqual([{ status: 'sent', credits: 1 }]);
  expect(await storedMessage(t, message.id)).toMatchObject({ status: 'sent' });
});

test('an attempt that was left is made once, though what became of it could not be stored at first', async () => {
  const { message, attempt } = await underWay();
  const asked: string[] = [];
  answerWith(({ attemptId }): SendOutcome => {
    asked.push(attemptId);
    return acceptedOutcome();
  });
  const ctx = t.ctxFor(account.actor('unified'));
  leaveUnfinished(ctx, failing(2), message, { attempts: [attempt], isWithdrawn: false });
  await expect.poll(() => statusesOf(message.id)).toEqual([{ status: 'sent', credits: 1 }]);
  expect(asked).toEqual([attempt.id]);
});

test('what is known of an attempt goes before a note that knows less, whichever came first', async () => {
  const { message, attempt } = await underWay();
  const ctx = t.ctxFor(account.actor('unified'));
  const known = {
    ...attempt,
    status: 'sent' as const,
    credits: 1,
    providerMessageId: newId('sbx'),
    finishedAt: new Date(),
  };
  const unknown = { ...attempt, status: 'unknown' as const };
  leaveUnfinished(ctx, MESSAGE, message, { attempts: [unknown], isWithdrawn: false });
  leaveUnfinished(ctx, MESSAGE, message, { attempts: [known], isWithdrawn: false });
  leaveUnfinished(ctx, MESSAGE, message, { attempts: [attempt], isWithdrawn: true });
  await expect.poll(() => statusesOf(message.id)).toEqual([{ status: 'sent', credits: 1 }]);
});

test('what is known of an attempt puts nothing back that was erased meanwhile', async () => {
  const { message, attempt } = await underWay();
  const ctx = t.ctxFor(account.actor('unified'));
  const stored = () =>
    t.sql('select status, provider_message_id as id from attempts where id = $1', [toUuid(attempt.id)]);
  leaveUnfinished(ctx, MESSAGE, message, { attempts: [{ ...attempt, status: 'unknown' }], isWithdrawn: false });
  await expect.poll(stored).toEqual([{ status: 'unknown', id: null }]);
  await t.sql(`update attempts set recipient = '' where id = $1`, [toUuid(attempt.id)]);
  const known = { ...attempt, status: 'sent' as const, providerMessageId: newId('sbx'), finishedAt: new Date() };
  await healOvertaken.messages(t.database)({ send: message, known: [known] });
  expect(await stored()).toEqual([{ status: 'sent', id: null }]);
});

test('a passcode is not kept waiting by the provider of a message', async () => {
  const { message, attempt } = await underWay();
  const ctx = t.ctxFor(account.actor('unified'));
  // By a chat, which costs nothing: its first attempt is not paid twice.
  const otp = await sendOtp(ctx, { to: `+${newRecipient()}`, channels: ['chat_qr'], chatFrom: '15550000001' });
  await putUnderWay(t.sql, otp.id, 'held');
  const held = holdAnswer();
  leaveUnfinished(ctx, MESSAGE, message, { attempts: [attempt], isWithdrawn: false });
  await held.called;
  leaveUnfinished(ctx, OTP, otp, { attempts: otp.attemptsMade ?? [], isWithdrawn: false });
  const statuses = () => t.sql('select status from attempts where pin_id = $1', [toUuid(otp.id)]);
  await expect.poll(statuses).toEqual([{ status: 'sent' }]);
  expect(await statusesOf(message.id)).toEqual([]);
  held.answer(acceptedOutcome());
  await expect.poll(() => statusesOf(message.id)).toEqual([{ status: 'sent', credits: 1 }]);
});

test('two who heal one send at once tell what either knows', async () => {
  const { message, attempt, lease } = await underWay();
  const unknown = { ...attempt, status: 'unknown' as const };
  const end = { status: 'unknown', channel: null, kept: null } as const;
  await MESSAGE.settle(t.database)({
    send: message,
    lease,
    settled: [unknown],
    next: null,
    outcome: end,
  });
  const known = { ...attempt, status: 'sent' as const, credits: 1, providerMessageId: newId('sbx') };
  const heal = healOvertaken.messages(t.database);
  const healed = await Promise.all([
    heal({ send: message, known: [known] }),
    heal({ send: message, known: [unknown] }),
  ]);
  expect(healed).toEqual([true, true]);
  expect(await statusesOf(message.id)).toEqual([{ status: 'sent', credits: 1 }]);
});

test('an answer that cannot be read leaves an attempt unknown, and it is not made again', async () => {
  answerWith(() => undefined as never);
  const message = await send();
  const stored = await t.sql('select status, error_code from attempts where message_id = $1', [toUuid(message.id)]);
  expect(stored).toEqual([{ status: 'unknown', error_code: 'provider_error' }]);
  expect(await storedMessage(t, message.id)).toMatchObject({ status: 'unknown' });
});

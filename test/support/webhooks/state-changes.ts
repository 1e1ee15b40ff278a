/** Every change of state that webhooks are told of, to be made by a process that dies over it. */
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import type { Actor, Ctx } from '../../../src/context.ts';
import type { Channel } from '../../../src/kernel/channel.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { OTP } from '../../../src/modules/otp/send/otp-kind.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../src/modules/otp/verify/verify-otp.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { acceptedOutcome } from '../app.ts';
import { from } from '../otp/guess.ts';
import { makePin, newRecipient, wrongCode } from '../otp/pins.ts';
import { OPERATOR, type TestAccount, type TestServices } from '../services.ts';

/** Makes contexts in a process. */
export type CtxFor = (actor: Actor) => Ctx;

/** One run of a change: its services, account and case. */
export interface Run {
  readonly t: TestServices;
  readonly account: TestAccount;
  /** From 0: each run is another case. */
  readonly number: number;
  /** Sets the answers of the providers from now on. */
  providers(answer: (channel: Channel) => SendOutcome): void;
  /** Works in a process that dies as soon as a provider is called. */
  dying(work: (ctxFor: CtxFor) => Promise<unknown>): Promise<void>;
}

/** A change that is about to be made. */
export interface Prepared {
  /** Makes it, in the process that dies. */
  readonly change: (ctxFor: CtxFor) => Promise<unknown>;
  /** Makes it again in another process, where somebody would. */
  readonly again?: (ctxFor: CtxFor) => Promise<unknown>;
}

/** A change of state. */
export interface StateChange {
  readonly title: string;
  /** How many statements it has at least, those of reading included. */
  readonly statements: number;
  /** Whether it has so many that all cases at each of them take most of a minute. */
  readonly hasManyStatements?: boolean;
  readonly prepare: (run: Run) => Promise<Prepared>;
}

const REFUSED: SendOutcome = { kind: 'rejected', code: 'refused', message: 'Refused.' };
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'timeout', message: 'No answer.' };

/** The outcomes of the chat and of the SMS, case after case. */
const CASES: readonly (readonly [() => SendOutcome, () => SendOutcome])[] = [
  [acceptedOutcome, acceptedOutcome],
  [() => REFUSED, acceptedOutcome],
  [() => REFUSED, () => REFUSED],
  [() => UNKNOWN, () => REFUSED],
  [() => REFUSED, () => UNKNOWN],
  [acceptedOutcome, () => REFUSED],
];

const caseOf = (number: number) => (channel: Channel) =>
  (CASES[number % CASES.length]?.[channel === 'sms' ? 1 : 0] ?? acceptedOutcome)();

type Mode = 'fallback' | 'all';
const ROUTE = { chatFrom: '15550000001', sender: 'ACME' };

const sendBoth = ({ account, number }: Run, ctxFor: CtxFor, deliveryMode: Mode) =>
  sendMessage(ctxFor(account.actor('unified')), {
    to: `+${newRecipient()}`,
    text: 'Hello',
    channels: number % 2 === 0 ? ['chat_qr', 'sms'] : ['sms', 'chat_qr'],
    deliveryMode,
    ...ROUTE,
  });

const sendCode = ({ account, number }: Run, ctxFor: CtxFor, deliveryMode: Mode = 'fallback') =>
  number % 4 === 3
    ? sendOtp(ctxFor(account.actor('otp')), { to: `+${newRecipient()}`, channels: ['sms'] })
    : sendOtp(ctxFor(account.actor('unified')), {
        to: `+${newRecipient()}`,
        channels: number % 2 === 0 ? ['chat_qr', 'sms'] : ['sms', 'chat_qr'],
        deliveryMode,
        ...ROUTE,
      });

/** A send, whose providers answer as the case says. */
const sending =
  (send: (run: Run, ctxFor: CtxFor) => Promise<unknown>) =>
  async (run: Run): Promise<Prepared> => {
    run.providers(caseOf(run.number));
    return { change: ctxFor => send(run, ctxFor) };
  };

async function prepareResend(run: Run): Promise<Prepared> {
  run.providers(caseOf(run.number));
  const { pinId } = await makePin(run.t.sql, { accountId: run.account.accountId });
  return { change: ctxFor => resendOtp(ctxFor(run.account.actor('unified')), { pinId }) };
}

let lastAddress = 0;

/** Right, wrong, wrong for the last time, late, and one too many. */
async function prepareGuess({ t, account, number }: Run): Promise<Prepared> {
  const kind = (['right', 'wrong', 'last', 'late', 'blocked'] as const)[number % 5];
  const pin = await makePin(t.sql, { accountId: account.accountId, expiresInSeconds: kind === 'late' ? 0 : 300 });
  const attempts = kind === 'last' ? 4 : kind === 'blocked' ? 5 : 0;
  const status = kind === 'blocked' ? 'blocked' : 'sent';
  await t.sql('update otps set attempts = $2, status = $3 where id = $1', [toUuid(pin.pinId), attempts, status]);
  const code = kind === 'right' ? pin.code : wrongCode(pin, number);
  const address = `10.${(lastAddress++ >> 8) & 255}.${lastAddress & 255}.1`;
  const guess = (ctxFor: CtxFor) =>
    verifyOtp(from(ctxFor(account.actor('unified')), address), { pinId: pin.pinId, pin: code });
  return { change: guess, again: guess };
}

/** Receipts of accepted attempts: delivered or failed, after an acceptance, after a failure, and where nobody knew. */
async function prepareReceipts(run: Run): Promise<Prepared> {
  const { t, number } = run;
  const kind = (['failed', 'delivered', 'corrected', 'proven', 'code', 'lost code'] as const)[number % 6];
  run.providers(acceptedOutcome);
  const { id } =
    kind === 'code' || kind === 'lost code'
      ? await sendCode({ ...run, number: 0 }, t.ctxFor, 'all')
      : await sendBoth(run, t.ctxFor, 'all');
  const ids = await t.sql<{ id: string }>(
    'select provider_message_id as id from attempts where $1 in (message_id, pin_id)',
    [toUuid(id)],
  );
  const receipts = (status: 'failed' | 'delivered') =>
    ids.map(each => ({
      provider: 'scripted',
      providerMessageId: each.id,
      status,
      errorCode: null,
      errorMessage: null,
    }));
  const report = (status: 'failed' | 'delivered') => (ctxFor: CtxFor) =>
    recordReceipts(ctxFor(OPERATOR), receipts(status));
  if (kind === 'corrected') await report('failed')(t.ctxFor);
  if (kind === 'proven' || kind === 'code') {
    // As a recovery leaves it, whose dead process had the provider's id stored all the same.
    await t.sql(`update attempts set status = 'unknown' where $1 in (message_id, pin_id)`, [toUuid(id)]);
    await t.sql(`update messages set status = 'unknown', channel = null where id = $1`, [toUuid(id)]);
    await t.sql('update otps set channel = null where id = $1', [toUuid(id)]);
  }
  // The queue brings a receipt again until a worker is done with it.
  const change = report(kind === 'failed' || kind === 'lost code' ? 'failed' : 'delivered');
  return { change, again: change };
}

/** The recovery of a send whose process died when its provider had just been called. */
const recovering = (send: (run: Run, ctxFor: CtxFor, mode: Mode) => Promise<unknown>) => async (run: Run) => {
  run.providers(caseOf(run.number));
  await run.dying(ctxFor => send(run, ctxFor, run.number % 3 === 0 ? 'all' : 'fallback'));
  await endLeases(run);
  return { change: recover };
};

/** Lets the leases of what is under way in an account end, as time does. */
export async function endLeases({ t, account }: Pick<Run, 't' | 'account'>): Promise<void> {
  for (const table of ['messages', 'otps'])
    await t.sql(
      `update ${table} set lease_until = clock_timestamp() - interval '1 second'
       where account_id = $1 and lease_until is not null`,
      [toUuid(account.accountId)],
    );
}

/** A round of recovery, as a worker makes it. */
export async function recover(ctxFor: CtxFor): Promise<void> {
  await Promise.all([recoverSends(ctxFor(OPERATOR), MESSAGE), recoverSends(ctxFor(OPERATOR), OTP)]);
}

/** Every change of state that webhooks are told of. */
export const STATE_CHANGES: readonly StateChange[] = [
  {
    title: 'a message, channel after channel',
    statements: 3,
    prepare: sending((run, ctxFor) => sendBoth(run, ctxFor, 'fallback')),
  },
  {
    title: 'a message on all channels at once',
    statements: 2,
    prepare: sending((run, ctxFor) => sendBoth(run, ctxFor, 'all')),
  },
  {
    title: 'a direct SMS',
    statements: 2,
    prepare: sending(({ account }, ctxFor) =>
      sendMessage(ctxFor(account.actor('sms')), {
        to: `+${newRecipient()}`,
        text: 'Hello',
        channels: ['sms'],
        sender: 'ACME',
      }),
    ),
  },
  { title: 'an OTP', statements: 3, prepare: sending((run, ctxFor) => sendCode(run, ctxFor)) },
  { title: 'an OTP that is sent again', statements: 3, prepare: prepareResend },
  { title: 'a guess', statements: 1, prepare: prepareGuess },
  { title: 'receipts', statements: 6, prepare: prepareReceipts },
  { title: 'the recovery of a message', statements: 4, hasManyStatements: true, prepare: recovering(sendBoth) },
  { title: 'the recovery of an OTP', statements: 4, hasManyStatements: true, prepare: recovering(sendCode) },
];

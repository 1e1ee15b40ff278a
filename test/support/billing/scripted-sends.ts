/** Services whose providers answer as a test says, sends through them, and what they cost. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { SendOutcome, SendRequest } from '../../../src/channels/contract.ts';
import { recoverMessages } from '../../../src/modules/messaging/recover-messages.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { recoverOtps } from '../../../src/modules/otp/recover-otps.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { acceptedOutcome, scriptedProviders } from '../app.ts';
import { newRecipient } from '../otp/pins.ts';
import { createTestServices, makeAccount, OPERATOR, type TestAccount, type TestServices } from '../services.ts';
import { endLeases } from '../webhooks/state-changes.ts';
import { auditMoney } from './money-audit.ts';

/** The outcome of a provider that refuses. */
export const REFUSED: SendOutcome = { kind: 'rejected', code: 'refused', message: 'Refused.' };
/** The outcome of a provider that said nothing in time. */
export const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'timeout', message: 'No answer.' };

/** The services of the file. */
export let t: TestServices;
/** The account of the test; 10 credits unless `startWith` says otherwise. */
export let account: TestAccount;
/** What the providers were asked to send since the test began, in order. */
export const asked: SendRequest[] = [];

let outcome: (request: SendRequest) => SendOutcome | Promise<SendOutcome> = acceptedOutcome;

/** Makes all of it for the tests of the file that calls this: providers accept, unless a test says otherwise. */
export function setUpMoney(): void {
  beforeAll(async () => {
    t = await createTestServices({
      providers: scriptedProviders(request => {
        asked.push(request);
        return outcome(request);
      }),
    });
  });
  afterAll(() => t.close());

  beforeEach(async () => {
    outcome = acceptedOutcome;
    asked.length = 0;
    await startWith(10);
  });
}

/** Goes on with another account, which has so many credits. */
export async function startWith(credits: number): Promise<void> {
  account = await makeAccount(t.services, { credits });
}

/** Lets providers answer like this for the rest of the test. */
export function answerWith(answer: typeof outcome): void {
  outcome = answer;
}

const SMS = { text: 'Hello', channels: ['sms'], sender: 'ACME' } as const;
type SendInput = Parameters<typeof sendMessage>[1];

/** Sends an SMS, or what is said otherwise. */
export const send = (input: Partial<SendInput> = {}, area: 'unified' | 'sms' = 'unified') =>
  sendMessage(t.ctxFor(account.actor(area)), {
    to: `+${newRecipient()}`,
    ...SMS,
    channels: [...SMS.channels],
    ...input,
  });

/** Sends over two channels, in the order that is given. */
export const sendBoth = (channels: readonly ('chat_qr' | 'sms')[], deliveryMode: 'fallback' | 'all') =>
  send({ channels: [...channels], chatFrom: '15550000001', deliveryMode });

/** Sends an OTP by SMS, or as is said otherwise. */
export const sendCode = (input: Partial<Parameters<typeof sendOtp>[1]> = {}) =>
  sendOtp(t.ctxFor(account.actor('unified')), { to: `+${newRecipient()}`, channels: ['sms'], ...input });

/** A text of so many segments. */
export function textOf(segments: number): string {
  return 'a'.repeat(segments === 1 ? 100 : 153 * segments);
}

/** What the money of the account comes to. @throws where it does not add up. */
export async function money(): Promise<{ credits: number; held: number; spent: number }> {
  const { faults, credits, held, spent } = await auditMoney(t.sql, account.accountId);
  expect(faults).toEqual([]);
  return { credits, held, spent };
}

/** Lets the provider's answer wait until it is released; resolves when the provider has been asked. */
export function holdAnswer() {
  const answer = Promise.withResolvers<SendOutcome>();
  const called = Promise.withResolvers<void>();
  answerWith(() => {
    called.resolve();
    return answer.promise;
  });
  return { called: called.promise, answer: answer.resolve };
}

/** Lets the leases of the account end, as time does, and makes a round of recovery. */
export async function takeOver(): Promise<void> {
  await endLeases({ t, account });
  const ctx = t.ctxFor(OPERATOR);
  await Promise.all([recoverMessages(ctx), recoverOtps(ctx)]);
}

/** Records receipts of the provider, in one call each, all at once. */
export async function report(
  providerMessageIds: readonly (string | null | undefined)[],
  status: 'delivered' | 'failed' = 'delivered',
): Promise<void> {
  await Promise.all(
    providerMessageIds.map(id =>
      recordReceipts(t.ctxFor(OPERATOR), [
        { provider: 'scripted', providerMessageId: id ?? '', status, errorCode: null, errorMessage: null },
      ]),
    ),
  );
}

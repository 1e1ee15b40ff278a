/** Services whose providers answer as a test says, and sends through them. */
import { beforeEach } from 'vitest';
import type { SendRequest } from '../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { acceptedOutcome, scriptedProviders } from '../app.ts';
import { holdLatest, setUpServices } from '../fixtures.ts';
import { newRecipient } from '../otp/pins.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../services.ts';

/** The outcome of a provider that refuses. */
export const REFUSED: SendOutcome = { kind: 'rejected', code: 'refused', message: 'Refused.' };
/** The outcome of a provider that said nothing in time. */
export const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'timeout', message: 'No answer.' };

const SMS = { text: 'Hello', channels: ['sms'], sender: 'ACME' } as const;

type Answer = (request: SendRequest) => SendOutcome | Promise<SendOutcome>;

/** Makes services for the tests of the file that calls this, and an account for each. Providers accept unless a test says otherwise. */
export function setUpScriptedSends(seed: Parameters<typeof makeAccount>[1] = {}) {
  const asked: SendRequest[] = [];
  let answer: Answer = acceptedOutcome;
  const t = setUpServices({
    providers: scriptedProviders(request => {
      asked.push(request);
      return answer(request);
    }),
  });
  const latest = holdLatest<TestAccount>();
  const account = latest.it;
  const startWith = async (credits = seed.credits): Promise<void> =>
    latest.set(await makeAccount(t.services, { ...seed, ...(credits !== undefined && { credits }) }));
  beforeEach(async () => {
    answer = acceptedOutcome;
    asked.length = 0;
    await startWith();
  });
  const answerWith = (wanted: Answer): void => {
    answer = wanted;
  };
  const send = (input: Partial<Parameters<typeof sendMessage>[1]> = {}, area: 'unified' | 'sms' = 'unified') =>
    sendMessage(t.ctxFor(account.actor(area)), {
      to: `+${newRecipient()}`,
      ...SMS,
      channels: [...SMS.channels],
      ...input,
    });
  return {
    t,
    account,
    /** The requests to the providers since the test began, in order. */
    asked,
    /** Goes on with another account, which has so many credits. */
    startWith,
    /** Lets providers answer like this for the rest of the test. */
    answerWith,
    /** Lets the provider's answer wait until it is released; resolves when the provider has been asked. */
    holdAnswer() {
      const held = Promise.withResolvers<SendOutcome>();
      const called = Promise.withResolvers<void>();
      answerWith(() => {
        called.resolve();
        return held.promise;
      });
      return { called: called.promise, answer: held.resolve };
    },
    /** Sends an SMS, or what is said otherwise. */
    send,
    /** Sends by chat and by SMS, in the order that is given. */
    sendBoth: (deliveryMode: 'fallback' | 'all', channels: readonly ('chat_qr' | 'sms')[] = ['chat_qr', 'sms']) =>
      send({ channels: [...channels], chatFrom: '15550000001', deliveryMode }),
    /** Records a receipt of the provider. */
    report: (providerMessageId: string | null | undefined, status: 'delivered' | 'failed' | 'sent' = 'delivered') =>
      recordReceipts(t.ctxFor(OPERATOR), [
        {
          provider: 'scripted',
          providerMessageId: providerMessageId ?? '',
          status,
          errorCode: null,
          errorMessage: null,
        },
      ]),
  };
}

/** Services whose providers answer as a test says, sends through them, and the events that they tell of. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { SendOutcome, SendRequest } from '../../../src/channels/contract.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import type { WebhookEventName } from '../../../src/modules/webhooks/events/webhook-events.ts';
import { acceptedOutcome, scriptedProviders } from '../app.ts';
import { createTestServices, makeAccount, OPERATOR, type TestAccount, type TestServices } from '../services.ts';
import { type StoredEvent, storedEvents } from './stored-webhooks.ts';

/** The outcome of a provider that refuses. */
export const REFUSED: SendOutcome = { kind: 'rejected', code: 'refused', message: 'Refused.' };

/** The services of the file. */
export let t: TestServices;
/** The account of the test. */
export let account: TestAccount;
/** What the providers were asked to send, in order. */
export const sent: SendRequest[] = [];
/** The end of the next number that is sent to. */
export let lastNumber = 4_000;

let outcome: (request: SendRequest) => SendOutcome | Promise<SendOutcome> = acceptedOutcome;

/** Makes all of it for the tests of the file that calls this: providers accept, unless a test says otherwise. */
export function setUpTelling(): void {
  beforeAll(async () => {
    t = await createTestServices({
      providers: scriptedProviders(request => {
        sent.push(request);
        return outcome(request);
      }),
    });
  });
  afterAll(() => t.close());

  beforeEach(async () => {
    outcome = acceptedOutcome;
    account = await makeAccount(t.services);
  });
}

/** Lets providers answer like this for the rest of the test. */
export function answerWith(answer: typeof outcome): void {
  outcome = answer;
}

const SMS = { text: 'Hello', channels: ['sms'], sender: 'ACME' } as const;
/** A message by chat and by SMS. */
export const CHAT_AND_SMS = { ...SMS, channels: ['chat_qr', 'sms'], chatFrom: '15550000001' } as const;

/** The routes as inputs, whose lists may be changed. */
export const send = (input: Partial<Parameters<typeof sendMessage>[1]> = {}, area: 'unified' | 'sms' = 'unified') =>
  sendMessage(t.ctxFor(account.actor(area)), { to: newRecipient(), ...SMS, channels: [...SMS.channels], ...input });

/** Sends by chat and by SMS. */
export const both = (deliveryMode: 'fallback' | 'all') =>
  send({ ...CHAT_AND_SMS, channels: [...CHAT_AND_SMS.channels], deliveryMode });

/** A number that nothing was sent to. */
export function newRecipient(): string {
  return `+1202556${lastNumber++}`;
}

/** The events of the account, in the order in which its state changed. */
export async function names(): Promise<WebhookEventName[]> {
  return (await storedEvents(t, account.accountId)).map(({ event }) => event);
}

/** The only event of a name. @throws where there is none, or another one. */
export async function only(event: WebhookEventName): Promise<StoredEvent> {
  const found = (await storedEvents(t, account.accountId)).filter(each => each.event === event);
  expect(found).toHaveLength(1);
  const [first] = found;
  if (!first) throw new Error('there is none');
  return first;
}

/** Records a receipt of a provider. */
export function report(providerMessageId: string | null | undefined, status: 'delivered' | 'failed' | 'sent') {
  const receipt = { provider: 'scripted', providerMessageId: providerMessageId ?? '', status };
  return recordReceipts(t.ctxFor(OPERATOR), [{ ...receipt, errorCode: null, errorMessage: null }]);
}

/** Sends through providers that answer as a test says, and the events that they tell of. */
import { expect } from 'vitest';
import type { WebhookEventName } from '../../../src/modules/webhooks/events/webhook-events.ts';
import { setUpScriptedSends } from '../messaging/scripted-sends.ts';
import { type StoredEvent, storedEvents } from './stored-webhooks.ts';

/** Makes all of it for the tests of the file that calls this: providers accept, unless a test says otherwise. */
export function setUpTelling() {
  const sends = setUpScriptedSends();
  const { t, account } = sends;
  return {
    ...sends,
    /** The events of the account, in the order in which its state changed. */
    names: async (): Promise<WebhookEventName[]> =>
      (await storedEvents(t, account.accountId)).map(({ event }) => event),
    /** The only event of a name. @throws Error where there is none, or more than one */
    async only(event: WebhookEventName): Promise<StoredEvent> {
      const found = (await storedEvents(t, account.accountId)).filter(each => each.event === event);
      expect(found).toHaveLength(1);
      const [first] = found;
      if (!first) throw new Error('there is none');
      return first;
    },
  };
}

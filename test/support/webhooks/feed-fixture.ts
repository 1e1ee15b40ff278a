/** Services, an account for each test, and who follows its events and tries until the test is over. */
import { afterEach, beforeEach, vi } from 'vitest';
import type { Actor, Ctx } from '../../../src/context.ts';
import { closeFeeds } from '../../../src/db/feeds/feed.ts';
import type { Database } from '../../../src/db/orm.ts';
import { idPayloads } from '../../../src/db/statements/id-payloads.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { WebhookTry } from '../../../src/modules/webhooks/deliveries/webhook-try.entity.ts';
import { TRY_CHANNEL } from '../../../src/modules/webhooks/events/announce-webhooks.ts';
import type { WebhookEventName } from '../../../src/modules/webhooks/events/webhook-events.ts';
import { followWebhookEvents } from '../../../src/modules/webhooks/feeds/follow-events.ts';
import { setUpAccount, setUpServices } from '../fixtures.ts';
import type { TestAccount } from '../services.ts';

/** Makes all of it for the tests of the file that calls this, and closes the feeds after each. */
export function setUpFollowing() {
  const on = setUpServices();
  const account = setUpAccount(on);
  let followers: AbortController;
  beforeEach(() => {
    followers = new AbortController();
  });
  afterEach(async () => {
    vi.useRealTimers();
    followers.abort();
    await closeFeeds(on.database);
  });
  const ctxOf = (actor: Actor, database: Database = on.database): Ctx =>
    on.ctxFor(actor).with({ services: { ...on.services, database }, signal: () => followers.signal });
  return {
    on,
    account,
    /** Takes away who follows. */
    stop: () => followers.abort(),
    /** A context as a subscription has it: it lives until the test is over. */
    ctxOf,
    /** Follows the events of the account, all of them unless told. */
    follow: async (events?: WebhookEventName[], actor?: Actor) =>
      followWebhookEvents(ctxOf(actor ?? (await account.holder('management'))), { events }),
    /** Sends an SMS of the account through the sandbox, and answers the message's id. */
    async send(to = '+12025550100', sender: TestAccount = account): Promise<string> {
      const request = { to, text: 'Hello', channels: ['sms' as const], sender: 'ACME' };
      return (await sendMessage(on.ctxFor(sender.actor('unified')), request)).id;
    },
    /** Stores tries and announces them, as a settle does. */
    async addTries(...tries: WebhookTry[]): Promise<void> {
      await on.database.fork().transactional(async em => {
        em.persist(tries);
        await em.flush();
        for (const payload of idPayloads(tries.map(made => toUuid(made.id)))) {
          await runSql(em.getKysely(), 'select pg_notify($1, $2)', [TRY_CHANNEL, payload]);
        }
      });
    },
    /** A try of a delivery to an endpoint, acknowledged; not stored. */
    makeTry: (endpointId: string, accountId = account.accountId): WebhookTry =>
      Object.assign(new WebhookTry(), {
        id: newId('try'),
        accountId,
        endpointId,
        deliveryId: newId('dlv'),
        number: 1,
        httpStatus: 200,
        durationMs: 5,
        error: null,
        errorMessage: null,
        response: 'ok',
        createdAt: new Date(),
      }),
    /** The registrations of who follows the events of an account, with the seconds that are left of each. */
    listeners: (accountId = account.accountId) =>
      on.sql<{ events: string[]; seconds: number }>(
        `select events, extract(epoch from expires_at - clock_timestamp())::float8 as seconds
         from webhook_listeners where account_id = $1`,
        [toUuid(accountId)],
      ),
  };
}

/** Takes so many rows, or fewer where the feed ends. */
export async function take<Row>(rows: AsyncIterator<Row, undefined>, count: number): Promise<Row[]> {
  const taken: Row[] = [];
  while (taken.length < count) {
    const { done, value } = await rows.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** Services on a database of their own, and for each test an account, a receiver and a worker that delivers to it. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Deliverer, startWebhooks } from '../../../src/modules/webhooks/deliveries/deliverer.ts';
import { createTestServices, makeAccount, OPERATOR, type TestAccount, type TestServices } from '../services.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { followTries, makeEndpoint, queueDeliveries, type TestEndpoint } from './stored-webhooks.ts';

/** The services of the file. */
export let t: TestServices;
/** The account of the test. */
export let account: TestAccount;
/** What listens where the endpoints of the test point to. */
export let receiver: Receiver;
/** The worker of the test. */
export let webhooks: Deliverer;
/** The tries that are stored since the test began. */
export let tries: Awaited<ReturnType<typeof followTries>>;

/** Makes all of it for the tests of the file that calls this, and takes it away after them. */
export function setUpDelivering(): void {
  beforeAll(async () => {
    t = await createTestServices();
  });
  afterAll(() => t.close());

  beforeEach(async () => {
    t.clock.set(new Date());
    account = await makeAccount(t.services);
    receiver = await startReceiver();
    tries = await followTries(t);
    webhooks = await startWebhooks(t.ctxFor(OPERATOR));
  });
  afterEach(async () => {
    // Answers first: a stop waits for what is under way.
    await receiver.close();
    await webhooks.stop();
    await tries.stop();
    // What waits for its next try would be tried, and counted, in a later test.
    await t.sql(`update webhook_deliveries set status = 'dead', next_try_at = null where status = 'pending'`);
  });
}

/** Lets another worker be the one of the test, which is stopped after it. The one before must be stopped. */
export function workBy(worker: Deliverer): void {
  webhooks = worker;
}

/** Stores an endpoint of the account, at the receiver unless told. */
export const endpointOf = (seed: Parameters<typeof makeEndpoint>[2] = {}): Promise<TestEndpoint> =>
  makeEndpoint(t, account.accountId, { url: receiver.url, ...seed });

/** Makes so many deliveries to an endpoint of the account due, and answers their ids. */
export const queue = (endpointId: string, count = 1) => queueDeliveries(t, account.accountId, endpointId, count);

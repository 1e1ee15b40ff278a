/** Services on a database of their own, and for each test an account, a receiver and a worker that delivers to it. */
import { afterEach, beforeEach } from 'vitest';
import { startWebhooks, type Webhooks } from '../../../src/modules/webhooks/deliveries/deliverer.ts';
import { holdLatest, oncePerTest, setUpAccount, setUpServices } from '../fixtures.ts';
import { OPERATOR } from '../services.ts';
import { startReceiver } from './receiver.ts';
import { followTries, makeEndpoint, queueDeliveries, type TestEndpoint } from './stored-webhooks.ts';

/** Makes all of it for the tests of the file that calls this, and takes it away after them. */
export function setUpDelivering() {
  const t = setUpServices();
  const account = setUpAccount(t);
  // Deliveries that wait would be tried, and counted, in a later test. Hooks after a test run in reverse: this one is the last.
  afterEach(() => t.sql(`update webhook_deliveries set status = 'dead', next_try_at = null where status = 'pending'`));
  const tries = oncePerTest(
    () => followTries(t),
    followed => followed.stop(),
  );
  const worker = holdLatest<Webhooks>();
  beforeEach(async () => worker.set(await startWebhooks(t.ctxFor(OPERATOR))));
  afterEach(() => worker.get().stop());
  // Its answers end first: a worker that stops waits for what is under way.
  const receiver = oncePerTest(startReceiver, started => started.close());
  return {
    t,
    account,
    /** The tries that are stored since the test began. */
    tries,
    /** The receiver that the endpoints of the test point to. */
    receiver,
    /** The worker of the test. */
    webhooks: worker.it,
    /** Lets another worker be the one of the test, which is stopped after it. The one before must be stopped. */
    workBy: worker.set,
    /** Stores an endpoint of the account, at the receiver unless told. */
    endpointOf: (seed: Parameters<typeof makeEndpoint>[2] = {}): Promise<TestEndpoint> =>
      makeEndpoint(t, account.accountId, { url: receiver.url, ...seed }),
    /** Makes so many deliveries to an endpoint of the account due, and answers their ids. */
    queue: (endpointId: string, count = 1) => queueDeliveries(t, account.accountId, endpointId, count),
  };
}

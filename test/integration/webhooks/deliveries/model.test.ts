import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromUuid, toUuid } from '../../../../src/kernel/ids.ts';
import { startWebhooks } from '../../../../src/modules/webhooks/deliveries/deliverer.ts';
import { redeliverWebhook } from '../../../../src/modules/webhooks/redelivery/redeliver.ts';
import { assertProperty } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import { OPERATOR } from '../../../support/services.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';
import {
  ANSWERS,
  type AnswerName,
  DELIVERY_COMMANDS,
  playDeliveries,
  type RealDeliveries,
} from '../../../support/webhooks/delivery-model.ts';
import { passTheWait, storedDeliveries, wake } from '../../../support/webhooks/stored-webhooks.ts';

/** How many sequences are played: each makes some ten requests. */
const RUNS = rounds({ usual: 30, long: 300 });

/** A deliberate fault is found within so many sequences. */
const BROKEN_RUNS = 300;

const { account, endpointOf, queue, receiver, t, tries, webhooks, workBy } = setUpDelivering();

/** An endpoint of its own with all that a sequence needs. `total` counts the tries of the whole test. */
async function realDeliveries(total: { tries: number }): Promise<RealDeliveries> {
  const { endpointId } = await endpointOf();
  const id = toUuid(endpointId);
  const before = receiver.received.length;
  const answer = (name: AnswerName): void => {
    const chosen = ANSWERS[name];
    const headers = 'retryAfter' in chosen ? { 'retry-after': String(chosen.retryAfter) } : {};
    receiver.answer = (_request, response) => response.writeHead(chosen.status, headers).end();
  };
  answer('acknowledges');
  return {
    answer,
    queue: count => queue(endpointId, count),
    pass: () => passTheWait(t, endpointId),
    async setPaused(isPaused) {
      await t.sql('update webhook_endpoints set status = $2 where id = $1', [id, isPaused ? 'paused' : 'enabled']);
      await wake(t, endpointId);
    },
    async restart() {
      await webhooks.stop();
      workBy(await startWebhooks(t.ctxFor(OPERATOR)));
    },
    async setStep(delivery, step) {
      await t.sql('update webhook_deliveries set step = $2 where id = $1', [toUuid(delivery), step]);
    },
    async redeliver(delivery) {
      await redeliverWebhook(t.ctxFor(account.actor('management')), delivery);
    },
    async tried(count) {
      total.tries += count;
      await tries.reached(total.tries);
    },
    async over() {
      const left = async () =>
        (await storedDeliveries(t, endpointId)).filter(({ status }) => status === 'pending').length;
      await expect.poll(left).toBe(0);
      // Those that were begun before it was known are stored, too.
      await expect.poll(() => receiver.open.now).toBe(0);
      const stored = async () =>
        (await t.sql<{ n: number }>('select count(*)::int as n from webhook_tries where endpoint_id = $1', [id]))[0]?.n;
      await expect.poll(stored).toBe(receiver.received.length - before);
      const [row] = await t.sql<{ n: number }>('select count(*)::int as n from webhook_tries');
      total.tries = row?.n ?? total.tries;
    },
    async look() {
      const rows = await storedDeliveries(t, endpointId);
      await t.sql(
        `update webhook_deliveries set next_try_at = now() + interval '10 hours' where endpoint_id = $1 and status = 'pending' and next_try_at > now()`,
        [id],
      );
      return rows.map(row => ({ ...row, id: fromUuid('dlv', row.id) }));
    },
    received: () => receiver.received.length - before,
  };
}

/** A property over what has happened in the test so far. */
function newProperty() {
  const total = { tries: 0 };
  return fc.asyncProperty(DELIVERY_COMMANDS, async commands => playDeliveries(commands, await realDeliveries(total)));
}

test(
  `a delivery is tried when it is due and as often as the schedule says, whatever happens to its endpoint (${RUNS} sequences)`,
  async () => {
    await t.sql('delete from webhook_tries');
    await assertProperty(newProperty(), { numRuns: RUNS, endOnFailure: true });
  },
  60_000 + RUNS * 2_000,
);

describe('the model finds out', () => {
  test.each([
    ['goes no step further', 'new.step := old.step', /: a delivery:/],
    [
      'comes again sooner than the endpoint asks',
      `if new.next_try_at is not null then new.next_try_at := least(new.next_try_at, now() + interval '20 minutes'); end if`,
      /the next one is in/,
    ],
    [
      'gives up early',
      `if new.step >= 5 and new.status = 'pending' then new.status := 'dead'; new.next_try_at := null; new.finished_at := now(); end if`,
      /: a delivery:/,
    ],
    [
      'forgets that it was acknowledged',
      `if new.status = 'delivered' then new.status := 'pending'; new.next_try_at := now() + interval '1 day'; new.finished_at := null; end if`,
      /: a delivery:/,
    ],
  ])('a worker that %s', async (_what, change, fault) => {
    await t.sql('delete from webhook_tries');
    // Of what the worker settles alone: each of its changes counts a try.
    await t.sql(
      `create function break_delivery() returns trigger language plpgsql as $$ begin ${change}; return new; end $$`,
    );
    await t.sql(
      `create trigger break_delivery before update on webhook_deliveries for each row
         when (new.tries > old.tries) execute function break_delivery()`,
    );
    try {
      const details = await fc.check(newProperty(), { numRuns: BROKEN_RUNS, endOnFailure: true });
      expect([details.failed, String(details.errorInstance)]).toEqual([true, expect.stringMatching(fault)]);
    } finally {
      await t.sql('drop function break_delivery cascade');
    }
  });
});

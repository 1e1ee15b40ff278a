import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { until } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { createTestServices, LOCAL_NETWORKS, makeAccount, type TestServices } from '../../support/services.ts';
import {
  type ChaosOutcome,
  type ChaosPlan,
  chaosOutcome,
  type MortalWorkers,
  queueSteadily,
  startMortalWorkers,
} from '../../support/webhooks/killed-workers.ts';
import { type Received, type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';
import { makeEndpoint } from '../../support/webhooks/stored-webhooks.ts';

/** How many seconds it goes on. */
const SECONDS = rounds({ usual: 12, long: 90 });

/** A short run has its kills closer together, so that there are some. */
const PLAN: ChaosPlan = { durationMs: SECONDS * 1_000, killAfterMs: SECONDS < 60 ? [2_000, 4_000] : [2_000, 10_000] };

const WORKERS = 2;
const ENDPOINTS = 5;
const PER_SECOND = 50;

/** The most tries to one endpoint at a time (contract §7). */
const TRIES_AT_A_TIME = 10;

/** The bound for another worker to deliver the work of a dead one. */
const STRANDED_SECONDS = 35;

/** How long the receiver takes: long enough that a worker dies over its tries. */
const ANSWER_MS = 150;

/** Workers sign with the secrets that these tests seal. */
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

describePostgres('workers that are killed again and again', () => {
  let t: TestServices;
  let receiver: Receiver;
  let workers: MortalWorkers;

  beforeAll(async () => {
    t = await createTestServices();
    if (t.testDatabase.kind !== 'postgres') return;
    receiver = await startReceiver(async (_request, response) => {
      await setTimeout(ANSWER_MS);
      response.end('ok');
    });
    const env = { SECRET_KEY, WEBHOOK_ALLOWED_NETWORKS: LOCAL_NETWORKS.join(',') };
    workers = await startMortalWorkers(t, t.testDatabase.url, WORKERS, env);
  });
  afterAll(async () => {
    await workers.stop();
    await receiver.close();
    await t.close();
  });

  test(
    `deliver everything that was created at ${PER_SECOND} a second, for ${SECONDS} s`,
    async () => {
      const { accountId } = await makeAccount(t.services);
      const endpoints = await Promise.all(
        Array.from({ length: ENDPOINTS }, (_, index) =>
          makeEndpoint(t, accountId, { url: `${receiver.url}/${index}` }),
        ),
      );
      const rate = { perSecond: PER_SECOND, durationMs: PLAN.durationMs };
      const [queued, lives] = await Promise.all([queueSteadily(t, accountId, endpoints, rate), workers.run(PLAN)]);
      await until(
        'nothing is pending',
        async () => {
          const [row] = await t.sql<{ waits: boolean }>(
            `select exists (select from webhook_deliveries where account_id = $1 and status = 'pending') as waits`,
            [toUuid(accountId)],
          );
          return row?.waits === false ? true : null;
        },
        STRANDED_SECONDS * 1_000,
      );
      const outcome = await chaosOutcome(t, accountId, queued, receiver.received, lives);
      // The figures are what a long run is for.
      process.stdout.write(`Workers that were killed: ${JSON.stringify(outcome)}\n`);
      expect(outcome.deaths).toBeGreaterThan(0);
      expect(outcome.takings).toBeGreaterThan(ENDPOINTS);
      expect(outcome).toMatchObject({
        created: PER_SECOND * SECONDS,
        lost: [],
        unknown: [],
        renamed: [],
        changed: [],
        takenByNobody: 0,
        statuses: { delivered: PER_SECOND * SECONDS },
      });
      expect(outcome.duplicates).toBeLessThanOrEqual(outcome.deaths * TRIES_AT_A_TIME * ENDPOINTS);
      expect(outcome.longestStranded).toBeLessThanOrEqual(STRANDED_SECONDS);
      await expectFaultsFound((arrivals, account) => chaosOutcome(t, account, queued, arrivals, lives), accountId);
    },
    PLAN.durationMs + 180_000,
  );

  /** Workers that lose, repeat, rename, change or forget a delivery are found out by the same look. */
  async function expectFaultsFound(
    look: (arrivals: readonly Received[], accountId: string) => Promise<ChaosOutcome>,
    accountId: string,
  ): Promise<void> {
    const [first] = receiver.received;
    if (!first) throw new Error('nothing has arrived');
    const id = String(first.headers['x-service-delivery']);
    const others = receiver.received.filter(({ headers }) => headers['x-service-delivery'] !== id);
    const renamed = { ...first, headers: { ...first.headers, 'x-service-delivery': 'dlv_another' } };
    const changed = { ...first, body: JSON.stringify({ ...JSON.parse(first.body), accountId: 'acc_another' }) };
    const before = await look(receiver.received, accountId);
    expect(await look(others, accountId)).toMatchObject({ lost: [id] });
    expect(await look([...receiver.received, first], accountId)).toMatchObject({ duplicates: before.duplicates + 1 });
    expect(await look([...receiver.received, renamed], accountId)).toMatchObject({
      unknown: ['dlv_another'],
      renamed: [JSON.parse(first.body).id],
    });
    expect(await look([...receiver.received, changed], accountId)).toMatchObject({ changed: [id] });
    await t.sql(`update webhook_deliveries set finished_at = now() + interval '1 hour' where id = $1`, [toUuid(id)]);
    expect((await look(receiver.received, accountId)).longestStranded).toBeGreaterThan(STRANDED_SECONDS);
  }
});

import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { countHealth } from '../../../src/modules/connections/health/count-health.ts';
import { openHealth } from '../../../src/modules/connections/health/health-table.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import type { Attempt } from '../../../src/modules/routing/attempt.entity.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { type HttpGateway, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { until } from '../../support/processes/gateway.ts';
import { OPERATOR, openTestDatabase } from '../../support/services.ts';

const on = setUpApp({ env: { SANDBOX: 'off' }, mayTell: /http:\/\/127\.0\.0\.1[:/]/g });
const customer = setUpOwnCustomer(on);

const carrier = oncePerTest(openHttpGateway, gate => gate.close());
const spare = oncePerTest(openHttpGateway, gate => gate.close());

const fail = (error: unknown): never => {
  throw error;
};

const operator = () => on.app.makeCtx(OPERATOR, 'test');

const connect = async (name: string, priority: number, { config }: HttpGateway) =>
  (
    await createConnection(operator(), {
      accountId: customer.accountId,
      provider: 'http-sms',
      channel: 'sms',
      name,
      priority,
      config,
    })
  ).id;

/** The database's time, some minutes ago. */
const minutesAgo = async (minutes: number) =>
  new Date(new Date(await on.app.services.database.clock.in(0)).getTime() - minutes * 60_000);

/** Stores attempts that went by a connection. */
async function store(connectionId: string, count: number, minutes: number, given: Partial<Attempt> = {}) {
  const startedAt = await minutesAgo(minutes);
  const attempts = Array.from({ length: count }, () =>
    makeAttempt(customer.accountId, {
      connectionId,
      provider: 'http-sms',
      country: 'US',
      providerMessageId: 'gw-1',
      startedAt,
      finishedAt: new Date(startedAt.getTime() + 100),
      status: 'delivered',
      reportedAt: new Date(startedAt.getTime() + 3_100),
      ...given,
    }),
  );
  const em = on.app.services.database.fork();
  em.persist(attempts);
  await em.flush();
}

/** Counts as the job does, and lets this process know. */
async function count() {
  await countHealth(operator());
  await on.app.services.providers.refresh();
}

const inputFor = (to: string) => ({ to: `+${to}`, text: 'Hello', channels: ['SMS'], sender: 'ACME' });

const send = async (to = newRecipient()) => {
  const { data } = await on.graphql<{ sendMessage: { id: string } }>(
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
    { token: customer.tokens.unified, variables: { input: inputFor(to) } },
  );
  return data?.sendMessage.id ?? '';
};

/** Reports what a gateway took since the last report, as of three minutes ago, so that its receipts were due. */
async function report(gateway: HttpGateway, status: 'D' | 'F') {
  for (const { receipts, attempt } of gateway.messages.splice(0)) {
    const answer = await on.app.fetch(new Request(`${receipts}?attempt=${attempt}&status=${status}`));
    expect(answer.status).toBe(200);
  }
  await on.sql(
    `update attempts set started_at = started_at - interval '3 minutes', finished_at = finished_at - interval '3 minutes',
      reported_at = reported_at - interval '3 minutes'
     where account_id = $1 and finished_at > clock_timestamp() - interval '2 minutes'`,
    [toUuid(customer.accountId)],
  );
}

interface Leg {
  readonly connections: readonly { name: string; verdict: string; reason: string | null }[];
}

/** The connections of a dry run. */
async function dryRun(to: string) {
  const { data, errors } = await on.graphql<{ previewSend: { legs: readonly Leg[] } }>(
    'query ($input: SendMessageInput!) { previewSend(input: $input) { legs { connections { name verdict reason } } } }',
    {
      token: customer.tokens.unified,
      variables: { input: inputFor(to) },
    },
  );
  expect(errors).toBeNull();
  return data?.previewSend.legs[0]?.connections;
}

const verdictsOf = async (to: string) => (await dryRun(to))?.map(({ name, verdict }) => `${name} ${verdict}`);

/** The connections in the order in which they are tried for a recipient, without a request. */
const standingFor = (recipient: string, country = 'US') =>
  on.app.services.providers
    .explain({ accountId: customer.accountId, channel: 'sms', purpose: 'message', recipient, country: () => country })
    .considered.map(({ name, verdict }) => `${name} ${verdict}`)
    .join(', ');

/** So many recipients for whom they stand so. */
function recipientsWith(standing: string, wanted: number, country = 'US'): string[] {
  const found: string[] = [];
  for (let tries = 0; tries < 4_000 && found.length < wanted; tries++) {
    const recipient = newRecipient();
    if (standingFor(recipient, country) === standing) found.push(recipient);
  }
  expect(found).toHaveLength(wanted);
  return found;
}

const PASSED_OVER = 'spare first, carrier sick';
const TRIED = 'carrier trial, spare follows';

const timelineOf = async (id: string) => {
  const { data } = await on.graphql<{ message: { timeline: { kind: string; reason: string; skipped: object[] }[] } }>(
    'query ($id: String!) { message(id: $id) { timeline { kind reason skipped { name verdict reason } } } }',
    { token: customer.tokens.management, variables: { id } },
  );
  return data?.message.timeline.find(({ kind }) => kind === 'ATTEMPT_STARTED');
};

const metrics = () => on.app.services.metrics.registry.metrics();

const REASON = '0 % of its newest texts to US were delivered in time; 75 % are usual.';

describe('a connection that accepts everything and delivers nothing', () => {
  let carrierId: string;
  let spareId: string;

  beforeEach(async () => {
    carrierId = await connect('carrier', 1, carrier);
    spareId = await connect('spare', 2, spare);
    for (const minutes of [180, 240]) await store(carrierId, 30, minutes);
    for (let sent = 0; sent < 20; sent++) await send();
    expect(carrier.messages.length).toBe(20);
    await report(carrier, 'F');
    await count();
  });

  test('is passed over while another one fits, and the dry run and the timeline say why', async () => {
    const [recipient = ''] = recipientsWith(PASSED_OVER, 1);
    await expect(dryRun(recipient)).resolves.toEqual([
      { name: 'spare', verdict: 'FIRST', reason: null },
      { name: 'carrier', verdict: 'SICK', reason: REASON },
    ]);
    const id = await send(recipient);
    expect(spare.messages.map(({ to }) => to)).toEqual([recipient]);
    await expect(timelineOf(id)).resolves.toEqual({
      kind: 'ATTEMPT_STARTED',
      reason: `spare was chosen: first by priority, and healthy; passed over: carrier (sick: ${REASON.slice(0, -1)}).`,
      skipped: [{ name: 'carrier', verdict: 'SICK', reason: REASON }],
    });
  });

  test('is tried by a few recipients, and the timeline says so', async () => {
    const recipients = Array.from({ length: 1_000 }, newRecipient);
    const tries = recipients.filter(recipient => standingFor(recipient) === TRIED);
    expect(tries.length).toBeGreaterThan(15);
    expect(tries.length).toBeLessThan(100);
    const [recipient = ''] = tries;
    await expect(verdictsOf(recipient)).resolves.toEqual(['carrier TRIAL', 'spare FOLLOWS']);
    const id = await send(recipient);
    expect(carrier.messages.map(({ to }) => to)).toEqual([recipient]);
    await expect(timelineOf(id)).resolves.toMatchObject({
      reason: `carrier was chosen to see whether it is well again. ${REASON}`,
      skipped: [{ name: 'carrier', verdict: 'TRIAL' }],
    });
  });

  test('is well again, and first, once what it was tried with was delivered', async () => {
    for (const recipient of recipientsWith(TRIED, 5)) await send(recipient);
    await report(carrier, 'D');
    await count();
    recipientsWith(PASSED_OVER, 1);
    // More of them, a few minutes ago.
    for (const minutes of [3, 4, 5]) await store(carrierId, 20, minutes);
    await count();
    const recipient = newRecipient();
    await expect(verdictsOf(recipient)).resolves.toEqual(['carrier FIRST', 'spare FOLLOWS']);
    await send(recipient);
    expect(carrier.messages.map(({ to }) => to)).toEqual([recipient]);
    expect(spare.messages).toEqual([]);
  });

  test('is asked by its priority where the other one is sick as well', async () => {
    for (const minutes of [180, 240]) await store(spareId, 30, minutes);
    await store(spareId, 20, 5, { status: 'failed' });
    await count();
    const [recipient = ''] = recipientsWith('carrier sick, spare sick', 1);
    await expect(verdictsOf(recipient)).resolves.toEqual(['carrier SICK', 'spare SICK']);
    await expect(timelineOf(await send(recipient))).resolves.toMatchObject({
      reason: `carrier was chosen though it is sick, as none that fits is well. ${REASON}`,
      skipped: [{ name: 'carrier', verdict: 'SICK' }],
    });
  });

  test('is shown with its reason by the list and the metrics', async () => {
    const { data, errors } = await on.graphql<{ connections: { name: string; readings: object[] }[] }>(
      '{ connections { name readings { country reason hour { attempts taken refused unknown due delivered } day { attempts delivered receiptMs } } } }',
      { token: customer.tokens.management },
    );
    expect(errors).toBeNull();
    const hour = { attempts: 20, taken: 20, refused: 0, unknown: 0, due: 20, delivered: 0 };
    const day = { attempts: 80, delivered: 60, receiptMs: 3_000 };
    expect(data?.connections).toEqual([
      {
        name: 'carrier',
        readings: [
          { country: null, reason: REASON.replace(' to US', ''), hour, day },
          { country: 'US', reason: REASON, hour, day },
        ],
      },
      { name: 'spare', readings: [] },
    ]);
    const told = await metrics();
    const labels = `{connection="${carrierId}",country="US"}`;
    expect(told).toContain(`heliograph_connection_sick${labels} 1`);
    expect(told).toContain(`heliograph_connection_delivered_ratio${labels} 0`);
    expect(told).toContain(`heliograph_connection_taken_ratio${labels} 1`);
  });

  test('is named by the doctor with its reason', async () => {
    const { data } = await on.graphql<{ doctor: { findings: { name: string; message: string }[] } }>(
      '{ doctor { findings { name message } } }',
      { token: OPERATOR_TOKEN },
    );
    expect(data?.doctor.findings).toContainEqual({
      name: 'connections.sick',
      message: `The connection "carrier" is sick. ${REASON.replace(' to US', '')}`,
    });
  });

  test('is sick in another process as well, which draws the same recipients to try it', async () => {
    const other = await openTestDatabase(on.testDatabase);
    const metrics = createMetrics(false);
    const health = await openHealth({ database: other, metrics, onError: fail });
    try {
      expect(health.sicknessOf(carrierId, () => 'US')).toBe(REASON);
      const tries = recipientsWith(TRIED, 3).map(recipient => health.isTriedBy(carrierId, recipient));
      expect(tries).toEqual([true, true, true]);
      for (const minutes of [2, 3, 4]) await store(carrierId, 20, minutes);
      await count();
      await until('the other process knows that it is well', async () =>
        health.sicknessOf(carrierId, () => 'US') === null ? true : null,
      );
    } finally {
      await health.close();
      await other.close();
    }
  });

  test('is well where nobody has counted for ten minutes', async () => {
    await on.sql("update connection_health set counted_at = counted_at - interval '11 minutes'");
    await on.app.services.providers.refresh();
    await expect(verdictsOf(newRecipient())).resolves.toEqual(['carrier FIRST', 'spare FOLLOWS']);
  });
});

describe('what is counted', () => {
  test('is what went by a connection of any channel', async () => {
    const { id } = await createConnection(operator(), {
      accountId: customer.accountId,
      provider: 'whatsapp-cloud',
      channel: 'chat_cloud',
      name: 'cloud',
      config: { phoneNumberId: '1', accessToken: 'a', appSecret: 'b', verifyToken: 'c' },
    });
    const given = { channel: 'chat_cloud', provider: 'whatsapp-cloud', segments: 0, credits: 0 } as const;
    await store(id, 40, 120, given);
    await store(id, 20, 5, {
      ...given,
      status: 'unknown',
      errorCode: 'timeout',
      providerMessageId: null,
      reportedAt: null,
    });
    await count();
    const rows = await on.sql(
      'select country, reason from connection_health where connection_id = $1 order by country',
      [toUuid(id)],
    );
    expect(rows).toEqual([
      { country: '*', reason: 'The provider took 0 % of its newest texts; 67 % are usual.' },
      { country: 'US', reason: 'The provider took 0 % of its newest texts to US; 67 % are usual.' },
    ]);
  });

  test('is refused texts and those without an answer, and not what says nothing about the connection', async () => {
    const id = await connect('carrier', 1, carrier);
    const failed = { status: 'failed', providerMessageId: null, reportedAt: null } as const;
    await store(id, 4, 5, { ...failed, errorCode: 'http_503' });
    await store(id, 3, 6, { ...failed, status: 'unknown', errorCode: 'timeout' });
    await store(id, 7, 7, { ...failed, errorCode: 'connection_down' });
    await store(id, 7, 8, { ...failed, errorCode: 'recipient_refused' });
    // A send that was given back before its provider was asked.
    await store(id, 7, 8, { ...failed, errorCode: 'not_accepted' });
    for (const code of [131026, 131056, 132012, 132015])
      await store(id, 3, 8, { ...failed, errorCode: `whatsapp_${code}` });
    for (const errorCode of ['http_429', 'esme_rthrottled', 'esme_rinvdstadr', 'twilio_21211', 'vonage_1', 'vonage_6'])
      await store(id, 3, 11, { ...failed, errorCode });
    // Meta took it, and said later that nobody has WhatsApp there.
    await store(id, 3, 8, { status: 'failed', errorCode: 'whatsapp_131026' });
    // Twilio took it, and said later that the phone is unknown.
    await store(id, 3, 13, { status: 'failed', errorCode: 'twilio_30005' });
    await store(id, 9, 9);
    await store(id, 2, 1, { status: 'sent', reportedAt: null });
    await store(id, 5, 90);
    await count();
    const rows = await on.sql<{ country: string; hour: object; day: object }>(
      'select country, hour, day from connection_health where connection_id = $1 order by country',
      [toUuid(id)],
    );
    const hour = {
      attempts: 18,
      taken: 11,
      refused: 4,
      unknown: 3,
      due: 9,
      delivered: 9,
      ackMs: 100,
      receiptMs: 3_000,
    };
    const day = { ...hour, attempts: 23, taken: 16, due: 14, delivered: 14 };
    expect(rows).toEqual([
      { country: '*', hour, day },
      { country: 'US', hour, day },
    ]);
  });

  test('of a connection whose provider refuses all of a sudden makes it sick for that country alone', async () => {
    const id = await connect('carrier', 1, carrier);
    await connect('spare', 2, spare);
    for (const minutes of [120, 180, 240, 300])
      for (const country of ['US', 'DE']) await store(id, 25, minutes, { country });
    const refused = { status: 'failed', errorCode: 'http_403', providerMessageId: null, reportedAt: null } as const;
    await store(id, 20, 5, { ...refused, country: 'DE' });
    await store(id, 20, 4);
    await count();
    recipientsWith(PASSED_OVER, 1, 'DE');
    expect(standingFor(newRecipient(), 'US')).toBe('carrier first, spare follows');
    // A country with few attempts is judged by all of them.
    expect(standingFor(newRecipient(), 'FR')).toBe('carrier first, spare follows');
    const rows = await on.sql(
      'select country, reason from connection_health where connection_id = $1 and reason is not null',
      [toUuid(id)],
    );
    expect(rows).toEqual([
      { country: 'DE', reason: 'The provider took 0 % of its newest texts to DE; 83 % are usual.' },
    ]);
  });
});

import { expect, test } from 'vitest';
import type { Report } from '../../../src/channels/contract.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { WAITING_MAX } from '../../../src/modules/receipts/early-budget.ts';
import { earlyReceiptsJob } from '../../../src/modules/receipts/early-receipts.ts';
import { receiveReports } from '../../../src/modules/receipts/receive-reports.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { until } from '../../support/processes/gateway.ts';
import { OPERATOR } from '../../support/services.ts';

const lines: { msg: string; connectionId?: string }[] = [];
const on = setUpApp({ log: createLogger('warn', { write: line => void lines.push(JSON.parse(line)) }) });
const customer = setUpOwnCustomer(on);
const gateway = oncePerTest(openHttpGateway, gate => gate.close());

/** How many receipts are a job. */
const JOB_SIZE = 200;

const connect = async (): Promise<string> => {
  const { id } = await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: customer.accountId,
    provider: 'http-sms',
    channel: 'sms',
    name: 'Carrier',
    config: gateway.config,
  });
  return id;
};

let serial = 0;
const ofNobody = (): Report => ({
  providerMessageId: `nobody-${++serial}`,
  status: 'delivered',
  errorCode: null,
  errorMessage: null,
});

/** Reports as the provider of a connection does, so many texts that nobody knows. */
function report(connectionId: string, count: number): Promise<void> {
  const reports = Array.from({ length: count }, ofNobody);
  return receiveReports(on.app.makeCtx(OPERATOR, 'test'), { id: connectionId, providerId: 'http-sms' }, reports);
}

/** Lets receipts of a connection wait, as other processes did. */
const fill = (connectionId: string, count: number) =>
  on.sql(
    `insert into pgboss.job (name, data, start_after)
      select $1, json_build_object('look', 1, 'receipts', (
        select json_agg(json_build_object('provider', 'http-sms', 'connectionId', $2::text, 'providerMessageId', n::text,
          'status', 'delivered', 'errorCode', null, 'errorMessage', null)) from generate_series(1, ${JOB_SIZE}) n)),
        now() + interval '1 hour'
      from generate_series(1, $3::int)`,
    [earlyReceiptsJob.name, connectionId, count / JOB_SIZE],
  );

const clear = () => on.sql('delete from pgboss.job where name = $1', [earlyReceiptsJob.name]);

async function waiting(connectionId: string): Promise<number> {
  const [row] = await on.sql<{ count: number }>(
    `select count(*)::int as count from pgboss.job, jsonb_array_elements(data -> 'receipts') as r(receipt)
      where name = $1 and receipt ->> 'connectionId' = $2`,
    [earlyReceiptsJob.name, connectionId],
  );
  return row?.count ?? 0;
}

async function dropped(): Promise<number> {
  const { values } = await on.app.services.metrics.receipts.get();
  return values.find(({ labels }) => labels.result === 'dropped')?.value ?? 0;
}

test('of the receipts of nobody no more wait than may, and those of another connection wait beside them', async () => {
  const [wild, calm] = [await connect(), await connect()];
  await fill(wild, WAITING_MAX);
  // So many are counted.
  await report(wild, 1_000);
  await until('too many are known to wait', async () => {
    await report(wild, 1);
    return (await dropped()) > 0 ? true : null;
  });
  const atMost = await waiting(wild);
  const before = await dropped();
  await report(wild, 50);
  expect(await dropped()).toBe(before + 50);
  expect(await waiting(wild)).toBe(atMost);
  await report(calm, 50);
  expect([await waiting(calm), await dropped()]).toEqual([50, before + 50]);
  const told = lines.filter(({ msg }) => msg.includes('dropped'));
  expect(told).toMatchObject([{ connectionId: wild, waitingMax: WAITING_MAX }]);
  // When those that waited have gone, others may.
  await clear();
  await until('others may wait', async () => {
    await report(wild, 1);
    return (await waiting(wild)) > 0 ? true : null;
  });
});

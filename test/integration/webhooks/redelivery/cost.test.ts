import { expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { COUNT_MEANT, RESTART_MEANT } from '../../../../src/modules/webhooks/redelivery/redeliver.sql.ts';
import { explainVerb, nodesOf } from '../../../support/databases/explain.ts';
import { midMonth } from '../../../support/logs/log-rows.ts';
import { setUpRedelivering } from '../../../support/webhooks/redelivery-fixture.ts';

const { account, t, target } = setUpRedelivering();

/** Deliveries to the endpoint; one of each hundred is dead, and one waits. */
const COUNT = 30_000;

test('to count and begin what was given up or waits reads nothing of what was delivered', async () => {
  const endpoint = toUuid(target.endpointId);
  await t.sql(
    `insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, status, tries, step, created_at, finished_at)
     select (lpad(to_hex($1::bigint + n), 12, '0') || '7000' || '8' || substr(md5(n::text), 1, 15))::uuid, $3::uuid, $4::uuid, gen_random_uuid(),
       'message.sent', case n % 100 when 0 then 'dead' when 1 then 'pending' else 'delivered' end, 1, 1, now(), case when n % 100 <> 1 then now() end
     from generate_series(1, $2::int) n`,
    [midMonth(0).getTime(), COUNT, toUuid(account.accountId), endpoint],
  );
  await t.sql('vacuum analyze webhook_deliveries');
  const bounds = { event: null, from: null, to: null, lowestId: null, idEnd: null, after: null };
  const meant = { endpoint, ...bounds, before: new Date(Date.now() + 3_600_000).toISOString() };
  const plans = await explainVerb(t, account.actor('management'), async ctx => {
    const sql = ctx.services.database.sql();
    await COUNT_MEANT.first(sql, { ...meant, status: 'dead' });
    await COUNT_MEANT.first(sql, { ...meant, status: 'missed' });
    // A half, so that there are others for the plan.
    await RESTART_MEANT.first(sql, { ...meant, status: 'dead', limit: COUNT / 200 });
  });
  const scans = plans.flatMap(nodesOf).filter(node => node['Relation Name']?.startsWith('webhook_deliveries'));
  const read = scans.map(node => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  expect(Math.max(...read)).toBeGreaterThanOrEqual(COUNT / 200);
  expect(Math.max(...read)).toBeLessThanOrEqual(COUNT / 50);
});

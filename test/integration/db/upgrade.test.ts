/** A database of the release before, with sends under way, is brought up to date and taken back, and loses nothing. */
import { Migrator } from '@mikro-orm/migrations';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/db/migrate.ts';
import { PATIENCE_MS, patiently } from '../../../src/db/postgres/bounded-client.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { findLedgerFaults } from '../../../src/modules/billing/reconcile.ts';
import { recoverMessages } from '../../../src/modules/messaging/recover-messages.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on, { credits: 200_000 });

const BEFORE = 'migration-20261123030000';
/** The embedded database is one process's own, and slower. */
const sendsOf = (): number => (on.testDatabase.kind === 'pglite' ? 5_000 : 100_000);
const UNDER_WAY = 200;

const uuid = (): string => toUuid(account.accountId);

/** SMS as the release before left them, the last ones under way: an attempt, and its entries of the ledger. */
async function sendAsBefore(sends: number): Promise<void> {
  await on.sql(
    `create table sends as select uuid7 as id, overlay(uuid7::text placing 'a' from 15 for 1)::uuid as attempt, n > $1::int as is_left
     from (select n, (lpad(to_hex(floor(extract(epoch from now()) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n), 3, '0')
       || '8' || substr(md5(n::text), 1, 15))::uuid as uuid7 from generate_series(1, $1::int + $2::int) n) s`,
    [sends, UNDER_WAY],
  );
  const lease = `case when is_left then now() - interval '1 second' end`;
  await on.sql(
    `insert into messages (id, account_id, area, recipient, text, channels, delivery_mode, sender, status, channel, segments, lease_until, created_at)
     select id, $1, 'unified', '12025550100', 'Hello', '{sms}', 'fallback', 'ACME', case when is_left then 'pending' else 'sent' end,
       case when not is_left then 'sms' end, 1, ${lease}, now() from sends`,
    [uuid()],
  );
  await on.sql(
    `insert into attempts (id, account_id, area, type, message_id, channel, provider, recipient, sender, status, segments, credits,
       provider_message_id, started_at)
     select attempt, $1, 'unified', 'message_attempt', id, 'sms', 'sandbox', '12025550100', 'ACME',
       case when is_left then 'pending' else 'sent' end, 1, case when is_left then 0 else 1 end,
       case when not is_left then attempt::text end, now() from sends`,
    [uuid()],
  );
  await on.sql(
    `insert into ledger (account_id, id, kind, credits, held, attempt_id, spend_day, created_at)
     select $1::uuid, gen_random_uuid(), 'hold', -1, 1, attempt, (now() at time zone 'UTC')::date, now() from sends
     union all select $1::uuid, gen_random_uuid(), 'capture', 0, -1, attempt, null, now() from sends where not is_left`,
    [uuid()],
  );
  await on.sql('drop table sends');
}

/** A message with a reference, or its first answer. Its attempts' country is for the log alone, and the way back drops it. */
async function send() {
  const { underWay: _known, ...message } = await sendMessage(on.ctxFor(account.actor('unified')), {
    to: '+12025550100',
    text: 'Hello',
    channels: ['chat_qr'],
    chatFrom: '15550000001',
    reference: 'upgrade',
  });
  return JSON.parse(
    JSON.stringify({
      ...message,
      attempts: message.attempts?.map(({ providerMessageId, country, ...shown }) => shown),
    }),
  );
}

/** What the release before finds of it. */
async function keptAnswer() {
  const [row] = await on.sql<{ answer: object }>('select answer from idempotency_keys where account_id = $1', [uuid()]);
  return row?.answer;
}

async function standing() {
  const [row] = await on.sql<object>(
    `select credits, held, spent, (select count(*)::int from messages where lease_until is not null) as left,
       (select count(*)::int from attempts where status = 'pending') as pending from accounts a where id = $1`,
    [uuid()],
  );
  return row;
}

test('sends under way come to their ends after the upgrade, and after the way back and forth again', async () => {
  const goBack = () => patiently(PATIENCE_MS.migration, () => new Migrator(on.database.orm.em).down({ to: BEFORE }));
  await goBack();
  const sends = sendsOf();
  await sendAsBefore(sends);

  await migrate(on.database);
  const credits = 200_000 - sends - UNDER_WAY;
  const spent = sends + UNDER_WAY;
  expect(await standing()).toEqual({ credits, held: UNDER_WAY, spent, left: UNDER_WAY, pending: 0 });
  expect(await findLedgerFaults(on.ctxFor(OPERATOR))).toEqual([]);

  const first = await send();
  await goBack();
  const [old] = await on.sql<object>(
    `select credits, spent, (select sum(l.credits)::int from ledger l) as sum, (select sum(l.held)::int from ledger l) as held,
         (select count(*)::int from attempts where status = 'pending' and channel = 'sms' and sender = 'ACME') as pending
       from accounts where id = $1`,
    [uuid()],
  );
  expect(await keptAnswer()).toMatchObject({ status: 'sent', channel: 'chat_qr', attempts: [{ status: 'sent' }] });
  expect(old).toEqual({ credits, spent, sum: credits, held: UNDER_WAY, pending: UNDER_WAY });

  await migrate(on.database);
  expect(await send()).toEqual(first);
  expect(await recoverMessages(on.ctxFor(OPERATOR))).toBe(UNDER_WAY);
  expect(await standing()).toEqual({ credits: credits + UNDER_WAY, held: 0, spent: sends, left: 0, pending: 0 });
  expect(await findLedgerFaults(on.ctxFor(OPERATOR))).toEqual([]);
  const ends = await on.sql('select status, count(*)::int as n from attempts group by 1 order by 1');
  expect(ends).toEqual([
    { status: 'sent', n: sends + 1 },
    { status: 'unknown', n: UNDER_WAY },
  ]);
}, 300_000);

import { beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { forgetFailed } from '../../../../src/modules/otp/limits/forget-failed.ts';
import type { Otp as OtpRow } from '../../../../src/modules/otp/otp.entity.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { acceptedOutcome, scriptedProviders } from '../../../support/app.ts';
import { setUpServices } from '../../../support/fixtures.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { makeAccount, type TestAccount } from '../../../support/services.ts';

const t = setUpServices({ providers: scriptedProviders(acceptedOutcome) });
let account: TestAccount;
let other: TestAccount;

beforeEach(async () => {
  [account, other] = await Promise.all([makeAccount(t.services), makeAccount(t.services)]);
});

const ctx = (of: TestAccount = account) => t.ctxFor(of.actor('unified'));

/** The recipients that still wait, each with the areas in which they do. */
const waiting = () =>
  t.sql<{ name: string }>(
    `select case account_id when $1 then 'own ' else 'other ' end || recipient || ' ' || area as name
     from otp_recipients, jsonb_object_keys(cooldowns) area where account_id in ($1, $2) order by 1`,
    [toUuid(account.accountId), toUuid(other.accountId)],
  );

test('ends the cooldown of this recipient, account and area alone', async () => {
  const [to, neighbour] = [newPhone(), newPhone()];
  const failed = await sendOtp(ctx(), { to });
  await sendOtp(t.ctxFor(account.actor('otp')), { to });
  await sendOtp(ctx(), { to: neighbour });
  await sendOtp(ctx(other), { to });
  await t.sql(`update otps set status = 'failed' where id = $1`, [toUuid(failed.id)]);
  const before = await waiting();
  await forgetFailed(ctx(), failed);
  const own = `own ${to.slice(1)} unified`;
  expect(before.map(({ name }) => name)).toContain(own);
  expect(await waiting()).toEqual(before.filter(({ name }) => name !== own));
});

test('keeps the cooldown where a code of the recipient is live', async () => {
  const to = newPhone();
  const sent = await sendOtp(ctx(), { to });
  const before = await waiting();
  await forgetFailed(ctx(), sent);
  expect(await waiting()).toEqual(before);
});

test('takes one off the counts of its places in its hour, and off no others', async () => {
  const failed: OtpRow = await sendOtp(ctx(), { to: '+12025560001' });
  await t.sql('delete from otp_traffic');
  await t.sql(
    `insert into otp_traffic (account_id, place, hour, sent, verified)
     select account_id, place, date_trunc('hour', $3::timestamptz) - make_interval(hours => ago), 10, 0
     from unnest(array[$1, $2]::uuid[]) account_id, unnest(array['US', '+1202556', 'DE']) place, generate_series(0, 1) ago`,
    [toUuid(account.accountId), toUuid(other.accountId), failed.createdAt],
  );
  await forgetFailed(ctx(), failed);
  const changed = await t.sql(
    `select account_id = $1 as "isOwn", place, hour = date_trunc('hour', $2::timestamptz) as "isOfHour", sent from otp_traffic
     where sent <> 10 order by place`,
    [toUuid(account.accountId), failed.createdAt],
  );
  expect(changed).toEqual(['+1202556', 'US'].map(place => ({ isOwn: true, place, isOfHour: true, sent: 9 })));
});

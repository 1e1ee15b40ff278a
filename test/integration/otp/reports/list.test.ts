import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import type { Otp } from '../../../../src/modules/otp/otp.entity.ts';
import { type ListOtpsInput, listOtpsInput } from '../../../../src/modules/otp/reports/list-otps.input.ts';
import { findOtp, listOtps, loadDeliveries } from '../../../../src/modules/otp/reports/list-otps.ts';
import { resendOtp } from '../../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import type { Attempt } from '../../../../src/modules/routing/attempt.entity.ts';
import { setUpAccount, setUpServices } from '../../../support/fixtures.ts';
import { idAt, makeAttempt, midMonth } from '../../../support/logs/log-rows.ts';
import { makeOtp, newPinId } from '../../../support/otp/rows.ts';
import { readInput } from '../../../support/refusal.ts';
import { makeAccount } from '../../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);

async function store(...rows: object[]): Promise<void> {
  await on.database.fork().persist(rows).flush();
}

let last = 0;
/** A recipient of its own for each: an account has one live OTP of a recipient. */
function nextRecipient(): string {
  last += 1;
  return `1415555${String(last).padStart(4, '0')}`;
}

const own = (given: Parameters<typeof makeOtp>[1] = {}): Otp =>
  makeOtp(account.accountId, { recipient: nextRecipient(), ...given });

const attemptOf = (otp: Otp, given: Parameters<typeof makeAttempt>[1] = {}): Attempt =>
  makeAttempt(otp.accountId, {
    type: 'otp_attempt',
    messageId: null,
    pinId: otp.id,
    area: otp.area,
    recipient: otp.recipient,
    ...given,
  });

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(row => row.id);

describe('the list of OTPs', () => {
  test('is newest first, page after page, though the ids are random', async () => {
    const now = Date.now();
    const otps = Array.from({ length: 12 }, (_, index) => own({ createdAt: new Date(now - index * 1_000) }));
    await store(...otps);
    const ctx = on.ctxFor(account.actor('unified'));
    const found: string[] = [];
    const more: boolean[] = [];
    let after: string | null = null;
    do {
      const page = await listOtps(ctx, { first: 5, after });
      found.push(...idsOf(page.rows));
      more.push(page.hasNextPage);
      after = page.hasNextPage ? page.endCursor : null;
    } while (after !== null);
    expect([found, more]).toEqual([idsOf(otps), [true, true, false]]);
  });

  test('shows no row twice and misses none where newer ones come between two pages', async () => {
    const now = Date.now();
    const otps = [0, 1, 2, 3].map(index => own({ createdAt: new Date(now - index * 1_000) }));
    await store(...otps);
    const ctx = on.ctxFor(account.actor('unified'));
    const first = await listOtps(ctx, { first: 2 });
    await store(own({ createdAt: new Date(now + 1_000) }));
    const second = await listOtps(ctx, { first: 2, after: first.endCursor });
    expect(idsOf([...first.rows, ...second.rows])).toEqual(idsOf(otps));
  });

  test('holds an OTP as it was sent, without its attempts', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    // An OTP holds these only while it is sent: the state under way, the day of its hold, and whether stopped people get it.
    const {
      attemptsMade,
      underWay: _under,
      heldOn: _day,
      goesToSuppressed: _goes,
      ...otp
    } = await sendOtp(ctx, { to: `+${nextRecipient()}`, channels: ['sms'] });
    expect(attemptsMade).toHaveLength(1);
    const { rows } = await listOtps(ctx, {});
    expect(rows).toEqual([expect.objectContaining(otp)]);
    expect(rows[0]?.attemptsMade).toBeUndefined();
  });

  test.each<[string, Parameters<typeof makeOtp>[1], NonNullable<ListOtpsInput['filter']>]>([
    ['status', { status: 'blocked' }, { status: 'blocked' }],
    ['recipient', { recipient: '447911123456' }, { recipient: '+44 7911 123456' }],
    ['channel', { channel: 'chat_qr' }, { channel: 'chat_qr' }],
    ['time', { createdAt: midMonth(-1) }, { from: midMonth(-1), to: new Date(midMonth(-1).getTime() + 1) }],
    ['all of it', { status: 'failed', channel: null }, { status: 'failed', channel: null, from: midMonth(-1) }],
  ])('is narrowed by %s', async (_name, given, filter) => {
    const wanted = own(given);
    const foreign = makeOtp(other.accountId, given);
    await store(wanted, own(), own(), foreign);
    const { rows } = await listOtps(on.ctxFor(account.actor('unified')), { filter });
    expect(idsOf(rows)).toEqual([wanted.id]);
  });

  test('begins and ends at the time that an OTP shows, whenever its place was taken', async () => {
    const shown = Date.now() - 10_000;
    // The place is taken before the database dates the row.
    const otp = own({ createdAt: new Date(shown), position: toUuid(idAt('msg', new Date(shown - 40))) });
    await store(otp);
    const ctx = on.ctxFor(account.actor('unified'));
    const ask = async (filter: NonNullable<ListOtpsInput['filter']>) => idsOf((await listOtps(ctx, { filter })).rows);
    expect(await ask({ from: new Date(shown) })).toEqual([otp.id]);
    expect(await ask({ from: new Date(shown + 1) })).toEqual([]);
    expect(await ask({ to: new Date(shown) })).toEqual([]);
    expect(await ask({ to: new Date(shown + 1) })).toEqual([otp.id]);
  });

  test.each<[object, string]>([
    [{ first: 0 }, 'first'],
    [{ first: 201 }, 'first'],
    [{ after: 'x' }, 'after'],
    [{ filter: { recipient: 'nobody' } }, 'filter.recipient'],
    [{ filter: { status: 'delivered' } }, 'filter.status'],
    [{ filter: { reference: 'order-1' } }, 'filter.reference'],
  ])('refuses %j', async (input, field) => {
    const list = async () => listOtps(on.ctxFor(account.actor('unified')), readInput(listOtpsInput, input));
    await expect(list()).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field }] },
    });
  });
});

describe('who sees which OTPs', () => {
  test.each([
    ['unified', 2],
    ['management', 2],
    ['otp', 1],
    ['sms', 0],
  ] as const)('a token of the area %s lists, finds and loads %i of two', async (area, count) => {
    const otps = [own(), own({ area: 'otp' })];
    await store(...otps, ...otps.map(otp => attemptOf(otp)));
    const ctx = on.ctxFor(account.actor(area));
    expect((await listOtps(ctx, {})).rows).toHaveLength(count);
    const found = await Promise.all(otps.map(otp => findOtp(ctx, otp.id)));
    expect(found.filter(otp => otp !== null)).toHaveLength(count);
    expect((await loadDeliveries(ctx, idsOf(otps))).flat()).toHaveLength(count);
  });

  test("another account's OTP, a missing one and a malformed id are the same: none", async () => {
    const foreign = makeOtp(other.accountId);
    await store(foreign, attemptOf(foreign));
    const ctx = on.ctxFor(account.actor('unified'));
    const ids = [foreign.id, newPinId(), 'pin_1', '', foreign.id.replace('pin', 'msg'), `pin_${'0'.repeat(32)}`];
    expect(await Promise.all(ids.map(id => findOtp(ctx, id)))).toEqual(ids.map(() => null));
    expect(await loadDeliveries(ctx, ids)).toEqual(ids.map(() => []));
  });

  test('a unified token reads nothing while the unified API is off', async () => {
    const closed = await makeAccount(on, { unifiedApi: false });
    const ctx = on.ctxFor(closed.actor('unified'));
    const refused = { code: 'unified_api_disabled' };
    await expect(listOtps(ctx, {})).rejects.toMatchObject(refused);
    await expect(findOtp(ctx, newPinId())).rejects.toMatchObject(refused);
    await expect(loadDeliveries(ctx, [newPinId()])).rejects.toMatchObject(refused);
  });
});

describe('the attempts of OTPs', () => {
  test('are loaded for each OTP in turn, repeats and capitals too', async () => {
    const otps = [own(), own(), own()];
    const attempts = otps.slice(0, 2).map(otp => attemptOf(otp));
    await store(...otps, ...attempts);
    const [first, second, third] = idsOf(otps);
    const asked = [third, second, first, second, `pin_${first?.slice(4).toUpperCase()}`].map(String);
    const loaded = await loadDeliveries(on.ctxFor(account.actor('unified')), asked);
    const [ofFirst, ofSecond] = idsOf(attempts);
    expect(loaded.map(idsOf)).toEqual([[], [ofSecond], [ofFirst], [ofSecond], [ofFirst]]);
  });

  test('are in the order of the route where they were made at once, as the answer of the send was', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    const otp = await sendOtp(ctx, {
      to: `+${nextRecipient()}`,
      channels: ['sms', 'chat_qr'],
      deliveryMode: 'all',
      chatFrom: '15550000001',
    });
    const [attempts] = await loadDeliveries(ctx, [otp.id]);
    expect(attempts?.map(attempt => attempt.channel)).toEqual(['sms', 'chat_qr']);
    expect(idsOf(attempts ?? [])).toEqual(idsOf(otp.attemptsMade ?? []));
  });

  test('are those of a resend too, oldest first, and nothing that became of the OTP', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    const otp = await sendOtp(ctx, { to: `+${nextRecipient()}`, channels: ['sms'] });
    await on.sql('update otps set resend_available_at = now() where id = $1', [toUuid(otp.id)]);
    // Of the next second: the clock of the tests stands still.
    on.clock.set(new Date(on.clock.now().getTime() + 1_000));
    const again = await resendOtp(ctx, { pinId: otp.id });
    await store(attemptOf(otp, { type: 'otp_incorrect', status: 'failed', provider: null }));
    const [attempts] = await loadDeliveries(ctx, [otp.id]);
    expect(idsOf(attempts ?? [])).toEqual(idsOf([...(otp.attemptsMade ?? []), ...(again.attemptsMade ?? [])]));
  });

  test('are found in the months in which they were made', async () => {
    const otp = own({ createdAt: midMonth(-1) });
    const attempts = [midMonth(-1), midMonth(1)].map(startedAt => attemptOf(otp, { startedAt }));
    await store(otp, ...attempts.toReversed());
    const [loaded] = await loadDeliveries(on.ctxFor(account.actor('unified')), [otp.id]);
    expect(idsOf(loaded ?? [])).toEqual(idsOf(attempts));
  });
});

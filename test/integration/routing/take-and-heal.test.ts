/** The sends that recovery takes over, and those that it heals, by its statements alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import {
  HEAL_MESSAGES,
  HEAL_OTPS,
  TAKE_OVERDUE_MESSAGES,
  TAKE_OVERDUE_OTPS,
  TAKE_UNFINISHED,
} from '../../../src/modules/routing/recovery/recover.sql.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { type Lease, putUnderWay } from '../../support/messaging/put-under-way.ts';
import { newPhone } from '../../support/otp/pins.ts';

const t = setUpServices({ sandbox: { keepArrival: async () => undefined } });
const account = setUpAccount(t);

beforeEach(async () => {
  for (const table of ['routing_marks', 'messages', 'otps']) await t.sql(`delete from ${table}`);
});

const OF = { leaseSeconds: 15, limit: 100 };
const message = { text: 'Hello', channels: ['chat_qr', 'sms'] as const, chatFrom: '15550000001', sender: 'ACME' };

/** Either kind of send: how one is made, and how overdue ones are taken. */
const KINDS = {
  messages: {
    key: 'message_id',
    send: () =>
      sendMessage(t.ctxFor(account.actor('unified')), { ...message, channels: [...message.channels], to: newPhone() }),
    take: (but: readonly string[], by: string) =>
      TAKE_OVERDUE_MESSAGES.run(t.database.sql(), { ...OF, but: [...but], by, from: null, lookSize: 100 }),
  },
  otps: {
    key: 'pin_id',
    send: () => sendOtp(t.ctxFor(account.actor('otp')), { to: newPhone() }),
    take: (but: readonly string[], by: string) => TAKE_OVERDUE_OTPS.run(t.database.sql(), { ...OF, but: [...but], by }),
  },
} as const;

/** The statuses of a send's attempts, the state of the send, and its state after it was healed. */
const HEALED: Readonly<Record<'messages' | 'otps', readonly (readonly [string[], string, object])[]>> = {
  messages: [
    [['failed', 'sent'], "status = 'unknown'", { status: 'sent', channel: 'sms' }],
    [['failed', 'failed'], "status = 'unknown'", { status: 'failed', channel: null }],
    [['failed', 'unknown'], "status = 'unknown'", { status: 'unknown', channel: null }],
    [['sent', 'failed'], "status = 'delivered'", { status: 'delivered', channel: null }],
    [['sent'], "status = 'unknown', lease_until = now()", { status: 'unknown', channel: null }],
  ],
  otps: [
    [['failed', 'sent'], "status = 'pending'", { channel: 'sms' }],
    [['failed', 'failed'], "status = 'pending'", { channel: null }],
    [['sent'], "status = 'failed'", { channel: null }],
    [['sent'], "status = 'pending', resends = 1", { channel: null }],
    [['sent'], "status = 'pending', lease_until = now()", { channel: null }],
    [['sent'], "status = 'verified', channel = 'sms'", { channel: 'sms' }],
  ],
};

const soon = () => t.database.clock.in(60_000);
const past = () => t.database.clock.in(-1_000);
const TOO_LATE = 'the statement came too late';

describe.each(['messages', 'otps'] as const)('of %s', table => {
  const { key, send } = KINDS[table];

  async function left(lease: Lease = 'over'): Promise<string> {
    const { id } = await send();
    await putUnderWay(t.sql, id, lease);
    return toUuid(id);
  }

  async function take(but: readonly string[] = [], by?: string): Promise<string[]> {
    const rows = await KINDS[table].take(but, by ?? (await soon()));
    return rows.map(({ id }) => id).sort();
  }

  test('those whose lease is over are taken, and by nobody else for the length of a lease', async () => {
    const overdue = [await left(), await left()].sort();
    await left('held');
    expect(await take()).toEqual(overdue);
    expect(await take()).toEqual([]);
  });

  test('those are left that this process finishes itself', async () => {
    const [own, other] = [await left(), await left()];
    expect(await take([own])).toEqual([other]);
  });

  test('none is taken when the time for it is over', async () => {
    await left();
    await expect(take([], await past())).rejects.toThrow(TOO_LATE);
  });

  describe('one that is unfinished', () => {
    async function unfinished(lease: Lease = 'held') {
      const id = await left(lease);
      const [row] = await t.sql<{ attempt: string }>(
        `select under_way::json->0->>0 as attempt from ${table} where id = $1`,
        [id],
      );
      return { id, attempt: row?.attempt ?? '' };
    }

    async function takeUnfinished(ids: readonly string[], attempts: readonly string[], by?: string) {
      const given = { leaseSeconds: 15, ids: [...ids], attempts: [...attempts], by: by ?? (await soon()) };
      return (await TAKE_UNFINISHED[table].run(t.database.sql(), given)).map(({ id }) => id);
    }

    test('is taken by its attempt, and is leased then', async () => {
      const [one, other] = [await unfinished('over'), await unfinished('over')];
      expect(await takeUnfinished([one.id], [one.attempt])).toEqual([one.id]);
      expect(await take()).toEqual([other.id]);
    });

    test('is left where another attempt is under way by now', async () => {
      const [one, other] = [await unfinished(), await unfinished()];
      expect(await takeUnfinished([one.id], [other.attempt])).toEqual([]);
    });

    test('is left where its routing is over, and when the time for it is over', async () => {
      const one = await unfinished();
      await expect(takeUnfinished([one.id], [one.attempt], await past())).rejects.toThrow(TOO_LATE);
      await t.sql(`update ${table} set lease_until = null where id = $1`, [one.id]);
      expect(await takeUnfinished([one.id], [one.attempt])).toEqual([]);
    });
  });

  /** Makes one whose attempts, the first by chat and the others by SMS, have these statuses by now. */
  async function ended(statuses: readonly string[], change: string): Promise<string> {
    const { id } = await send();
    const uuid = toUuid(id);
    const columns =
      'account_id, area, type, resend, provider, recipient, country, segments, credits, started_at, finished_at';
    await t.sql(
      `with made as (delete from attempts where ${key} = $1 and type in ('message_attempt', 'otp_attempt') returning *)
       insert into attempts (id, ${key}, channel, status, ${columns})
       select s.id, $1, case when s.place = 1 then 'chat_qr' else 'sms' end, s.status, ${columns}
       from (select * from made limit 1) m cross join unnest($2::text[], $3::uuid[]) with ordinality as s(status, id, place)`,
      [uuid, statuses, statuses.map(() => toUuid(newId('att')))],
    );
    await t.sql(`update ${table} set lease_until = null, channel = null where id = $1`, [uuid]);
    await t.sql(`update ${table} set ${change} where id = $1`, [uuid]);
    return uuid;
  }

  async function heal(id: string): Promise<{ status: string; channel: string | null } | undefined> {
    const statement = table === 'messages' ? HEAL_MESSAGES : HEAL_OTPS;
    await statement.run(t.database.sql(), { ids: [id], accounts: [toUuid(account.accountId)] });
    const [row] = await t.sql<{ status: string; channel: string | null }>(
      `select status, channel from ${table} where id = $1`,
      [id],
    );
    return row;
  }

  test.each(HEALED[table])('one whose attempts are %j becomes, after %s, %j', async (statuses, change, becomes) => {
    expect(await heal(await ended(statuses, change))).toMatchObject(becomes);
  });

  test('no other one is healed', async () => {
    const unknown = table === 'messages' ? "status = 'unknown'" : "status = 'pending'";
    const other = await ended(['sent'], unknown);
    await heal(await ended(['sent'], unknown));
    const [row] = await t.sql(`select channel from ${table} where id = $1`, [other]);
    expect(row).toEqual({ channel: null });
  });
});

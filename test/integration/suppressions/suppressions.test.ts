import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { gatewayTime } from '../../../src/kernel/process/gateway-time.ts';
import type { SuppressionNote } from '../../../src/kernel/process/suppressed.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { OTP } from '../../../src/modules/otp/send/otp-kind.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { followSends } from '../../../src/modules/routing/follow-ups/follow-sends.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { replyFromPhone } from '../../../src/modules/sandbox/replies/reply-from-phone.ts';
import { listSuppressions, suppress, unsuppress } from '../../../src/modules/suppressions/manage-suppressions.ts';
import { findOptOutSettings, updateOptOutSettings } from '../../../src/modules/suppressions/opt-out-settings.ts';
import { openSuppressed } from '../../../src/modules/suppressions/suppressed-table.ts';
import { APPLY_WORDS } from '../../../src/modules/suppressions/suppressions.sql.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { createFollowUps } from '../../support/messaging/follow-ups.ts';
import { newPhone } from '../../support/otp/pins.ts';
import {
  createTestCtx,
  makeAccount,
  OPERATOR,
  openTestDatabase,
  TEST_KEYS,
  type TestAccount,
} from '../../support/services.ts';

const t = setUpServices();
let account: TestAccount;
let phone: string;

const waits = createFollowUps({ sql: (text, parameters) => t.sql(text, parameters) });

beforeEach(async () => {
  account = await makeAccount(t.services);
  phone = newPhone();
  await waits.listen(account);
});

const ctx = (key?: string) => t.ctxFor(account.actor('unified'), key);
const send = (reference?: string) =>
  sendMessage(ctx(), { to: phone, text: 'Hello', channels: ['sms'], sender: 'ACME', ...(reference && { reference }) });
const write = (text: string, from = phone) => replyFromPhone(ctx(), { phone: from, to: 'ACME', text });
const people = async () => (await listSuppressions(ctx(), {})).rows.map(({ person, origin }) => `${origin} ${person}`);
const digits = () => phone.replace('+', '');
const refused = { code: 'recipient_suppressed' };

async function eventsOf(): Promise<unknown[]> {
  const rows = await t.sql<{ event: string; data: string }>(
    `select event, data from webhook_events where account_id = $1 and event like 'recipient.%' order by created_at, id`,
    [toUuid(account.accountId)],
  );
  return rows.map(({ event, data }) => ({ event, ...JSON.parse(data) }));
}

describe('a recipient who writes a word that stops', () => {
  test('gets no message any more, and nothing is stored or held of one', async () => {
    await write(' Stop! ');
    await expect(send()).rejects.toMatchObject(refused);
    await expect(send('order-1')).rejects.toMatchObject(refused);
    expect(
      await t.sql('select count(*)::int as n from messages where account_id = $1', [toUuid(account.accountId)]),
    ).toEqual([{ n: 0 }]);
    expect(await t.sql('select credits, held from accounts where id = $1', [toUuid(account.accountId)])).toEqual([
      { credits: 1_000_000, held: 0 },
    ]);
    expect(await people()).toEqual([`recipient ${digits()}`]);
  });

  test('is told of by an event, once, with the message that asked for it', async () => {
    const { id: messageId } = await write('STOP');
    await write('stop');
    expect(await eventsOf()).toEqual([
      {
        event: 'recipient.suppressed',
        to: digits(),
        origin: 'recipient',
        reason: null,
        messageId,
        createdAt: expect.any(String),
      },
    ]);
  });

  test('gets messages again after a word that starts', async () => {
    await write('UNSUBSCRIBE');
    await write('Start');
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
    expect((await eventsOf()).map(event => Object(event).event)).toEqual([
      'recipient.suppressed',
      'recipient.unsuppressed',
    ]);
  });

  test('gets passcodes, unless the account stops them too', async () => {
    await write('QUIT');
    await expect(sendOtp(ctx(), { to: phone })).resolves.toMatchObject({ status: 'sent' });
    await updateOptOutSettings(t.ctxFor(account.actor('management')), { stopsOtps: true });
    const actor = { ...account.actor('unified'), account: { ...account.grant, stopsOtps: true } };
    await expect(sendOtp(t.ctxFor(actor as never), { to: phone })).rejects.toMatchObject(refused);
    const [otp] = await t.sql<{ id: string }>('select id from otps where account_id = $1', [toUuid(account.accountId)]);
    const pinId = `pin_${otp?.id.replaceAll('-', '')}`;
    await expect(resendOtp(t.ctxFor(actor as never), { pinId })).rejects.toMatchObject(refused);
  });

  test('is answered as before by a repeat of a request from before', async () => {
    const first = await send('order-2');
    await write('STOP');
    await expect(send('order-2')).resolves.toMatchObject({ id: first.id, status: 'sent' });
  });

  test('stops one account alone', async () => {
    await write('STOP');
    account = await makeAccount(t.services);
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
  });

  test('is asked by no channel that follows in time', async () => {
    const message = await sendMessage(ctx(), {
      to: phone,
      text: 'Hello',
      channels: ['chat_qr', 'sms'],
      chatFrom: '15550000001',
      sender: 'ACME',
      fallbackAfter: 30,
    });
    await write('STOP');
    await waits.comeDue(message.id);
    await followSends(t.ctxFor(OPERATOR), MESSAGE);
    expect(
      await t.sql('select channel, status, error_code from attempts where message_id = $1 order by channel', [
        toUuid(message.id),
      ]),
    ).toEqual([
      { channel: 'chat_qr', status: 'sent', error_code: null },
      { channel: 'sms', status: 'failed', error_code: 'recipient_suppressed' },
    ]);
  });
});

test.each(['00', '+', ''])('a number that a provider writes with %j is the recipient of our sends', async prefix => {
  const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel: 'sms' as const };
  const from = `${prefix}${digits().slice(0, 1)} ${digits().slice(1, 4)}-${digits().slice(4)}`;
  await receiveInbound(t.ctxFor(OPERATOR), bringer, [
    { providerMessageId: null, from, to: 'ACME', type: 'text', text: 'STOP' },
  ]);
  expect(await people()).toEqual([`recipient ${digits()}`]);
  await expect(send()).rejects.toMatchObject(refused);
});

test.each([
  [['STOP', 'START'], false],
  [['START', 'STOP'], true],
])('of words that come together the last one decides: %j', async (words, isSuppressed) => {
  const phones = Array.from({ length: 20 }, newPhone).map(number => number.slice(1));
  const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel: 'sms' as const };
  const messages = words.flatMap(text =>
    phones.map(from => ({ providerMessageId: null, from, to: 'ACME', type: 'text' as const, text })),
  );
  await receiveInbound(t.ctxFor(OPERATOR), bringer, messages);
  const stopped = phones.filter(number => t.services.suppressed.has(account.accountId, number));
  expect(stopped).toEqual(isSuppressed ? phones : []);
  expect(await people()).toHaveLength(stopped.length);
});

test.each([
  ['who was not on the list', []],
  ['who was on it already', ['STOP']],
])('a START that is stored after a newer STOP takes nothing back, of somebody %s', async (_who, before) => {
  for (const word of before) await write(word);
  // Ids of one millisecond have no order: the lowest of it is before that of the stop.
  const start = uuidFloor(gatewayTime());
  await write('STOP');
  const account_id = toUuid(account.accountId);
  const word = { id: start, account_id, person: digits(), word: 'START', is_answered: false };
  await APPLY_WORDS.run(t.database.sql(), { messages: [word], accounts: [account_id] });
  expect(await people()).toEqual([`recipient ${digits()}`]);
  expect(await eventsOf()).toHaveLength(1);
});

describe('words that come in another order than they were written in', () => {
  const bringer = () => ({
    id: null,
    accountId: account.accountId,
    providerId: 'sandbox',
    channel: 'chat_cloud' as const,
  });
  const minutesAgo = (minutes: number) => new Date(gatewayTime().getTime() - minutes * 60_000);
  const wordOf = ([text, minutes]: readonly [string, number | null]) => ({
    ...{ providerMessageId: null, from: digits(), to: '15550000002', type: 'text', text },
    ...(minutes !== null && { sentAt: minutesAgo(minutes) }),
  });

  test.each([
    [
      [
        ['STOP', 4],
        ['START', 5],
      ],
      true,
    ],
    [
      [
        ['STOP', 5],
        ['START', 4],
      ],
      false,
    ],
    [
      [
        ['STOP', 4],
        ['STOP', 6],
        ['START', 5],
      ],
      true,
    ],
    [
      [
        ['STOP', null],
        ['START', 5],
      ],
      true,
    ],
    [
      [
        ['STOP', 5],
        ['START', null],
      ],
      false,
    ],
    // A clock that is ahead.
    [
      [
        ['STOP', -9],
        ['START', null],
      ],
      false,
    ],
  ] as const)('count as they were written: %j', async (words, isSuppressed) => {
    for (const word of words) await receiveInbound(t.ctxFor(OPERATOR), bringer(), [wordOf(word)]);
    expect(await people()).toHaveLength(isSuppressed ? 1 : 0);
  });

  test('count so too where they come together', async () => {
    const words = [['STOP', 4] as const, ['START', 5] as const];
    await receiveInbound(t.ctxFor(OPERATOR), bringer(), words.map(wordOf));
    expect(await people()).toHaveLength(1);
  });

  test('count as they come where they were written at the same time', async () => {
    const sentAt = minutesAgo(5);
    for (const text of ['STOP', 'START'])
      await receiveInbound(t.ctxFor(OPERATOR), bringer(), [{ ...wordOf([text, null]), sentAt }]);
    expect(await people()).toEqual([]);
  });
});

test.each([
  ['button', 'Stop', true],
  ['interactive', 'Opt out', true],
  ['image', 'STOP', true],
  ['button', 'Cancel', false],
  ['image', 'The End', false],
  ['video', 'END', false],
])('a %s with the words %j stops: %s', async (type, text, isSuppressed) => {
  const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel: 'chat_cloud' as const };
  const from = digits();
  await receiveInbound(t.ctxFor(OPERATOR), bringer, [{ providerMessageId: null, from, to: '15550000002', type, text }]);
  expect(t.services.suppressed.has(account.accountId, from)).toBe(isSuppressed);
});

test('STOP 12345 is an ordinary message', async () => {
  await write('STOP 12345');
  await expect(send()).resolves.toMatchObject({ status: 'sent' });
});

describe('the list of the account', () => {
  test('takes a recipient, whom no word of the recipient takes off', async () => {
    await suppress(ctx(), { to: phone, reason: 'Asked for it by phone.' });
    await write('START');
    await expect(send()).rejects.toMatchObject(refused);
    expect(await people()).toEqual([`account ${digits()}`]);
  });

  test('keeps one whose word came first as the account put it', async () => {
    await write('STOP');
    await suppress(ctx(), { to: phone });
    await write('START');
    expect(await people()).toEqual([`account ${digits()}`]);
  });

  test('lets go whoever asked for it', async () => {
    await write('STOP');
    await unsuppress(ctx(), phone);
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
    await expect(unsuppress(ctx(), phone)).rejects.toMatchObject({ code: 'not_found' });
    expect((await eventsOf()).map(event => Object(event).event)).toEqual([
      'recipient.suppressed',
      'recipient.unsuppressed',
    ]);
  });

  test('tells what it did, though others take the same recipient off at once', async () => {
    const takeOff = () => unsuppress(ctx(), phone).catch(error => expect(error).toMatchObject({ code: 'not_found' }));
    for (let round = 0; round < 10; round += 1) {
      const others = Array.from({ length: 8 }, takeOff);
      const put = await suppress(ctx(), { to: phone, reason: `${round}` });
      await Promise.all(others);
      expect(put).toMatchObject({ person: digits(), reason: `${round}`, origin: 'account' });
    }
  });

  test('takes ids that are no numbers, and refuses numbers and people that are none', async () => {
    await suppress(ctx(), { to: 'DE.8230023923' });
    expect(await people()).toEqual(['account DE.8230023923']);
    for (const to of ['0301234', '(030) 1234567', '-12025550', '()', 'prs_x', 'erased:abc'])
      await expect(suppress(ctx(), { to }), to).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('lets go a number that is none, which a release before took for an id', async () => {
    await suppress(ctx(), { to: 'DE.8230023923' });
    await t.sql(`update suppressions set person = '(030) 1234567' where account_id = $1`, [toUuid(account.accountId)]);
    await unsuppress(ctx(), '(030) 1234567');
    expect(await people()).toEqual([]);
  });

  test('is another one for another account', async () => {
    await suppress(ctx(), { to: phone });
    const other = await makeAccount(t.services);
    await expect(unsuppress(t.ctxFor(other.actor('unified')), phone)).rejects.toMatchObject({ code: 'not_found' });
    expect((await listSuppressions(t.ctxFor(other.actor('unified')), {})).rows).toEqual([]);
  });

  test.each(['sms', 'otp'] as const)('is not shown to a token of the area %s', async area => {
    await expect(listSuppressions(t.ctxFor(account.actor(area)), {})).rejects.toMatchObject({ code: 'wrong_area' });
  });
});

describe('the words of the account', () => {
  test('stop and start as those of everybody', async () => {
    const settings = { stopWords: ['durdur', ' Basta! '], startWords: ['BAŞLA'] };
    await updateOptOutSettings(t.ctxFor(account.actor('management')), settings);
    expect(await findOptOutSettings(ctx())).toEqual({
      stopWords: ['DURDUR', 'BASTA'],
      startWords: ['BAŞLA'],
      stopsOtps: false,
      stopText: null,
      helpText: null,
    });
    await write('basta');
    await expect(send()).rejects.toMatchObject(refused);
    await write('Başla.');
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
  });

  test("are nobody else's", async () => {
    await updateOptOutSettings(t.ctxFor(account.actor('management')), { stopWords: ['basta'] });
    account = await makeAccount(t.services);
    await write('basta');
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
  });
});

test('the batch refuses what the table of its process does not know yet', async () => {
  await t.sql(
    `insert into suppressions (id, account_id, person, origin, created_at) values (gen_random_uuid(), $1, $2, 'account', now())`,
    [toUuid(account.accountId), digits()],
  );
  expect(t.services.suppressed.has(account.accountId, digits())).toBe(false);
  await expect(send()).rejects.toMatchObject(refused);
});

describe('a stop of which this process has not heard', () => {
  const stop = () =>
    t.sql(
      `insert into suppressions (id, account_id, person, origin, created_at) values (gen_random_uuid(), $1, $2, 'recipient', now())`,
      [toUuid(account.accountId), digits()],
    );
  const attempts = (id: string) => waits.attemptsOf(id);
  const route = { channels: ['chat_qr', 'sms'] as const, chatFrom: '15550000001', sender: 'ACME', fallbackAfter: 30 };

  test('keeps a channel from following in time', async () => {
    const { id } = await sendMessage(ctx(), { to: phone, text: 'Hello', ...route, channels: [...route.channels] });
    await stop();
    await waits.comeDue(id);
    await followSends(t.ctxFor(OPERATOR), MESSAGE);
    expect(await attempts(id)).toEqual(['chat_qr sent', 'sms failed']);
  });

  test('keeps recovery from asking the next channel', async () => {
    const { id } = await sendMessage(ctx(), { to: phone, text: 'Hello', ...route, channels: [...route.channels] });
    await t.sql('delete from follow_ups where send_id = $1', [toUuid(id)]);
    await t.sql('delete from attempts where message_id = $1', [toUuid(id)]);
    await waits.putUnderWay(id, 'chat_qr', { held: 0 });
    await stop();
    await waits.loseLease(id);
    await recoverSends(t.ctxFor(OPERATOR), MESSAGE);
    expect(await attempts(id)).toEqual(['chat_qr unknown', 'sms failed']);
  });

  test.each([
    [true, ['chat_qr sent', 'sms failed']],
    [false, ['chat_qr sent', 'sms sent']],
  ])('is looked for before a passcode follows, where the account stops them: %s', async (stopsOtps, made) => {
    await updateOptOutSettings(t.ctxFor(account.actor('management')), { stopsOtps });
    const { id } = await sendOtp(ctx(), { to: phone, ...route, channels: [...route.channels] });
    await stop();
    await waits.comeDue(id);
    await followSends(t.ctxFor(OPERATOR), OTP);
    expect(await attempts(id)).toEqual(made);
  });
});

describePostgres('another process', () => {
  test('hears of a stop, and knows whom it finds at its start', async () => {
    if (t.testDatabase.kind !== 'postgres') return;
    await write('STOP');
    const database = await openTestDatabase(t.testDatabase);
    const fail = (error: unknown): never => {
      throw error;
    };
    const other = await openSuppressed(database, TEST_KEYS, fail);
    try {
      expect(other.has(account.accountId, digits())).toBe(true);
      await write('START');
      await expect.poll(() => other.has(account.accountId, digits())).toBe(false);
      await write('STOP');
      await expect.poll(() => other.has(account.accountId, digits())).toBe(true);
    } finally {
      await other.close();
      await database.close();
    }
  });

  test('is right about a START though this one notes its own earlier stop behind it', async () => {
    if (t.testDatabase.kind !== 'postgres') return;
    const fail = (error: unknown): never => {
      throw error;
    };
    const database = await openTestDatabase(t.testDatabase);
    const table = await openSuppressed(database, TEST_KEYS, fail);
    const late: (() => void)[] = [];
    const slow = { ...table, note: (change: SuppressionNote) => late.push(() => table.note(change)) };
    const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel: 'sms' as const };
    const stop = { providerMessageId: null, from: digits(), to: 'ACME', type: 'text', text: 'STOP' };
    try {
      await receiveInbound(createTestCtx({ ...t.services, database, suppressed: slow }, OPERATOR), bringer, [stop]);
      await write('START');
      const another = newPhone();
      await write('STOP', another);
      await expect.poll(() => table.has(account.accountId, another.replace('+', ''))).toBe(true);
      expect(late).toHaveLength(1);
      for (const note of late) note();
      expect(table.has(account.accountId, digits())).toBe(false);
    } finally {
      await table.close();
      await database.close();
    }
  });
});

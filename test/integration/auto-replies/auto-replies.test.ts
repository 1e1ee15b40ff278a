import { beforeEach, describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { purgeAutoReplyMarksJob } from '../../../src/modules/auto-replies/auto-replies.jobs.ts';
import {
  listAutoReplies,
  removeAutoReply,
  setAutoReply,
} from '../../../src/modules/auto-replies/manage-auto-replies.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { answerWordJob } from '../../../src/modules/messaging/answer-word.ts';
import { updateOptOutSettings } from '../../../src/modules/suppressions/opt-out-settings.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../../support/services.ts';

const t = setUpServices();
let account: TestAccount;
let phone: string;

const HOURS = 'We are open from 9 to 18.';
const QR = '15550000001';
const CLOUD = '15550000002';

beforeEach(async () => {
  account = await makeAccount(t.services);
  phone = newPhone().replace('+', '');
  await t.sql(`delete from pgboss.job where name = 'answer-word'`);
});

const manager = (of = account) => t.ctxFor(of.actor('management'));

const set = (input: Partial<Parameters<typeof setAutoReply>[1]> = {}, of = account) =>
  setAutoReply(manager(of), { keyword: 'hours', text: HOURS, ...input });

const CHANNELS = { ACME: 'sms', [QR]: 'chat_qr', [CLOUD]: 'chat_cloud' } as const;

interface Written {
  readonly from?: string;
  readonly userId?: string;
  readonly to?: keyof typeof CHANNELS;
  readonly type?: string;
  readonly isAnswered?: true;
}

/** Writes texts at once, as a person does who is in a hurry. */
async function write(texts: string | readonly string[], { to = 'ACME', ...told }: Written = {}): Promise<void> {
  const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel: CHANNELS[to] };
  const messages = [texts]
    .flat()
    .map(text => ({ providerMessageId: null, from: phone, to, type: 'text', text, ...told }));
  await receiveInbound(t.ctxFor(OPERATOR), bringer, messages);
}

/** Runs the jobs that wait, each as often as told, and answers how many there were. */
async function answerAll(times = 1): Promise<number> {
  const jobs = await t.sql<{ data: never }>(`delete from pgboss.job where name = 'answer-word' returning data`);
  for (const { data } of jobs)
    for (let run = 0; run < times; run += 1) await answerWordJob.run(t.ctxFor(OPERATOR), data);
  return jobs.length;
}

/** The texts that the account sent, oldest first. */
const texts = (of = account) =>
  t.sql<{ channel: string; sender: string; recipient: string; text: string }>(
    'select channel, sender, recipient, text from sandbox_messages where account_id = $1 order by id',
    [toUuid(of.accountId)],
  );

/** Lets time pass for everybody who was answered. */
const pass = (interval: string) =>
  t.sql(`update auto_reply_marks set answered_at = answered_at - $1::interval`, [interval]);

describe('a keyword', () => {
  test.each(['HOURS', 'hours', ' Hours? ', '«hours»'])('is answered, written as %j', async text => {
    await set();
    await write(text);
    expect(await answerAll(3)).toBe(1);
    expect(await texts()).toEqual([{ channel: 'sms', sender: 'ACME', recipient: phone, text: HOURS }]);
  });

  test.each(['hours please', 'your hours', 'hour', 'Hello'])('is none in %j', async text => {
    await set();
    await write(text);
    expect(await answerAll()).toBe(0);
  });

  test('of several words and of other scripts is one', async () => {
    await set({ keyword: ' opening hours! ' });
    await set({ keyword: 'часы' });
    await write(['Opening Hours', 'ЧАСЫ']);
    expect(await answerAll()).toBe(2);
  });

  test('is answered by the channel and the sender that it came to', async () => {
    await set();
    await write('hours', { to: QR });
    await answerAll();
    expect(await texts()).toEqual([{ channel: 'chat_qr', sender: QR, recipient: phone, text: HOURS }]);
  });

  test('costs what a text costs', async () => {
    await set();
    await write('hours');
    await answerAll();
    expect(await t.sql('select credits, held from accounts where id = $1', [toUuid(account.accountId)])).toEqual([
      { credits: 999_999, held: 0 },
    ]);
  });

  test('is answered by a template where the channel has templates, and by the text elsewhere', async () => {
    await set({ cloudTemplate: { name: 'opening_hours', language: 'en_US' } });
    await write('hours', { to: CLOUD });
    await answerAll();
    const template = { name: 'opening_hours', language: 'en_US' };
    expect(await t.sql('select channels, cloud_template from messages where recipient = $1', [phone])).toEqual([
      { channels: ['chat_cloud'], cloud_template: template },
    ]);
    await pass('1 hour');
    await write('hours');
    await answerAll();
    expect((await texts()).at(-1)).toMatchObject({ channel: 'sms', text: HOURS });
  });

  test('is given up where the cloud number takes templates only and there is none', async () => {
    await set();
    await write('hours', { to: CLOUD });
    expect(await answerAll()).toBe(1);
    expect(await texts()).toEqual([]);
  });

  test('is given up where the account cannot pay', async () => {
    account = await makeAccount(t.services, { credits: 0 });
    await set();
    await write('hours');
    expect(await answerAll()).toBe(1);
    expect(await texts()).toEqual([]);
  });

  test('is answered as the account has it when it is answered', async () => {
    await set();
    await set({ keyword: 'price' });
    await write(['hours', 'price']);
    await set({ text: 'Closed today.' });
    await removeAutoReply(manager(), 'price');
    expect(await answerAll()).toBe(2);
    expect((await texts()).map(({ text }) => text)).toEqual(['Closed today.']);
  });

  test.each([
    ['the provider has answered', { isAnswered: true } as const],
    ['nobody says who wrote', { from: '' }],
    ['it is no text', { type: 'image' }],
  ])('is not answered where %s', async (_where, told) => {
    await set();
    await write('hours', told);
    expect(await answerAll()).toBe(0);
  });

  test('of another account is not answered', async () => {
    await set({}, await makeAccount(t.services));
    await write('hours');
    expect(await answerAll()).toBe(0);
  });

  test('of a suppressed person is not answered, whether it stopped before or at once', async () => {
    await set();
    await write(['hours', 'STOP']);
    expect(await answerAll()).toBe(0);
    await write('hours');
    expect(await answerAll()).toBe(0);
    await write(['START', 'hours']);
    expect(await answerAll()).toBe(1);
  });

  test('of somebody who stops before the answer goes is not answered', async () => {
    await set();
    await write('hours');
    await write('STOP');
    await answerAll();
    expect(await texts()).toEqual([]);
  });
});

describe('the hour', () => {
  test('has one answer, however often the person writes', async () => {
    await set();
    await write(['hours', 'Hours!', 'HOURS']);
    await write('hours');
    expect(await answerAll()).toBe(1);
  });

  test('ends: the next one is answered, and no other', async () => {
    await set();
    await write('hours');
    await pass('59 minutes');
    await write('hours');
    expect(await answerAll()).toBe(1);
    await pass('1 minute');
    await write(['hours', 'hours']);
    expect(await answerAll()).toBe(1);
    expect(await texts()).toHaveLength(2);
  });

  test('is that of each person, and of each keyword', async () => {
    await set();
    await set({ keyword: 'price' });
    await write(['hours', 'price', 'hours', 'price']);
    await write('hours', { from: newPhone().replace('+', '') });
    expect(await answerAll()).toBe(3);
  });

  test('is one for all addresses of a person', async () => {
    await set();
    const userId = `US.${phone}`;
    await write('hours', { to: QR, userId });
    await write('hours');
    await write('hours', { to: QR, from: userId });
    expect(await answerAll()).toBe(1);
  });

  test('holds for an answer that was removed and set again', async () => {
    await set();
    await write('hours');
    await removeAutoReply(manager(), 'hours');
    await set();
    await write('hours');
    expect(await answerAll()).toBe(1);
  });

  test('is forgotten when it is over, and not before', async () => {
    await set();
    await write('hours');
    await pass('59 minutes');
    await write('hours', { from: newPhone().replace('+', '') });
    const marks = () =>
      t.sql('select keyword from auto_reply_marks k join people p on p.id = k.person_id where p.account_id = $1', [
        toUuid(account.accountId),
      ]);
    await purgeAutoReplyMarksJob.run(t.ctxFor(OPERATOR), {});
    expect(await marks()).toHaveLength(2);
    await t.sql(
      `update auto_reply_marks set answered_at = answered_at - interval '1 minute' where person_id in (select person_id from person_addresses where value = $1)`,
      [phone],
    );
    await purgeAutoReplyMarksJob.run(t.ctxFor(OPERATOR), {});
    expect(await marks()).toHaveLength(1);
  });
});

describe('words that stop, start or help', () => {
  test.each(['stop', 'Opt-out', 'START', 'yes', 'help', 'Info!'])('%j is no keyword', async keyword => {
    await expect(set({ keyword })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field: 'keyword', message: expect.stringContaining('stops, starts or helps') }] },
    });
  });

  test('of the account are none either', async () => {
    await updateOptOutSettings(manager(), { stopWords: ['basta'], startWords: ['ancora'] });
    for (const keyword of ['Basta', 'ANCORA'])
      await expect(set({ keyword })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(set({}, await makeAccount(t.services))).resolves.toMatchObject({ keyword: 'HOURS' });
  });

  test.each(['stopWords', 'startWords'] as const)(
    'win over a keyword that becomes one of them later: %s',
    async words => {
      await set();
      await updateOptOutSettings(manager(), { [words]: ['hours'] });
      await write('hours');
      expect(await answerAll()).toBe(0);
      await updateOptOutSettings(manager(), { [words]: [] });
      await t.sql('delete from suppressions where person = $1', [phone]);
      await write('hours');
      expect(await answerAll()).toBe(1);
    },
  );

  test('keep their own answers beside keywords', async () => {
    await set();
    await updateOptOutSettings(manager(), { helpText: 'Write HOURS.' });
    await write(['help', 'hours']);
    expect(await answerAll()).toBe(2);
    expect((await texts()).map(({ text }) => text).toSorted()).toEqual([HOURS, 'Write HOURS.']);
  });
});

test('two machines that answer each other stop', async () => {
  const numbers = ['15550000011', '15550000012'] as const;
  const [one, two] = await Promise.all(
    numbers.map(address => makeAccount(t.services, { senders: [{ channel: 'chat_qr', address, isDefault: true }] })),
  );
  if (!one || !two) throw new Error('two accounts');
  await set({ keyword: 'ping', text: 'Pong!' }, one);
  await set({ keyword: 'pong', text: 'Ping!' }, two);
  const machines = [
    { is: one, number: numbers[0], other: two },
    { is: two, number: numbers[1], other: one },
  ] as const;
  const heard = new Set<string>();
  /** Brings what each machine sent to the other one, until neither says anything more. */
  const talk = async (): Promise<void> => {
    for (let told = 1; told > 0; ) {
      told = 0;
      for (const { is, number, other } of machines) {
        const sent = await t.sql<{ id: string; recipient: string; text: string }>(
          'select id, recipient, text from sandbox_messages where account_id = $1 order by id',
          [toUuid(is.accountId)],
        );
        for (const { id, recipient: to, text } of sent.filter(({ id }) => !heard.has(id))) {
          heard.add(id);
          told += 1;
          const bringer = { id: null, accountId: other.accountId, providerId: 'sandbox', channel: 'chat_qr' } as const;
          const message = { providerMessageId: null, from: number, to, type: 'text', text };
          await receiveInbound(t.ctxFor(OPERATOR), bringer, [message]);
          await answerAll();
        }
      }
    }
  };
  const say = async (): Promise<void> => {
    const bringer = { id: null, accountId: one.accountId, providerId: 'sandbox', channel: 'chat_qr' } as const;
    const message = { providerMessageId: null, from: numbers[1], to: numbers[0], type: 'text', text: 'ping' };
    await receiveInbound(t.ctxFor(OPERATOR), bringer, [message]);
    await answerAll();
    await talk();
  };
  await say();
  await say();
  expect([await texts(one), await texts(two)].map(({ length }) => length)).toEqual([1, 1]);
  await pass('1 hour');
  await say();
  expect([await texts(one), await texts(two)].map(({ length }) => length)).toEqual([2, 2]);
});

describe('auto-replies of an account', () => {
  test('are listed by keyword, and set anew in their place', async () => {
    await set();
    await set({ keyword: 'address', text: 'Harbour Street 1' });
    await set({ keyword: ' HOURS ', text: 'Closed today.', cloudTemplate: { name: 'closed', language: 'en' } });
    expect(await listAutoReplies(t.ctxFor(account.actor('unified')))).toMatchObject([
      { keyword: 'ADDRESS', text: 'Harbour Street 1', cloudTemplate: null },
      { keyword: 'HOURS', text: 'Closed today.', cloudTemplate: { name: 'closed', language: 'en' } },
    ]);
    await set();
    expect((await listAutoReplies(manager()))[1]).toMatchObject({ text: HOURS, cloudTemplate: null });
  });

  test('are a hundred at most, of which each can be changed', async () => {
    await t.sql(
      `insert into auto_replies (account_id, keyword, text, updated_at) select $1, 'WORD ' || n, 'A text', now() from generate_series(1, 99) n`,
      [toUuid(account.accountId)],
    );
    const made = await Promise.allSettled([
      set({ keyword: 'one' }),
      set({ keyword: 'two' }),
      set({ keyword: 'three' }),
    ]);
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(made.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'invalid_input', details: { errors: [{ field: 'keyword' }] } },
    });
    await expect(set({ keyword: 'word 7', text: 'Another' })).resolves.toMatchObject({ text: 'Another' });
  });

  test('are nobody else’s', async () => {
    await set();
    const other = await makeAccount(t.services);
    expect(await listAutoReplies(manager(other))).toEqual([]);
    await expect(removeAutoReply(manager(other), 'hours')).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each(['hours', ' Hours. '])('are removed, by %j', async keyword => {
    await set();
    await expect(removeAutoReply(manager(), keyword)).resolves.toMatchObject({ keyword: 'HOURS', text: HOURS });
    await expect(removeAutoReply(manager(), keyword)).rejects.toMatchObject({ code: 'not_found' });
    expect(await listAutoReplies(manager())).toEqual([]);
  });

  test.each(['', '!', 'x'.repeat(41)])('have no such keyword: %j', async keyword => {
    await expect(removeAutoReply(manager(), keyword)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('take the id of a message as a keyword like any other', async () => {
    const keyword = newId('msg');
    await expect(set({ keyword })).resolves.toMatchObject({ keyword: keyword.toUpperCase() });
  });
});

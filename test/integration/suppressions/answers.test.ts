import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { answerWordJob } from '../../../src/modules/messaging/answer-word.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { updateOptOutSettings } from '../../../src/modules/suppressions/opt-out-settings.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../../support/services.ts';

const t = setUpServices();
let account: TestAccount;
let phone: string;

const STOPPED = 'You get no more messages of ours. Write START to get them again.';
const HELP = 'We tell you of your parcels. Write STOP to stop.';

/** The cloud number of the account, which takes templates only. */
const CLOUD = '15550000002';

beforeEach(async () => {
  account = await makeAccount(t.services);
  phone = newPhone().replace('+', '');
  await t.sql(`delete from pgboss.job where name = 'answer-word'`);
});

const set = (texts: object) => updateOptOutSettings(t.ctxFor(account.actor('management')), texts);

/** Writes as a phone does, and answers what is to be answered. */
async function write(text: string, more: { readonly to?: string; readonly isAnswered?: true } = {}): Promise<void> {
  const { to = 'ACME', ...told } = more;
  const channel = to === 'ACME' ? ('sms' as const) : to === CLOUD ? ('chat_cloud' as const) : ('chat_qr' as const);
  const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel };
  await receiveInbound(t.ctxFor(OPERATOR), bringer, [
    { providerMessageId: null, from: phone, to, type: 'text', text, ...told },
  ]);
}

/** Runs the jobs that wait, each as often as told. */
async function answerAll(times = 1, ctx = t.ctxFor(OPERATOR)): Promise<number> {
  const jobs = await t.sql<{ data: never }>(`select data from pgboss.job where name = 'answer-word'`);
  for (const { data } of jobs) for (let run = 0; run < times; run += 1) await answerWordJob.run(ctx, data);
  return jobs.length;
}

/** The texts that the phone got, oldest first. */
const texts = () =>
  t.sql<{ channel: string; sender: string; text: string }>(
    'select channel, sender, text from sandbox_messages where recipient = $1 order by id',
    [phone],
  );

describe('the confirmation of a stop', () => {
  test('goes once, by the channel and sender that it came to, and is the last text', async () => {
    await set({ stopText: STOPPED });
    await write('STOP');
    await write('stop');
    expect(await answerAll(3)).toBe(1);
    expect(await texts()).toEqual([{ channel: 'sms', sender: 'ACME', text: STOPPED }]);
    const again = { to: `+${phone}`, text: 'Hello', channels: ['sms' as const], sender: 'ACME' };
    await expect(sendMessage(t.ctxFor(account.actor('unified')), again)).rejects.toMatchObject({
      code: 'recipient_suppressed',
    });
  });

  test('goes by a chat, where the word came by one', async () => {
    await set({ stopText: STOPPED });
    await write('Stop.', { to: '15550000001' });
    await answerAll();
    expect(await texts()).toEqual([{ channel: 'chat_qr', sender: '15550000001', text: STOPPED }]);
  });

  test.each(['STOP', 'HELP'])('answers %s by a cloud number too, as the person has just written', async word => {
    await set({ stopText: STOPPED, helpText: HELP });
    await write(word, { to: CLOUD });
    await answerAll();
    const text = word === 'STOP' ? STOPPED : HELP;
    expect(await texts()).toEqual([{ channel: 'chat_cloud', sender: CLOUD, text }]);
  });

  test('costs what a text costs', async () => {
    await set({ stopText: STOPPED });
    await write('STOP');
    await answerAll();
    expect(await t.sql('select credits from accounts where id = $1', [toUuid(account.accountId)])).toEqual([
      { credits: 999_999 },
    ]);
  });

  test.each([
    ['no text is set', {}, {}],
    ['the provider has answered', { stopText: STOPPED }, { isAnswered: true } as const],
  ])('does not go where %s', async (_where, settings, told) => {
    await set(settings);
    await write('STOP', told);
    expect(await answerAll()).toBe(0);
    expect(await texts()).toEqual([]);
  });

  test('does not go for a recipient whom the account had suppressed', async () => {
    await set({ stopText: STOPPED });
    await t.sql(
      `insert into suppressions (id, account_id, person, origin, created_at) values (gen_random_uuid(), $1, $2, 'account', now())`,
      [toUuid(account.accountId), phone],
    );
    await write('STOP');
    expect(await answerAll()).toBe(0);
  });

  test('is given up where the account cannot pay, which a line of the log tells', async () => {
    account = await makeAccount(t.services, { credits: 0 });
    await set({ stopText: STOPPED });
    await write('STOP');
    const lines: string[] = [];
    const log = createLogger('warn', { write: line => void lines.push(line) });
    expect(await answerAll(1, t.ctxFor(OPERATOR).with({ log: () => log }))).toBe(1);
    expect(await texts()).toEqual([]);
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { accountId: account.accountId, answer: 'stopText', errorCode: 'insufficient_balance' },
    ]);
  });
});

describe('the help', () => {
  test.each(['HELP', ' Info! '])('answers %s', async word => {
    await set({ helpText: HELP });
    await write(word);
    await answerAll(2);
    expect(await texts()).toEqual([{ channel: 'sms', sender: 'ACME', text: HELP }]);
  });

  test.each(['help me', 'STOP', 'Hello'])('does not answer %s', async text => {
    await set({ helpText: HELP });
    await write(text);
    expect(await answerAll()).toBe(0);
  });

  test('does not go to a recipient who stopped', async () => {
    await set({ helpText: HELP });
    await write('STOP');
    await write('HELP');
    await answerAll();
    expect(await texts()).toEqual([]);
  });
});

describe('the hour', () => {
  const passTime = () => t.sql(`update auto_reply_marks set answered_at = answered_at - interval '1 hour'`);

  test('has one help for a person, whatever asks for it and however often', async () => {
    await set({ helpText: HELP });
    for (const word of ['HELP', 'info', 'Help?']) await write(word);
    expect(await answerAll()).toBe(1);
    await passTime();
    await write('HELP');
    await answerAll();
    expect((await texts()).map(({ text }) => text)).toEqual([HELP, HELP]);
  });

  test('has one confirmation for a person who stops and starts in turn', async () => {
    await set({ stopText: STOPPED });
    for (const word of ['STOP', 'START', 'STOP', 'START', 'STOP']) await write(word);
    expect(await answerAll()).toBe(1);
    await write('START');
    await passTime();
    await write('STOP');
    await answerAll();
    expect((await texts()).map(({ text }) => text)).toEqual([STOPPED, STOPPED]);
  });

  test('has an answer for each person', async () => {
    await set({ helpText: HELP });
    await write('HELP');
    phone = newPhone().replace('+', '');
    await write('HELP');
    expect(await answerAll()).toBe(2);
  });
});

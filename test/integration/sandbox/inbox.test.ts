import { beforeAll, describe, expect, test } from 'vitest';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../src/modules/otp/verify/verify-otp.ts';
import { aboutTexts, followTexts, listPhones, textOf } from '../../../src/modules/sandbox/list-phones.ts';
import { listSandboxMessages } from '../../../src/modules/sandbox/list-sandbox-messages.ts';
import { orderNextReceipt, reportText } from '../../../src/modules/sandbox/order-receipts.ts';
import { replyFromPhone } from '../../../src/modules/sandbox/replies/reply-from-phone.ts';
import { sandboxReceiptsJob } from '../../../src/modules/sandbox/sandbox.jobs.ts';
import type { Jobs } from '../../../src/queue/kit.ts';
import { JOBS, jobRunner } from '../../../src/worker/jobs.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeAccount, OPERATOR } from '../../support/services.ts';

const t = setUpServices({ spies: true });
const account = setUpAccount(t);
let spy: ReturnType<Jobs['spy']>;

beforeAll(async () => {
  spy = t.jobs.spy(sandboxReceiptsJob.name);
  await t.jobs.work(
    JOBS,
    jobRunner(() => t.ctxFor(OPERATOR)),
  );
});

const ctx = () => t.ctxFor(account.actor('unified'));

const send = (to: string, text = 'Hello') => sendMessage(ctx(), { to, text, channels: ['sms'], sender: 'ACME' });

async function newestOn(to: string) {
  const [text] = await listSandboxMessages(ctx(), { to, first: 1 });
  if (!text) throw new Error('nothing has arrived');
  return text;
}

async function statusOn(to: string): Promise<string | undefined> {
  const [about] = await aboutTexts(ctx(), [await newestOn(to)]);
  return about?.status;
}

/** Until the receipt of the newest text has come. */
async function reported(to: string): Promise<void> {
  const { id } = await newestOn(to);
  await spy.waitForJob(data => JSON.stringify(data).includes(id), 'completed');
}

/** How long the receipts of the newest text wait, in seconds. */
async function waitingOf(to: string): Promise<number[]> {
  const { id } = await newestOn(to);
  const rows = await t.sql<{ seconds: number }>(
    `select extract(epoch from start_after - created_on)::int as seconds from pgboss.job
     where name = 'sandbox-receipts' and state < 'active' and data::text like '%' || $1 || '%'`,
    [id],
  );
  return rows.map(({ seconds }) => seconds);
}

describe('the next text to a phone', () => {
  test('is reported as it was decided, once', async () => {
    const to = newPhone();
    await orderNextReceipt(ctx(), { to, outcome: 'failed' });
    await send(to);
    await reported(to);
    expect(await statusOn(to)).toBe('failed');
    await send(to);
    await reported(to);
    expect(await statusOn(to)).toBe('delivered');
  });

  test('is not reported until somebody says so', async () => {
    const to = newPhone();
    await orderNextReceipt(ctx(), { to });
    await send(to);
    expect(await waitingOf(to)).toEqual([]);
    expect(await statusOn(to)).toBe('sent');
    await reportText(ctx(), { id: (await newestOn(to)).id, outcome: 'expired' });
    expect(await statusOn(to)).toBe('expired');
  });

  test('is reported late', async () => {
    const to = newPhone();
    await orderNextReceipt(ctx(), { to, outcome: 'delivered', delaySeconds: 3_600 });
    await send(to);
    expect(await waitingOf(to)).toEqual([3_601]);
    expect(await statusOn(to)).toBe('sent');
  });

  test('is decided for the phone of the account alone, and by what was said last', async () => {
    const to = newPhone();
    await orderNextReceipt(ctx(), { to, outcome: 'failed' });
    await orderNextReceipt(ctx(), { to, outcome: 'read' });
    await orderNextReceipt(ctx(), { to: newPhone(), outcome: 'failed' });
    await send(to);
    await reported(to);
    expect(await statusOn(to)).toBe('read');
  });
});

describe('a text that has arrived', () => {
  test('is reported read after it was delivered', async () => {
    const to = newPhone();
    await send(to);
    await reported(to);
    await reportText(ctx(), { id: (await newestOn(to)).id, outcome: 'read' });
    expect(await statusOn(to)).toBe('read');
  });

  test('cannot fail any more once it was delivered', async () => {
    const to = newPhone();
    await send(to);
    await reported(to);
    const { id } = await newestOn(to);
    await expect(reportText(ctx(), { id, outcome: 'failed' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field: 'outcome' }] },
    });
  });

  test('says which passcode it is of, its code, and whether that was verified', async () => {
    const to = newPhone();
    const { id: pinId } = await sendOtp(ctx(), { to, channels: ['sms'], sender: 'ACME' });
    const text = await newestOn(to);
    const [before] = await aboutTexts(ctx(), [text]);
    expect(before).toMatchObject({ pinId, messageId: null, isVerified: false });
    expect(text.text).toContain(before?.code);
    await verifyOtp(ctx(), { pinId, pin: before?.code ?? '' });
    const [after] = await aboutTexts(ctx(), [text]);
    expect(after).toMatchObject({ pinId, isVerified: true });
  });

  test('is told to who follows, and again when it is reported', async () => {
    const stop = new AbortController();
    const arrivals = await followTexts(t.ctxFor(await account.holder('unified')).with({ signal: () => stop.signal }));
    const to = newPhone();
    const message = await send(to, 'Followed');
    const states: unknown[] = [];
    while (states.length < 2) {
      const { value } = await arrivals.next();
      if (!value) break;
      states.push([(await textOf(ctx(), value))?.text, value.messageId, value.status]);
    }
    stop.abort();
    expect(states).toEqual([
      ['Followed', message.id, 'sent'],
      ['Followed', message.id, 'delivered'],
    ]);
  });
});

test('a phone answers by the channel of the newest text that it got from the address', async () => {
  const address = '15550000001';
  const own = await makeAccount(t, {
    senders: [
      { channel: 'sms', address },
      { channel: 'chat_qr', address },
    ],
  });
  const of = t.ctxFor(own.actor('unified'));
  const phone = newPhone();
  const channels: string[] = [];
  const answer = async () => {
    channels.push((await replyFromPhone(of, { phone, to: address, text: 'Yes' })).channel);
  };
  await sendMessage(of, { to: phone, text: 'Hello', channels: ['chat_qr'], chatFrom: address });
  await answer();
  await sendMessage(of, { to: phone, text: 'Hello', channels: ['sms'], sender: address });
  await answer();
  expect(channels).toEqual(['chat_qr', 'sms']);
});

test('phones are listed with their newest text, those with the newest first', async () => {
  const [first, second] = [newPhone(), newPhone()];
  await send(first, 'one');
  await send(second, 'two');
  await send(first, 'three');
  const phones = await listPhones(ctx());
  expect(phones.map(({ number, count, last }) => [`+${number}`, count, last.text])).toEqual([
    [first, 2, 'three'],
    [second, 1, 'two'],
  ]);
});

import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { updateOptOutSettings } from '../../../src/modules/suppressions/opt-out-settings.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';
import { PLAIN_TEXTS } from '../../support/suppressions/plain-texts.ts';

const t = setUpServices();
const account = setUpAccount(t);

const PHONE = '12025550142';

/** Writes all of them, each from a phone of its own or all from one. */
async function write(texts: readonly string[], phoneOf: (index: number) => string): Promise<void> {
  const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel: 'sms' } as const;
  const messages = texts.map((text, index) => ({
    providerMessageId: null,
    from: phoneOf(index),
    to: 'ACME',
    type: 'text',
    text,
  }));
  await receiveInbound(t.ctxFor(OPERATOR), bringer, messages);
}

/** The people on the list, and the answers that are to go. */
const made = async () => ({
  people: await t.sql('select person, origin from suppressions where account_id = $1', [toUuid(account.accountId)]),
  answers: (await t.sql(`select id from pgboss.job where name = 'answer-word'`)).length,
});

beforeEach(async () => {
  await t.sql(`delete from pgboss.job where name = 'answer-word'`);
  const texts = { stopText: 'You get no more.', helpText: 'Write STOP to stop.' };
  await updateOptOutSettings(t.ctxFor(account.actor('management')), texts);
});

describe('two hundred texts that are no words', () => {
  test('are two hundred, each once', () => {
    expect(new Set(PLAIN_TEXTS).size).toBe(PLAIN_TEXTS.length);
    expect(PLAIN_TEXTS.length).toBeGreaterThanOrEqual(200);
  });

  test('stop nobody, and get no help', async () => {
    await write(PLAIN_TEXTS, index => `1202556${String(index).padStart(4, '0')}`);
    expect(await made()).toEqual({ people: [], answers: 0 });
  });

  test('start nobody again', async () => {
    await write(['STOP'], () => PHONE);
    await write(PLAIN_TEXTS, () => PHONE);
    // The one answer is that to the stop.
    expect(await made()).toEqual({ people: [{ person: PHONE, origin: 'recipient' }], answers: 1 });
  });

  test('are told apart by what surely is a word', async () => {
    await write(['Hello', 'Stop.', 'help'], index => `1202556000${index}`);
    expect(await made()).toEqual({ people: [{ person: '12025560001', origin: 'recipient' }], answers: 2 });
  });
});

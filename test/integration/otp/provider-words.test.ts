import { expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { SendOtpInput } from '../../../src/modules/otp/send/send-otp.input.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { acceptedOutcome, type Script, scriptedProviders } from '../../support/app.ts';
import { setUpServices, setUpSharedAccount } from '../../support/fixtures.ts';
import { findInDatabase, type Read, readSecrets, TOLD } from '../../support/leaks/leak-scan.ts';

const codeIn = (text: string): string => /[0-9]{4,10}/.exec(text)?.[0] ?? '';

const t = setUpServices({
  providers: scriptedProviders((request, signal) => {
    text = request.text;
    return script(request, signal);
  }),
});
const account = setUpSharedAccount(t);
let script: Script;
let text = '';
const read: Read = sql => t.sql(sql);
const grouped = (by: string) => [...codeIn(text)].join(by);

/** Sends to a recipient of the sandbox's, which may be sent to at once, and answers what is kept of the attempt. */
async function sendBy(by: Script, input: Partial<SendOtpInput> = {}) {
  script = by;
  const otp = await sendOtp(t.ctxFor(account.actor('unified')), { to: '+12025550100', ...input });
  return storedOf(otp.id);
}

async function storedOf(pinId: string) {
  const [row] = await t.sql<{
    status: string;
    error_code: string | null;
    error_message: string | null;
    provider_message_id: string;
  }>('select status, error_code, error_message, provider_message_id from attempts where pin_id = $1', [toUuid(pinId)]);
  return { ...row, pinId };
}

async function expectNoLeak(): Promise<void> {
  const secrets = await readSecrets(read);
  expect([...(await findInDatabase(read, secrets)), ...TOLD.find(secrets)]).toEqual([]);
}

test('a provider that throws the text leaves an attempt that says that the call broke off', async () => {
  const stored = await sendBy(request => {
    throw new Error(`cannot send ${request.text}`);
  });
  expect(stored).toMatchObject({ status: 'unknown', error_code: 'provider_error' });
  await expectNoLeak();
});

test.each([
  ['rejected', 'failed'],
  ['unavailable', 'failed'],
  ['unknown', 'unknown'],
  ['throttled', 'failed'],
] as const)('a provider that repeats the text where it says %s is kept without the code', async (kind, status) => {
  const stored = await sendBy(request => ({
    kind,
    code: `bad ${codeIn(request.text)}`,
    message: request.text,
    retryAfterMs: 1,
  }));
  expect(stored).toMatchObject({
    status,
    error_code: 'bad [redacted]',
    error_message: '….',
  });
  await expectNoLeak();
});

test.each([' ', '-', '. ', ', '])(
  'a provider that repeats the code in groups, with %j between, is kept without it',
  async by => {
    const stored = await sendBy(() => ({ kind: 'rejected', code: '30003', message: `not ${grouped(by)}!` }));
    expect(stored).toMatchObject({ error_code: '30003', error_message: 'not …!' });
  },
);

test('a provider that repeats the components of a template is kept without the code', async () => {
  const cloudTemplate = { name: 'login', language: 'en' };
  const stored = await sendBy(
    request => ({ kind: 'rejected', code: 'whatsapp_132015', message: JSON.stringify(request.template) }),
    { channels: ['chat_cloud'], cloudTemplate },
  );
  expect(stored.error_message).toContain('"text":"…"');
  await expectNoLeak();
});

test.each(['', ' ', '-'])(
  'a provider that repeats the code in a receipt, with %j between its digits, is kept without it',
  async by => {
    const { pinId, provider_message_id } = await sendBy(acceptedOutcome);
    const receipt = {
      provider: 'scripted',
      providerMessageId: String(provider_message_id),
      status: 'failed',
      errorCode: 'blocked',
      errorMessage: `spam: ${grouped(by)}.`,
    } as const;
    expect(await recordReceipts(t.ctxFor(account.operator), [receipt])).toEqual(['raised']);
    expect(await storedOf(pinId)).toMatchObject({ error_code: 'blocked', error_message: 'spam: ….' });
    await expectNoLeak();
  },
);

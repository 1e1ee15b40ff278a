import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { SendOtpInput } from '../../../src/modules/otp/send/send-otp.input.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { sandboxReceiptsJob } from '../../../src/modules/sandbox/sandbox.jobs.ts';
import {
  findInDatabase,
  findInText,
  type Leak,
  type Read,
  readSecrets,
  refuseLeaks,
  type Secrets,
  TOLD,
  Told,
} from '../../support/leaks/leak-scan.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { createTestServices, makeAccount, type TestAccount, type TestServices } from '../../support/services.ts';

/** An OTP that went out, with what its recipient read. */
interface Arrived {
  readonly pinId: string;
  readonly text: string;
  readonly code: string;
}

const codeIn = (text: string): string => /[0-9]{4,10}/.exec(text)?.[0] ?? '';
const secretsOf = (codes: string[], lines: string[] = []): Secrets => ({
  codes: new Set(codes),
  lines: new Set(lines),
});

/** Everything that a database and what was told hold of its codes. */
async function leaksOf(read: Read, told: Told = TOLD): Promise<Leak[]> {
  const secrets = await readSecrets(read);
  return [...(await findInDatabase(read, secrets)), ...told.find(secrets)];
}

describe('the scan finds a code', () => {
  let t: TestServices;
  let account: TestAccount;
  let last = 100;
  const read: Read = sql => t.sql(sql);

  beforeAll(async () => {
    t = await createTestServices();
    account = await makeAccount(t.services);
  });
  afterAll(() => t.close());

  /** Sends an OTP whose code begins with no zero, so that it is the same as a number. */
  async function arrive(input: Partial<SendOtpInput> = {}): Promise<Arrived> {
    const to = `1202555${++last}1`;
    const { id: pinId } = await sendOtp(t.ctxFor(account.actor('unified')), { to: `+${to}`, ...input });
    const [message] = await t.sql<{ text: string }>('select text from sandbox_messages where recipient = $1', [to]);
    const text = message?.text ?? '';
    const code = codeIn(text);
    return code.startsWith('0') ? arrive(input) : { pinId, text, code };
  }

  const row =
    (change: string) =>
    ({ pinId, ...arrived }: Arrived, value: 'text' | 'code') =>
      t.sql(`update ${change}`, [toUuid(pinId), arrived[value]]);

  const places: [string, 'text' | 'code', (arrived: Arrived, value: 'text' | 'code') => Promise<unknown>, string][] = [
    [
      'public.attempts.error_message',
      'text',
      row('attempts set error_message = $2 where pin_id = $1'),
      'update attempts set error_message = null',
    ],
    [
      'public.attempts.error_code',
      'code',
      row(`attempts set error_code = 'bad_' || $2 where pin_id = $1`),
      'update attempts set error_code = null',
    ],
    [
      'public.attempts.credits',
      'code',
      row('attempts set credits = $2::int where pin_id = $1'),
      'update attempts set credits = 1',
    ],
    [
      'public.otps.template',
      'code',
      row('otps set template = template || $2 where id = $1'),
      `update otps set template = '{{code}}'`,
    ],
    [
      'public.otps.autofill',
      'code',
      row(`otps set autofill = jsonb_build_object('code', $2::text) where id = $1`),
      'update otps set autofill = null',
    ],
    [
      'public.otps.channels',
      'code',
      row('otps set channels = array[$2] where id = $1'),
      `update otps set channels = '{sms}'`,
    ],
    ['public.messages.text', 'text', ({ text }) => sendText(text), 'delete from messages'],
    [
      'pgboss.job.data',
      'text',
      ({ text }) => enqueue(text),
      `delete from pgboss.job where data::text like '%planted%'`,
    ],
    ['other.notes.line', 'code', ({ code }) => keepElsewhere(code), 'drop schema other cascade'],
  ];

  const sendText = (text: string) =>
    t.sql(
      `insert into messages (id, account_id, area, recipient, text, channels, delivery_mode, status, segments, created_at)
       select uuidv7, $1, 'unified', '12025550100', $2, '{sms}', 'fallback', 'sent', 1, now()
       from (select id as uuidv7 from attempts limit 1) a`,
      [toUuid(account.accountId), text],
    );
  const enqueue = (errorMessage: string) =>
    t.database.fork().transactional(em =>
      t.jobs.enqueue(
        em,
        sandboxReceiptsJob,
        [
          {
            receipts: [
              { provider: 'planted', providerMessageId: 'x', status: 'failed', errorCode: null, errorMessage },
            ],
          },
        ],
        { startAfterSeconds: 600 },
      ),
    );
  async function keepElsewhere(code: string): Promise<void> {
    await t.sql('create schema other');
    await t.sql('create table other.notes (line text)');
    await t.sql('insert into other.notes values ($1)', [`the code is ${code}`]);
  }

  test.each(places)('in %s: the %s', async (place, value, plant, undo) => {
    const arrived = await arrive();
    await plant(arrived, value);
    const leaks = await findInDatabase(read, await readSecrets(read));
    await t.sql(undo);
    expect(leaks.map(leak => leak.place)).toEqual([place]);
    expect(leaks[0]?.around).toContain('••••••');
    expect(leaks[0]?.around).not.toContain(arrived.code);
  });

  test.each([
    ['of four digits', { length: 4 }],
    ['beside digits', { template: 'G-10{{code}}01' }],
    [
      'of four digits, in the line of the autofill',
      { length: 4, autofill: { domain: 'example.com' }, template: '{{code}}' },
    ],
    ['of ten digits', { length: 10 }],
  ])('%s, by the line that it stands in', async (_what, input) => {
    const { pinId, text } = await arrive(input);
    await t.sql('update attempts set error_message = $2 where pin_id = $1', [
      toUuid(pinId),
      JSON.stringify({ said: text }),
    ]);
    const leaks = await findInDatabase(read, await readSecrets(read));
    await t.sql('update attempts set error_message = null');
    expect(leaks.map(leak => leak.place)).toEqual(['public.attempts.error_message']);
  });

  test('where a database is dropped: what was told of it by then is refused', async () => {
    const { text, code } = await arrive();
    const told = new Told();
    told.note('a note', text);
    const leaks = await leaksOf(read, told);
    expect(() => refuseLeaks(leaks)).toThrow(/^secrets are where they must not be:\na note: …Your verification/);
    expect(() => refuseLeaks(leaks)).not.toThrow(code);
  });
});

describe('the scan of what is told', () => {
  const secrets = secretsOf(['314159']);
  const json = new Headers({ 'content-type': 'application/problem+json' });
  const graphql = {
    place: 'the answer',
    asked: '/graphql {"query":"{ sandboxMessages(to: \\"+12025550100\\") { text } }"}',
  };

  test('finds a code in a line of the log at the level trace', () => {
    const told = new Told();
    told.logger().trace({ note: 'sent 314159' }, 'routed');
    expect(told.find(secrets)).toMatchObject([
      { place: 'the process log', around: expect.stringContaining('sent ••••••') },
    ]);
  });

  test('finds it in an error that is logged', () => {
    const told = new Told();
    told.logger().error({ err: new Error('no', { cause: new Error('text: 314159') }) }, 'masked');
    expect(told.find(secrets)).not.toEqual([]);
  });

  test('finds it in the body of an error', () => {
    const told = new Told();
    told.noteAnswer(
      { place: 'the answer', asked: '' },
      json,
      '{"code":"invalid_input","message":"pin: 314159 is wrong"}',
    );
    expect(told.find(secrets)).toMatchObject([{ place: 'the answer' }]);
  });

  test('finds it in the errors of an answer that shows the phones of the sandbox, and leaves what they show', () => {
    const told = new Told();
    told.noteAnswer(graphql, json, '{"data":{"sandboxMessages":[{"text":"Your code is 314159."}]}}');
    expect(told.find(secrets)).toEqual([]);
    told.noteAnswer(graphql, json, '{"data":null,"errors":[{"message":"no 314159"}]}');
    expect(told.find(secrets)).toHaveLength(1);
  });

  test('finds it in the label of a metric, and leaves the values', () => {
    const told = new Told();
    told.noteMetrics('# HELP a 314159\na_bytes 314159\n');
    expect(told.find(secrets)).toEqual([]);
    told.noteMetrics('a{code="314159"} 1\n');
    expect(told.find(secrets)).toHaveLength(1);
  });

  test('finds it in what fetch is answered', async () => {
    const own = globalThis.fetch;
    const told = new Told();
    try {
      globalThis.fetch = async () => Response.json({ code: '314159' });
      const settled = told.watchFetch();
      expect(await (await fetch('http://gateway.test/')).json()).toEqual({ code: '314159' });
      await settled();
    } finally {
      globalThis.fetch = own;
    }
    expect(told.find(secrets)).toHaveLength(1);
  });
});

describe('a number', () => {
  const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));
  const around = fc.string({ unit: 'binary-ascii', maxLength: 20 }).map(text => text.replaceAll(/[0-9a-f.:-]/gi, ' '));

  test('is found wherever it stands alone, and is masked', () => {
    assertProperty(
      fc.property(digits(6, 10), around, around, (code, before, after) => {
        const leaks = findInText('here', before + code + after, secretsOf([code]));
        expect(leaks).toHaveLength(1);
        expect(leaks[0]?.around).not.toContain(code);
      }),
    );
  });

  test('is no hit as a part of an id, of other hex, of a time, of a fraction or of a longer number', () => {
    const noise = fc
      .tuple(digits(6, 10), fc.uuid({ version: 7 }), fc.stringMatching(/^[0-9a-f]{16,64}$/))
      .chain(([code, uuid, hex]) =>
        fc.constantFrom(
          [code, `${uuid.slice(0, 24)}${code.padEnd(12, 'a')}`],
          [code, `att_${hex}${code}${hex}`],
          [code, `2026-11-21T09:33:07.${code.slice(0, 6)}Z`],
          [code, `2026-11-21 09:33:07.${code}+00`],
          [code, `"durationMs":12.${code}`],
          [code, `+4${code}55555`],
        ),
      );
    assertProperty(
      fc.property(noise, ([code = '', text = '']) => {
        expect(findInText('here', text, secretsOf([code]))).toEqual([]);
      }),
    );
  });
});

describe('the scan finds the secret of a webhook', () => {
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  const headers = new Headers({ 'content-type': 'application/json' });

  test('wherever it stands, and does not repeat it', () => {
    const leaks = findInText('a log', `{"msg":"signed with ${secret}"}`, secretsOf([]));
    expect(leaks).toEqual([{ place: 'a log', around: expect.not.stringContaining(secret) }]);
  });

  test('in an answer, but for the one that shows it', () => {
    const told = new Told();
    const text = JSON.stringify({ data: { create: { secret } } });
    told.noteAnswer({ place: 'an answer', asked: 'mutation { createWebhookEndpoint }' }, headers, text);
    expect(told.find(secretsOf([]))).toEqual([]);
    told.noteAnswer({ place: 'an answer', asked: '{ webhookEndpoints }' }, headers, text);
    expect(told.find(secretsOf([]))).toHaveLength(1);
  });
});

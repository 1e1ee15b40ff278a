import { beforeEach, describe, expect, test } from 'vitest';
import { sentenceOf } from '../../../src/kernel/attempt-errors.ts';
import { newId, toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { InboundMessage } from '../../../src/modules/inbound/inbound-message.entity.ts';
import { blankTexts } from '../../../src/modules/retention/blank-texts.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { idAt, makeAttempt, makeMessage } from '../../support/logs/log-rows.ts';
import { OPERATOR } from '../../support/services.ts';

const DAY = 86_400_000;
const WORDS = 'spam: three words only';
const SAID = `{"attempts":[{"errorCode":"http_400","errorMessage":"he said \\"errorMessage\\" : ${WORDS}"},{"errorMessage":null}],"errorMessage" : "${WORDS}"}`;

const on = setUpServices();
const account = setUpAccount(on);

beforeEach(async () => {
  for (const table of [
    'blanked',
    'messages',
    'inbound_messages',
    'person_notes',
    'attempts',
    'webhook_events',
    'webhook_tries',
    'idempotency_keys',
  ])
    await on.sql(`delete from ${table}`);
});

/** By the database's clock, past a bound by so much that the seconds of a test do not count. */
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY);

/** Whatever a send leaves, of so many days ago. */
async function store(days: number, name = `${days}`) {
  const at = daysAgo(days);
  const { accountId } = account;
  const [message, attempt] = [
    makeMessage(accountId, {
      createdAt: at,
      text: `Dear Ada ${name}`,
      cloudTemplate: { name: 'hello', language: 'en', components: [{ text: 'Ada' }] },
    }),
    makeAttempt(accountId, { startedAt: at, status: 'failed', errorCode: 'http_400', errorMessage: WORDS }),
  ];
  await on.database.fork().persist([message, attempt]).flush();
  const time = uuidFloor(at).slice(0, 13);
  const uuid = () => `${time}${toUuid(newId('evt')).slice(13)}`;
  const [event, delivery] = [uuid(), uuid()];
  await on.sql(
    `insert into webhook_events (id, account_id, event, data, created_at) values ($1, $2, 'message.failed', $3, $4)`,
    [event, toUuid(accountId), SAID, at],
  );
  await on.sql(
    `insert into webhook_tries (id, account_id, endpoint_id, delivery_id, number, http_status, duration_ms, response, created_at)
     values ($1, $2, $2, $3, 1, 500, 5, $4, now())`,
    // A try of today, of an event of then.
    [toUuid(newId('try')), toUuid(accountId), delivery, `echo: ${WORDS}`],
  );
  await on.sql(
    `insert into idempotency_keys (account_id, area, reference, fingerprint, message_id, answer, expires_at)
     values ($1, 'unified', $2, 'f', $3, $4::jsonb, now() + interval '30 days' - make_interval(secs => $5))`,
    [toUuid(accountId), `ref-${name}`, toUuid(message.id), SAID, days * 86_400],
  );
  return { message: toUuid(message.id), attempt: toUuid(attempt.id), event, delivery, reference: `ref-${name}` };
}

type Stored = Awaited<ReturnType<typeof store>>;

/** The texts that are left of it. */
async function left({ message, attempt, event, delivery, reference }: Stored) {
  const [row] = await on.sql<Record<string, unknown>>(
    `select (select row(text, cloud_template)::text from messages where id = $1) as message,
      (select error_message from attempts where id = $2) as attempt, (select data from webhook_events where id = $3) as event,
      (select response from webhook_tries where delivery_id = $4) as response,
      (select answer::text from idempotency_keys where reference = $5 and account_id = $6) as answer`,
    [message, attempt, event, delivery, reference, toUuid(account.accountId)],
  );
  return row;
}

/** Keeps texts for so many days. */
const keeping = (textRetentionDays: number) => {
  const own = on.ctxFor(OPERATOR);
  return own.with({ services: { ...own.services, settings: { ...own.services.settings, textRetentionDays } } });
};

describe('texts', () => {
  test('are blanked after their days, with what was said about them', async () => {
    const old = await store(3);
    expect(await blankTexts(keeping(2))).toBe(5);
    expect(await left(old)).toEqual({
      message: '("","{""name"": ""hello"", ""language"": ""en""}")',
      attempt: sentenceOf('http_400'),
      event:
        '{"attempts":[{"errorCode":"http_400","errorMessage" : null},{"errorMessage":null}],"errorMessage" : null}',
      response: null,
      answer: expect.stringMatching(/"errorMessage": null.*"errorMessage": null/),
    });
    expect(JSON.stringify(await left(old))).not.toMatch(/Ada|spam|three words/);
  });

  test('that came in are blanked, where they are kept and where they were told', async () => {
    const [at, { accountId }] = [daysAgo(3), account];
    const message = Object.assign(new InboundMessage(), {
      id: idAt('msg', at),
      accountId,
      channel: 'sms' as const,
      type: 'text',
      fromNumber: '12025550100',
      toAddress: 'ACME',
      text: 'I am "Ada"',
      receivedAt: at,
    });
    await on.database.fork().persist(message).flush();
    const event = toUuid(idAt('msg', at));
    await on.sql(
      `insert into webhook_events (id, account_id, event, data, created_at)
       values ($1, $2, 'message.received', json_build_object('type', 'text', 'text', 'I am "Ada"', 'replyTo', null)::text, $3)`,
      [event, toUuid(accountId), at],
    );
    expect(await blankTexts(keeping(2))).toBe(2);
    const [kept] = await on.sql<{ text: string; data: object }>(
      'select m.text, e.data::json from inbound_messages m, webhook_events e where m.id = $1 and e.id = $2',
      [toUuid(message.id), event],
    );
    expect(kept).toEqual({ text: '', data: { type: 'text', text: null, replyTo: null } });
  });

  test('of notes about people are empty', async () => {
    const at = daysAgo(3);
    const [id, person] = [toUuid(idAt('msg', at)), toUuid(idAt('att', at))];
    await on.sql('insert into people (id, account_id, newest) values ($1, $2, $3)', [
      person,
      toUuid(account.accountId),
      id,
    ]);
    await on.sql(
      `insert into person_notes (id, account_id, person_id, text, created_at) values ($1, $2, $3, 'Ada is away.', $4)`,
      [id, toUuid(account.accountId), person, at],
    );
    expect(await blankTexts(keeping(2))).toBe(1);
    expect(await on.sql('select text from person_notes where id = $1', [id])).toEqual([{ text: '' }]);
  });

  test('stay as they are within their days', async () => {
    const young = await store(1);
    const before = await left(young);
    expect(JSON.stringify(before)).toMatch(/Ada.*spam/);
    expect(await blankTexts(keeping(2))).toBe(0);
    expect(await left(young)).toEqual(before);
  });

  test('go by the setting', async () => {
    const young = await store(3);
    expect(await blankTexts(keeping(4))).toBe(0);
    expect(await blankTexts(keeping(2))).toBe(5);
    expect(JSON.stringify(await left(young))).not.toMatch(/Ada|spam/);
  });

  test('are blanked in steps, and each once', async () => {
    const rows = await Promise.all(Array.from({ length: 12 }, (_, n) => store(3 + n / 100, `n${n}`)));
    expect(await blankTexts(keeping(2), 5)).toBe(60);
    for (const row of rows) expect(JSON.stringify(await left(row))).not.toMatch(/Ada|spam/);
    expect(await blankTexts(keeping(2), 5)).toBe(0);
  });

  test('are blanked once by two at the same time', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => store(3 + n / 100, `n${n}`)));
    const counts = await Promise.all(Array.from({ length: 4 }, () => blankTexts(keeping(2), 5)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
  });

  test('go on from where a run broke off, and look at no older row again', async () => {
    await store(4, 'first');
    await blankTexts(keeping(2));
    // As it never comes in a gateway: a row behind the mark is left.
    const behind = await store(4, 'behind');
    expect(await blankTexts(keeping(2))).toBe(1);
    expect(await left(behind)).toMatchObject({ attempt: WORDS });
  });

  test('of a redelivery that was made after its delivery was passed are blanked after their days', async () => {
    const { delivery } = await store(5);
    await blankTexts(keeping(4));
    await on.sql(
      `insert into webhook_tries (id, account_id, endpoint_id, delivery_id, number, http_status, duration_ms, response, created_at)
       values ($1, $2, $2, $3, 2, 500, 5, $4, $5)`,
      [toUuid(idAt('dlv', daysAgo(3))), toUuid(account.accountId), delivery, `echo: ${WORDS}`, daysAgo(3)],
    );
    expect(await blankTexts(keeping(2))).toBe(1);
    expect(await on.sql('select distinct response from webhook_tries where delivery_id = $1', [delivery])).toEqual([
      { response: null },
    ]);
  });

  test.each([
    [3, sentenceOf('http_400')],
    [1, WORDS],
  ])('of a failure that is reported after %d days: %s', async (days, told) => {
    const failing = { status: 'sent', provider: 'sandbox', providerMessageId: newId('sbx') } as const;
    const attempt = makeAttempt(account.accountId, { startedAt: daysAgo(days), ...failing });
    await on.database.fork().persist(attempt).flush();
    await blankTexts(keeping(2));
    const receipt = { ...failing, status: 'failed', errorCode: 'http_400', errorMessage: WORDS } as const;
    expect(await recordReceipts(on.ctxFor(OPERATOR), [receipt])).toEqual(['raised']);
    expect(await on.sql('select error_message from attempts where id = $1', [toUuid(attempt.id)])).toEqual([
      { error_message: told },
    ]);
  });

  test('that are still to be sent after a long stop are kept until they were', async () => {
    const old = await store(3);
    const id = toUuid(idAt('msg', daysAgo(5)));
    await on.sql('insert into routing_marks (process, oldest, seen_at) values ($1, $1, now())', [id]);
    expect(await blankTexts(keeping(2))).toBe(1);
    expect(JSON.stringify(await left(old))).toMatch(/Ada/);
    await on.sql('delete from routing_marks where oldest = $1', [id]);
    expect(await blankTexts(keeping(2))).toBe(4);
  });
});

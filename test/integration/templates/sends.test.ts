import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { noteTemplates } from '../../../src/modules/templates/note-templates.ts';
import { syncTemplates } from '../../../src/modules/templates/sync-templates.ts';
import { openTemplates, TEMPLATE_CHANNEL } from '../../../src/modules/templates/template-table.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { OPERATOR, openTestDatabase } from '../../support/services.ts';
import { connectGraph, graphConfig, receiptsPathOf, utilityTemplate } from '../../support/whatsapp/connected.ts';
import { OTP_TEMPLATE } from '../../support/whatsapp/defaults.ts';
import { type Graph, startGraph } from '../../support/whatsapp/graph.ts';

const on = setUpApp({ mayTell: /http:\/\/127\.0\.0\.1[:/]/g });
const customer = setUpOwnCustomer(on);
const operator = () => on.app.makeCtx(OPERATOR, 'test');

const TEMPLATES = [
  OTP_TEMPLATE,
  { ...OTP_TEMPLATE, name: 'otp_paused', status: 'PAUSED' } as const,
  utilityTemplate('order_sent'),
  utilityTemplate('order_paused', { status: 'PAUSED' }),
  utilityTemplate('order_rejected', { status: 'REJECTED', rejectedReason: 'INVALID_FORMAT' }),
  utilityTemplate('order_disabled', { status: 'DISABLED' }),
];

let graph: Graph;
let connectionId: string;
/** The path of its callbacks. */
let receiptsPath: string;

beforeEach(async () => {
  graph = await startGraph({ templates: TEMPLATES });
  connectionId = await connectGraph(on, graph, customer.accountId);
  receiptsPath = await receiptsPathOf(on, connectionId, customer.accountId);
});

/** Sends by a template, and by SMS where that fails. Answers the attempts in order. */
async function send(name: string, language = 'en_US') {
  const components = [{ type: 'body', parameters: [{ type: 'text', text: '1042' }] }];
  const { data, errors } = await on.graphql<{ sendMessage: { attempts: readonly object[] } }>(
    `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
      attempts { channel status errorCode errorMessage connection { connectionId } } } }`,
    {
      token: customer.tokens.unified,
      variables: {
        input: {
          to: newPhone(),
          text: 'Your order is on its way.',
          channels: ['CHAT_CLOUD', 'SMS'],
          sender: 'ACME',
          cloudTemplate: { name, language, components },
        },
      },
    },
  );
  expect(errors).toBeNull();
  return data?.sendMessage.attempts;
}

/** Why the dry run says that the cloud chat is not asked. */
async function previewed(name: string): Promise<string | null | undefined> {
  const input = { to: newPhone(), text: 'Hello', channels: ['CHAT_CLOUD'], cloudTemplate: { name, language: 'en_US' } };
  const { data } = await on.graphql<{ previewSend: { legs: readonly { refusal: string | null }[] } }>(
    'query ($input: SendMessageInput!) { previewSend(input: $input) { legs { refusal } } }',
    { token: customer.tokens.unified, variables: { input } },
  );
  return data?.previewSend.legs[0]?.refusal;
}

const bySms = expect.objectContaining({ channel: 'SMS' });

describe('a template that cannot be sent', () => {
  beforeEach(() => syncTemplates(operator(), connectionId));

  test.each([
    ['order_paused', 'en_US', 'template_paused', 'The template order_paused (en_US) is paused.'],
    [
      'order_rejected',
      'en_US',
      'template_rejected',
      'The template order_rejected (en_US) was rejected (INVALID_FORMAT).',
    ],
    ['order_disabled', 'en_US', 'template_disabled', 'The template order_disabled (en_US) is disabled.'],
    ['order_sent', 'fr', 'template_missing', 'The template order_sent is not there in fr, but in en_US.'],
  ])(
    '%s in %s is refused with its reason, and the next channel follows',
    async (name, language, errorCode, errorMessage) => {
      const [first, ...others] = (await send(name, language)) ?? [];
      expect(first).toEqual({
        channel: 'CHAT_CLOUD',
        status: 'FAILED',
        errorCode,
        errorMessage,
        connection: { connectionId },
      });
      expect(others).toEqual([bySms]);
      expect(graph.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    },
  );

  test('is told by the dry run, where no connection has it', async () => {
    expect(await previewed('order_paused')).toBe('The template order_paused (en_US) is paused.');
    expect(await previewed('order_sent')).toBeNull();
    expect(await previewed('welcome')).toBeNull();
  });

  test('goes by the next connection, which has it', async () => {
    const other = await startGraph({ templates: [utilityTemplate('order_paused')] });
    await syncTemplates(operator(), await connectGraph(on, other, customer.accountId, { priority: 200 }));
    expect(await previewed('order_paused')).toBeNull();
    expect(await send('order_paused')).toMatchObject([
      { channel: 'CHAT_CLOUD', errorCode: 'template_paused' },
      { channel: 'CHAT_CLOUD', errorCode: null },
    ]);
    expect(other.sent).toHaveLength(1);
  });

  test('is no fault of its connection', async () => {
    for (let count = 0; count < 12; count++) await send('order_paused');
    expect(await send('order_sent')).toMatchObject([{ channel: 'CHAT_CLOUD', errorCode: null }]);
  });

  test('goes again as soon as its provider says so', async () => {
    graph.callTo(call => on.rest('POST', receiptsPath, call));
    expect(await graph.review('order_paused', 'en_US', 'APPROVED')).toBe(200);
    expect(await send('order_paused')).toMatchObject([{ channel: 'CHAT_CLOUD', errorCode: null }]);
  });
});

describe('a call about a template', () => {
  const reviewOf = (id: string) =>
    on.sql<{ status: string; reason: string | null }>(
      `select status, reason from cloud_templates where name = 'order_sent' and connection_id = $1`,
      [toUuid(id)],
    );

  test('is for every connection of the business, and for no other', async () => {
    const same = await connectGraph(on, graph, null);
    const config = { ...graphConfig(graph), appSecret: 'another-app' };
    const foreign = await connectGraph(on, graph, null, { config });
    for (const id of [connectionId, same, foreign]) await syncTemplates(operator(), id);
    graph.callTo(call => on.rest('POST', receiptsPath, call));
    await graph.review('order_sent', 'en_US', 'PAUSED');
    const all = await Promise.all([connectionId, same, foreign].map(reviewOf));
    expect(all.flat().map(({ status }) => status)).toEqual(['PAUSED', 'PAUSED', 'APPROVED']);
  });

  test('says why it is paused, which a synchronisation keeps until the status is another one', async () => {
    await syncTemplates(operator(), connectionId);
    graph.callTo(call => on.rest('POST', receiptsPath, call));
    await graph.review('order_sent', 'en_US', 'PAUSED');
    expect(await previewed('order_sent')).toBe('The template order_sent (en_US) is paused (FIRST_PAUSE).');
    await syncTemplates(operator(), connectionId);
    expect(await previewed('order_sent')).toBe('The template order_sent (en_US) is paused (FIRST_PAUSE).');
    await graph.review('order_sent', 'en_US', 'APPROVED');
    await syncTemplates(operator(), connectionId);
    expect(await reviewOf(connectionId)).toEqual([{ status: 'APPROVED', reason: null }]);
  });

  test('that is older than the last synchronisation changes nothing, and lets the provider be asked', async () => {
    const hourBehind = await startGraph({ templates: TEMPLATES, clock: () => Date.now() - 3_600_000 });
    const id = await connectGraph(on, hourBehind, customer.accountId);
    await syncTemplates(operator(), id);
    await on.sql(`delete from pgboss.job where name = 'sync-templates'`);
    const path = await receiptsPathOf(on, id, customer.accountId);
    hourBehind.callTo(call => on.rest('POST', path, call));
    await hourBehind.review('order_sent', 'en_US', 'PAUSED');
    expect(await reviewOf(id)).toEqual([{ status: 'APPROVED', reason: null }]);
    const jobs = await on.sql(`select data ->> 'connectionId' as id from pgboss.job where name = 'sync-templates'`);
    expect(jobs).toContainEqual({ id });
  });

  test('that comes late is in time beside another late one, and brings the word that a list has not', async () => {
    await syncTemplates(operator(), connectionId);
    await on.sql(`update cloud_templates set synced_at = now() - interval '1 hour' where connection_id = $1`, [
      toUuid(connectionId),
    ]);
    const note = (status: string, reason: string | null, minutesAgo: number) =>
      noteTemplates(operator(), { id: connectionId }, [
        { name: 'order_sent', language: 'en_US', status, reason, toldAt: new Date(Date.now() - minutesAgo * 60_000) },
      ]);
    await note('PAUSED', 'FIRST_PAUSE', 9);
    await note('APPROVED', null, 7);
    expect(await reviewOf(connectionId)).toEqual([{ status: 'APPROVED', reason: null }]);
    await note('PAUSED', null, 5);
    await note('PAUSED', 'SECOND_PAUSE', 8);
    expect(await reviewOf(connectionId)).toEqual([{ status: 'PAUSED', reason: 'SECOND_PAUSE' }]);
  });

  test('is refused where its signature is another one', async () => {
    await syncTemplates(operator(), connectionId);
    graph.callTo(({ body, headers }) =>
      on.rest('POST', receiptsPath, { body, headers: { ...headers, 'x-hub-signature-256': 'sha256=00' } }),
    );
    expect(await graph.review('order_sent', 'en_US', 'PAUSED')).toBe(403);
    expect(await reviewOf(connectionId)).toMatchObject([{ status: 'APPROVED' }]);
  });
});

test('a template that nobody knows is the provider’s matter', async () => {
  expect(await send('order_sent')).toMatchObject([{ channel: 'CHAT_CLOUD', errorCode: null }]);
  await syncTemplates(operator(), connectionId);
  await send('welcome');
  expect(graph.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
});

describePostgres('another process', () => {
  test('hears of a template that is paused, and keeps what it knew while it cannot read', async () => {
    await syncTemplates(operator(), connectionId);
    const other = await openTestDatabase(on.testDatabase);
    const failed = Promise.withResolvers<unknown>();
    const table = await openTemplates(other, failed.resolve);
    const template = { name: 'order_sent', language: 'en_US' };
    try {
      expect(table.faultOf(connectionId, template)).toBeNull();
      await noteTemplates(operator(), { id: connectionId }, [
        { ...template, status: 'PAUSED', reason: null, toldAt: null },
      ]);
      await expect.poll(() => table.faultOf(connectionId, template)?.code).toBe('template_paused');
      await on.sql('alter table cloud_templates rename to cloud_templates_away');
      await on.sql(`select pg_notify('${TEMPLATE_CHANNEL}', '')`);
      await failed.promise;
      expect(table.faultOf(connectionId, template)?.code).toBe('template_paused');
    } finally {
      await on.sql('alter table if exists cloud_templates_away rename to cloud_templates');
      await table.close();
      await other.close();
    }
  });
});

describe('the template for codes of a sender', () => {
  async function set(name: string, language = 'en_US') {
    const { data, errors } = await on.graphql<{ setOtpTemplate: object }>(
      `mutation ($input: SetOtpTemplateInput!) { setOtpTemplate(input: $input) { otpTemplate { name language } } }`,
      {
        token: OPERATOR_TOKEN,
        variables: { input: { accountId: customer.accountId, address: '15550000002', name, language } },
      },
    );
    return data?.setOtpTemplate ?? errors?.flatMap(({ extensions }) => extensions.errors ?? []);
  }

  test('is any where no template is known', async () => {
    expect(await set('anything')).toEqual({ otpTemplate: { name: 'anything', language: 'en_US' } });
  });

  test('is one for codes that is approved, in a language in which it is there', async () => {
    await syncTemplates(operator(), connectionId);
    expect(await set('otp_code')).toEqual({ otpTemplate: { name: 'otp_code', language: 'en_US' } });
    expect(await set('otp_code', 'de')).toEqual([
      { field: 'language', message: 'must be one in which it is there: en_US' },
    ]);
    expect(await set('otp_paused')).toEqual([
      { field: 'name', message: 'is AUTHENTICATION and PAUSED: a template for codes is AUTHENTICATION and APPROVED' },
    ]);
    expect(await set('order_sent')).toEqual([
      { field: 'name', message: 'is UTILITY and APPROVED: a template for codes is AUTHENTICATION and APPROVED' },
    ]);
    expect(await set('anything')).toEqual([
      { field: 'name', message: 'is no template of the number: there is otp_code (en_US)' },
    ]);
  });
});

describe('the template that a passcode names', () => {
  const cloudTemplate = (name: string) => ({ name, language: 'en_US' });
  const ask = async (path: 'send' | 'preview', name: string) => {
    const input = { to: newPhone(), channels: ['CHAT_CLOUD'], cloudTemplate: cloudTemplate(name) };
    const { data, errors } = await on.graphql<Record<string, object>>(
      path === 'send'
        ? 'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { status } }'
        : 'query ($input: SendOtpInput!) { previewOtp(input: $input) { legs { channel } } }',
      { token: customer.tokens.unified, variables: { input } },
    );
    return data ?? errors?.flatMap(({ extensions }) => extensions.errors ?? []);
  };

  test('is refused where its category is another one, in the dry run and in the send', async () => {
    await syncTemplates(operator(), connectionId);
    const refused = [
      {
        field: 'cloudTemplate',
        message: 'order_sent is UTILITY: a passcode goes by a template of the category AUTHENTICATION',
      },
    ];
    expect(await ask('preview', 'order_sent')).toEqual(refused);
    expect(await ask('send', 'order_sent')).toEqual(refused);
    expect(graph.sent).toEqual([]);
    expect(await ask('send', 'otp_code')).toEqual({ sendOtp: { status: 'SENT' } });
  });

  test('is asked of Meta where nobody knows it', async () => {
    expect(await ask('send', 'order_sent')).toEqual({ sendOtp: { status: 'FAILED' } });
    expect(graph.requests.filter(({ path }) => path.endsWith('/messages'))).toHaveLength(1);
  });
});

describe('a template for codes', () => {
  async function create(input: object = {}) {
    const { data, errors } = await on.graphql<{ createOtpTemplate: object }>(
      `mutation ($input: CreateOtpTemplateInput!) { createOtpTemplate(input: $input) {
        result message template { name language category status preview } } }`,
      { token: OPERATOR_TOKEN, variables: { input: { connectionId, name: 'sign_in', language: 'en_US', ...input } } },
    );
    return data?.createOtpTemplate ?? errors?.flatMap(({ extensions }) => extensions.errors ?? []);
  }

  const posted = () => JSON.parse(graph.requests.find(({ method }) => method === 'POST')?.body ?? '');

  test('is made by the provider, and is listed with its text a moment later', async () => {
    expect(await create({ codeExpirationMinutes: 5 })).toEqual({
      result: 'WORKS',
      message: 'The template sign_in (en_US) is PENDING.',
      template: { name: 'sign_in', language: 'en_US', category: 'AUTHENTICATION', status: 'PENDING', preview: null },
    });
    expect(posted()).toEqual({
      name: 'sign_in',
      language: 'en_US',
      category: 'AUTHENTICATION',
      message_send_ttl_seconds: 300,
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'FOOTER', code_expiration_minutes: 5 },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
      ],
    });
    await syncTemplates(operator(), connectionId);
    const { data } = await on.graphql('{ cloudTemplates(filter: { name: "sign_in" }) { nodes { preview } } }', {
      token: customer.tokens.management,
    });
    const preview = '*{{1}}* is your verification code. For your security, do not share this code.';
    expect(data).toEqual({ cloudTemplates: { nodes: [{ preview }] } });
  });

  test('says no more than what is asked for', async () => {
    await create({ addSecurityRecommendation: false });
    expect(posted()).toMatchObject({
      message_send_ttl_seconds: 600,
      components: [{ type: 'BODY', add_security_recommendation: false }, { type: 'BUTTONS' }],
    });
  });

  test('is refused with the words of the provider where there is one already', async () => {
    expect(await create({ name: 'otp_code' })).toEqual({
      result: 'REFUSED',
      message: 'Meta refused it with its error 100: Content in this language already exists.',
      template: null,
    });
  });

  test('is refused with the field at fault', async () => {
    expect(await create({ name: 'Sign in' })).toMatchObject([{ field: 'name' }]);
    expect(await create({ language: 'english' })).toMatchObject([{ field: 'language' }]);
    expect(await create({ codeExpirationMinutes: 91 })).toMatchObject([{ field: 'codeExpirationMinutes' }]);
  });
});

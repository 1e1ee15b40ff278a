import { describe, expect, test } from 'vitest';
import { GRAPH_NUMBER, OTP_TEMPLATE } from '../../support/whatsapp/defaults.ts';
import { startGraph } from '../../support/whatsapp/graph.ts';
import { ask, listen, MESSAGES, otp, send, TO, templateTo, textTo, USER } from '../../support/whatsapp/graph-client.ts';
import { fasterRates, type GraphTemplate } from '../../support/whatsapp/options.ts';
import { WITHOUT_PHONE } from '../../support/whatsapp/rehearsals.ts';
import { text } from '../../support/whatsapp/said.ts';

test('takes a text in the window, and a template outside of it', async () => {
  const graph = await startGraph({ windows: { [TO]: Date.now() } });
  expect(await send(graph, textTo(TO))).toEqual({
    status: 200,
    body: {
      messaging_product: 'whatsapp',
      contacts: [{ input: TO, wa_id: TO }],
      messages: [{ id: graph.sent[0]?.wamid, message_status: 'accepted' }],
    },
  });
  expect(await send(graph, templateTo('12025550143'))).toMatchObject({ status: 200 });
  expect(graph.sent.map(({ to, template }) => [to, template?.name])).toEqual([
    [TO, undefined],
    ['12025550143', 'otp_code'],
  ]);
});

test('takes a text to a user id, and a number wins over it', async () => {
  const userId = 'US.13491208655302741918';
  const graph = await startGraph({ windows: 'open' });
  const { to: _none, ...toNobody } = textTo(TO, { recipient: userId });
  expect((await send(graph, toNobody)).body.contacts).toEqual([{ input: userId, user_id: userId }]);
  expect((await send(graph, textTo(TO, { recipient: userId }))).body.contacts).toEqual([{ input: TO, wa_id: TO }]);
});

describe('refuses a request', () => {
  const withTemplate = (template: object, more: object = {}) => templateTo(TO, template, more);

  test.each<[string, object, number]>([
    ['of another product', textTo(TO, { messaging_product: 'sms' }), 131009],
    ['without a recipient', { ...textTo(TO), to: undefined }, 100],
    ['to a number with a plus', textTo(`+${TO}`), 131009],
    ['to a user id of another form', textTo(TO, { recipient: 'us.1' }), 131009],
    ['to itself', textTo(GRAPH_NUMBER.displayNumber), 131021],
    ['of a group', textTo(TO, { recipient_type: 'group' }), 131009],
    ['with an unknown member', textTo(TO, { ttl: 60 }), 100],
    ['with an empty text', textTo(TO, { text: { body: '' } }), 131009],
    ['with a text of more than 4096 characters', textTo(TO, { text: { body: 'a'.repeat(4_097) } }), 131009],
    ['with more than 512 characters to give back', textTo(TO, { biz_opaque_callback_data: 'a'.repeat(513) }), 131009],
    ['without a language', withTemplate({ name: 'otp_code' }), 131008],
    ['by a template that is missing', withTemplate({ ...otp('1'), name: 'none' }), 132001],
    ['by a template that is missing in the language', withTemplate({ ...otp('1'), language: { code: 'de' } }), 132001],
    ['with too few parameters', withTemplate({ ...otp('1'), components: [] }), 132000],
    ['without its button', withTemplate({ ...otp('1'), components: otp('1').components.slice(0, 1) }), 131008],
    ['with two codes', withTemplate(otp('314159', '271828')), 131009],
    ['with a code that is too long', withTemplate(otp('1'.repeat(16))), 131009],
    ['with a line break in a parameter', withTemplate(otp('3\n1')), 132018],
  ])('%s', async (_what, body, code) => {
    const graph = await startGraph({ windows: 'open' });
    const { body: answered, status } = await send(graph, body);
    expect([answered.error?.code, status >= 400]).toEqual([code, true]);
    expect(graph.sent).toEqual([]);
  });

  test.each<[string, string, Record<string, string>, number, number]>([
    ['with another token', MESSAGES, { authorization: 'Bearer another' }, 401, 190],
    ['without a token', MESSAGES, { authorization: '' }, 401, 0],
    ['of another number', '/v26.0/1/messages', {}, 400, 100],
    ['of a version that has ended', MESSAGES.replace('26', '21'), {}, 400, 2635],
    ['without a version', MESSAGES.replace('/v26.0', ''), {}, 400, 2500],
    ['with a form', MESSAGES, { 'content-type': 'application/x-www-form-urlencoded' }, 400, 100],
    ['of a program without a version', MESSAGES, { 'user-agent': 'node' }, 400, 100],
  ])('%s', async (_what, path, headers, status, code) => {
    const graph = await startGraph({ windows: 'open' });
    const answered = await ask(graph, path, textTo(TO), headers);
    expect([answered.status, answered.body.error?.code]).toEqual([status, code]);
  });

  test('words an error as Meta does', async () => {
    const graph = await startGraph();
    const { body } = await send(graph, withTemplate({ ...otp('1'), name: 'none' }));
    expect(body).toEqual({
      error: {
        message: '(#132001) Template name does not exist in the translation',
        type: 'OAuthException',
        code: 132001,
        error_data: { messaging_product: 'whatsapp', details: 'template name (none) does not exist in en_US' },
        fbtrace_id: expect.stringMatching(/^A[\w-]{22}$/),
      },
    });
  });

  test('for a user id by an authentication template', async () => {
    const graph = await startGraph();
    const { to: _none, ...body } = templateTo(TO, otp('1'), { recipient: WITHOUT_PHONE });
    expect((await send(graph, body)).body.error?.code).toBe(131062);
  });

  test.each([
    ['PAUSED', 132015],
    ['DISABLED', 132016],
    ['PENDING', 132001],
    ['REJECTED', 132001],
  ] as const)('by a template that is %s', async (status, code) => {
    const graph = await startGraph({ templates: [{ ...OTP_TEMPLATE, status }] });
    expect((await send(graph, templateTo(TO))).body.error?.code).toBe(code);
  });
});

describe('a template with a header, names and buttons', () => {
  const welcome: GraphTemplate = {
    name: 'welcome',
    language: 'de',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Hello {{name}}, it costs {{price}}.' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Stop' },
          { type: 'URL', text: 'Look', url: 'https://shop.example/{{1}}' },
          { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+12025550100' },
        ],
      },
    ],
  };
  const header = (link: string) => ({ type: 'header', parameters: [{ type: 'image', image: { link } }] });
  const body = {
    type: 'body',
    parameters: [
      { type: 'text', text: 'Ann', parameter_name: 'name' },
      {
        type: 'currency',
        currency: { fallback_value: '€1', code: 'EUR', amount_1000: 1_000 },
        parameter_name: 'price',
      },
    ],
  };
  const button = { type: 'button', sub_type: 'url', index: 1, parameters: [{ type: 'text', text: 'shoes' }] };
  const good = [header('https://shop.example/a.png'), body, button];
  const value = { type: 'text', text: 'a' };

  test.each<[string, readonly object[], number | undefined]>([
    ['whole', good, undefined],
    ['with a picture over http', [header('http://shop.example/a.png'), body, button], 131009],
    ['with a text for a header', [{ type: 'header', parameters: [value] }, body, button], 132012],
    ['without a header', [body, button], 132000],
    ['without names', [good[0] ?? {}, { type: 'body', parameters: [value, value] }, button], 131009],
    ['with a button that is none', [...good, { ...button, index: 3 }], 131009],
    ['with another kind of button', [...good.slice(0, 2), { ...button, sub_type: 'quick_reply' }], 132012],
    ['without its button', good.slice(0, 2), 131008],
  ])('is sent %s', async (_what, components, code) => {
    const graph = await startGraph({ templates: [welcome] });
    const sent = await send(graph, templateTo(TO, { name: 'welcome', language: { code: 'de' }, components }));
    expect(sent.body.error?.code).toBe(code);
  });
});

describe('counts', () => {
  test('what goes out and comes in by a number, and takes no more than its rate', async () => {
    let now = 1_000_000;
    const rates = { number: fasterRates(1).number };
    const graph = await startGraph({
      rates: { number: { ...rates.number, count: 3 } },
      clock: () => now,
      windows: 'open',
    });
    listen(graph);
    await graph.write(USER, text('Hi'));
    const codes = async () => (await send(graph, textTo(TO))).body.error?.code;
    expect([await codes(), await codes(), await codes()]).toEqual([undefined, undefined, 130429]);
    now += 1_001;
    expect(await codes()).toBeUndefined();
  });

  test('messages to the same person, of whom there is one in six seconds', async () => {
    let now = 1_000_000;
    const graph = await startGraph({ rates: fasterRates(1), clock: () => now, windows: 'open' });
    const codes = async (to: string) => (await send(graph, textTo(to))).body.error?.code;
    expect([await codes(TO), await codes(TO), await codes('12025550143')]).toEqual([undefined, 131056, undefined]);
    now += 6_000;
    expect(await codes(TO)).toBeUndefined();
  });
});

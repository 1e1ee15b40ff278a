import { describe, expect, test } from 'vitest';
import { GRAPH_NUMBER, OTP_TEMPLATE } from '../../support/whatsapp/defaults.ts';
import { startGraph } from '../../support/whatsapp/graph.ts';
import { ask, listen, MESSAGES, otp, send, TO, templateTo, textTo, USER } from '../../support/whatsapp/graph-client.ts';
import { userIdOf } from '../../support/whatsapp/options.ts';
import { accountChange, callOf, hubSignature, messageChange, userIdChange } from '../../support/whatsapp/payloads.ts';
import {
  DELIVERED_AFTER_FAILED,
  DROPPED,
  EXPERIMENT,
  HELD_BACK,
  NOT_ON_WHATSAPP,
  OUT_OF_WINDOW,
  PAIR_LIMITED_ONCE,
  PAUSED_TEMPLATE,
  PRICE_CHANGES,
  READ_FIRST,
  recipientOf,
  SLOW,
  THROTTLED_ONCE,
  WITHOUT_PHONE,
} from '../../support/whatsapp/rehearsals.ts';
import * as said from '../../support/whatsapp/said.ts';

describe('reports', () => {
  test('the statuses of a message, with what it costs once or twice', async () => {
    const graph = await startGraph({ statuses: [{ status: 'sent' }, { status: 'delivered' }, { status: 'read' }] });
    const told = listen(graph);
    await send(graph, templateTo(TO, otp('1'), { biz_opaque_callback_data: 'att_1' }));
    await graph.idle();
    const status = {
      id: graph.sent[0]?.wamid,
      timestamp: expect.stringMatching(/^[0-9]{10}$/),
      recipient_id: TO,
      recipient_user_id: userIdOf(TO),
      biz_opaque_callback_data: 'att_1',
    };
    const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'authentication' };
    expect(told().map(({ statuses }) => statuses)).toEqual([
      [{ ...status, status: 'sent', pricing }],
      [{ ...status, status: 'delivered', pricing }],
      [{ ...status, status: 'read' }],
    ]);
    expect(told()[0]).toMatchObject({
      metadata: { phone_number_id: GRAPH_NUMBER.phoneNumberId, display_phone_number: GRAPH_NUMBER.displayNumber },
      contacts: [{ wa_id: TO, user_id: userIdOf(TO) }],
    });
    expect(graph.calls.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('no number of a person who shows none', async () => {
    const graph = await startGraph({ windows: 'open', statuses: [{ status: 'delivered' }] });
    const told = listen(graph);
    const { to: _none, ...body } = textTo(TO, { recipient: WITHOUT_PHONE });
    await send(graph, body);
    await graph.idle();
    expect(told()[0].statuses[0]).not.toHaveProperty('recipient_id');
    expect(told()[0].statuses[0]).toMatchObject({ recipient_user_id: WITHOUT_PHONE });
    expect(told()[0].contacts).toEqual([
      { profile: { name: 'A person', username: '@nobody' }, user_id: WITHOUT_PHONE },
    ]);
  });

  test('by hand', async () => {
    const graph = await startGraph();
    const told = listen(graph);
    await send(graph, templateTo(TO));
    const { wamid = '' } = graph.sent[0] ?? {};
    await graph.tell(wamid, { status: 'failed', code: 131049 });
    const [{ statuses }] = told();
    expect(statuses[0].errors).toMatchObject([{ code: 131049, title: expect.any(String), error_data: {} }]);
    expect(statuses[0]).not.toHaveProperty('recipient_user_id');
  });

  test.each([
    [true, 200, 131047],
    [false, 400, undefined],
  ])('a text outside of the window late (%s), or at once', async (isLate, status, late) => {
    const graph = await startGraph({ isLate, windows: { [TO]: Date.now() - 86_401_000 } });
    const told = listen(graph);
    expect(await send(graph, textTo(TO))).toMatchObject({ status });
    await graph.idle();
    expect(told()[0]?.statuses[0].errors[0].code).toBe(late);
    await graph.write(USER, said.text('Hi'));
    expect(await send(graph, textTo(TO))).toMatchObject({ status: 200 });
    await graph.idle();
    expect(graph.calls).toHaveLength(late === undefined ? 1 : 2);
  });

  test('a number that nobody has on WhatsApp', async () => {
    const graph = await startGraph({ users: [USER] });
    const told = listen(graph);
    await send(graph, templateTo(TO));
    await send(graph, templateTo('12025550143'));
    await graph.idle();
    expect(told().map(({ statuses: [{ recipient_id, errors }] }) => [recipient_id, errors[0].code])).toEqual([
      ['12025550143', 131026],
    ]);
  });
});

describe('rehearses', () => {
  const statusesOf = (told: ReturnType<ReturnType<typeof listen>>) =>
    told.map(({ statuses: [{ status, errors }] }) => (errors ? `${status} ${errors[0].code}` : status));

  test.each([
    ['NOT_ON_WHATSAPP', NOT_ON_WHATSAPP, ['failed 131026']],
    ['OUT_OF_WINDOW', OUT_OF_WINDOW, ['failed 131047']],
    ['HELD_BACK', HELD_BACK, ['failed 131049']],
    ['EXPERIMENT', EXPERIMENT, ['failed 130472']],
    ['READ_FIRST', READ_FIRST, ['sent', 'read', 'delivered']],
    ['DELIVERED_AFTER_FAILED', DELIVERED_AFTER_FAILED, ['sent', 'failed 131026', 'delivered']],
    ['PRICE_CHANGES', PRICE_CHANGES, ['sent', 'delivered']],
  ] as const)('%s', async (_name, to, statuses) => {
    const graph = await startGraph();
    const told = listen(graph);
    expect(await send(graph, templateTo(to))).toMatchObject({ status: 200 });
    await graph.idle();
    expect(statusesOf(told())).toEqual(statuses);
  });

  test.each([
    ['THROTTLED_ONCE', THROTTLED_ONCE, [130429, undefined]],
    ['PAIR_LIMITED_ONCE', PAIR_LIMITED_ONCE, [131056, undefined]],
    ['PAUSED_TEMPLATE', PAUSED_TEMPLATE, [132015, 132015]],
  ] as const)('%s', async (_name, to, codes) => {
    const graph = await startGraph();
    const code = async () => (await send(graph, templateTo(to))).body.error?.code;
    expect([await code(), await code()]).toEqual(codes);
  });

  test.each([131031, 999_999])('the code %i in the answer, and by a later status', async code => {
    const graph = await startGraph();
    const told = listen(graph);
    expect((await send(graph, templateTo(recipientOf(code)))).body.error?.code).toBe(code);
    await send(graph, templateTo(recipientOf(code, 'callback')));
    await graph.idle();
    expect(statusesOf(told())).toEqual([`failed ${code}`]);
  });

  test.each([
    ['SLOW', SLOW],
    ['DROPPED', DROPPED],
  ])('%s: the message is taken and told, and no answer comes', async (_name, to) => {
    const graph = await startGraph({ statuses: [{ status: 'sent' }] });
    const told = Promise.withResolvers<void>();
    graph.callTo(async () => {
      told.resolve();
      return { status: 200 };
    });
    const abort = new AbortController();
    const asked = fetch(`${graph.url}${MESSAGES}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${GRAPH_NUMBER.accessToken}`,
        'user-agent': 'Heliograph/1.0.0',
        'content-type': 'application/json',
      },
      body: JSON.stringify(templateTo(to)),
      signal: abort.signal,
    });
    await told.promise;
    abort.abort();
    await expect(asked).rejects.toThrow();
    expect(graph.sent).toHaveLength(1);
    expect(graph.requestsTo(to)).toHaveLength(1);
  });
});

describe('calls', () => {
  test('with the signature of the published vector', () => {
    expect(hubSignature('secret', 'test')).toBe(
      'sha256=0329a06b62cd16b33eb6792be8c60b158d89a2ee3a876fce9a881ebb488c0914',
    );
  });

  test('with what people say, and what they quote', async () => {
    const graph = await startGraph();
    const told = listen(graph);
    await graph.write(USER, said.text('Hi'), { quotes: 'wamid.1', id: 'wamid.2' });
    await graph.write({ ...USER, number: null }, said.image('Look'));
    const [first, second] = told();
    expect(first.contacts).toEqual([{ profile: { name: 'Ann', username: '@ann' }, wa_id: TO, user_id: USER.userId }]);
    expect(first.messages).toEqual([
      {
        from: TO,
        from_user_id: USER.userId,
        id: 'wamid.2',
        timestamp: expect.any(String),
        context: { from: GRAPH_NUMBER.displayNumber, id: 'wamid.1' },
        type: 'text',
        text: { body: 'Hi' },
      },
    ]);
    expect(second.messages[0]).not.toHaveProperty('from');
    expect(second.contacts[0]).not.toHaveProperty('wa_id');
  });

  test('with several accounts and numbers at once', async () => {
    const other = { ...GRAPH_NUMBER, phoneNumberId: '2', businessAccountId: '3' };
    const graph = await startGraph({ numbers: [GRAPH_NUMBER, other] });
    listen(graph);
    const written = { id: 'wamid.1', atMs: Date.now() };
    const changes = [
      messageChange(GRAPH_NUMBER, USER, said.text('Hi'), written),
      userIdChange(GRAPH_NUMBER, USER, 'US.2', written),
    ];
    const body = callOf(
      { id: GRAPH_NUMBER.businessAccountId, changes },
      { id: '3', changes: [messageChange(other, USER, said.unheardOf(), written), accountChange()] },
    );
    expect(await graph.post(body)).toBe(200);
    expect(graph.calls).toEqual([{ body: JSON.stringify(body), status: 200 }]);
  });
});

describe('shows', () => {
  const node = `/v26.0/${GRAPH_NUMBER.phoneNumberId}`;
  const edge = `/v26.0/${GRAPH_NUMBER.businessAccountId}/message_templates`;

  test('the number by its usual fields, or by those that are asked for', async () => {
    const graph = await startGraph();
    expect((await ask(graph, node)).body).toEqual({
      id: GRAPH_NUMBER.phoneNumberId,
      display_phone_number: '+15550000002',
      verified_name: 'Heliograph',
      quality_rating: 'GREEN',
      code_verification_status: 'VERIFIED',
    });
    const limit = 'whatsapp_business_manager_messaging_limit';
    expect((await ask(graph, `${node}?fields=${limit}`)).body).toEqual({
      id: GRAPH_NUMBER.phoneNumberId,
      [limit]: 'TIER_250',
    });
    expect((await ask(graph, `${node}?fields=colour`)).body.error?.code).toBe(100);
    expect((await ask(graph, node, undefined, { authorization: 'Bearer another' })).body.error?.code).toBe(190);
  });

  test('templates page by page, by their cursors', async () => {
    const templates = ['a', 'b', 'c'].map(name => ({ ...OTP_TEMPLATE, name }));
    const graph = await startGraph({ templates });
    const page = async (query: string) => (await ask(graph, `${edge}?fields=name&limit=2${query}`)).body;
    const first = await page('');
    expect(first).toMatchObject({ data: [{ name: 'a' }, { name: 'b' }], paging: { next: expect.any(String) } });
    const { after } = Object(first.paging).cursors;
    const second = await page(`&after=${after}`);
    expect(second).toMatchObject({ data: [{ name: 'c' }], paging: { cursors: {} } });
    expect(second.paging).not.toHaveProperty('next');
    expect(await page(`&after=${Object(second.paging).cursors.after}`)).toEqual({ data: [] });
    expect((await page('&after=x')).error?.code).toBe(100);
    expect((await ask(graph, edge.replace('102', '103'))).body.error?.code).toBe(100);
  });

  test('a new authentication template with the words of Meta, and tells how its review ends', async () => {
    const graph = await startGraph({ templates: [] });
    listen(graph);
    const asked = {
      name: 'code',
      language: 'de',
      category: 'AUTHENTICATION',
      message_send_ttl_seconds: 600,
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'FOOTER', code_expiration_minutes: 10 },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
      ],
    };
    expect((await ask(graph, edge, asked)).body).toMatchObject({ status: 'PENDING', category: 'AUTHENTICATION' });
    expect((await ask(graph, edge, asked)).body.error?.code).toBe(100);
    expect((await ask(graph, edge, { ...asked, name: 'Code' })).body.error?.code).toBe(131009);
    await graph.review('code', 'de', 'APPROVED');
    expect((await ask(graph, `${edge}?fields=name,status,components`)).body.data).toMatchObject([
      { name: 'code', status: 'APPROVED', components: [{ text: expect.stringContaining('{{1}}') }, {}, {}] },
    ]);
    expect(JSON.parse(graph.calls[0]?.body ?? '').entry[0].changes[0]).toMatchObject({
      field: 'message_template_status_update',
      value: { event: 'APPROVED', message_template_name: 'code', message_template_language: 'de', reason: 'NONE' },
    });
    const code = { ...otp('1'), name: 'code', language: { code: 'de' } };
    expect(await send(graph, templateTo(TO, code))).toMatchObject({ status: 200 });
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { updateConnection } from '../../../../src/modules/connections/manage-connections.ts';
import { takeTurnsIn } from '../../../../src/modules/connections/turns/take-turn.ts';
import { suppress } from '../../../../src/modules/suppressions/manage-suppressions.ts';
import { OPERATOR_TOKEN } from '../../../support/app.ts';
import { openHttpGateway } from '../../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { OPERATOR } from '../../../support/services.ts';
import { callIn, connectCarrier, connectCloud, graphConfig } from '../../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, HELLO_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { Graph } from '../../../support/whatsapp/graph.ts';
import { type GraphNumber, type GraphTemplate, META_RATES, userIdOf } from '../../../support/whatsapp/options.ts';
import { newWamid } from '../../../support/whatsapp/payloads.ts';
import { text } from '../../../support/whatsapp/said.ts';

const PARTS: GraphTemplate['components'] = [
  { type: 'BODY', text: 'Dear {{name}}, order {{order}} is on its way.' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'URL', text: 'Follow', url: 'https://example.org/orders/{{1}}' },
      { type: 'QUICK_REPLY', text: 'Stop' },
    ],
  },
];

const template = (name: string, header: GraphTemplate['components'][number]): GraphTemplate => ({
  ...{ name, language: 'en', category: 'UTILITY', status: 'APPROVED' },
  components: [header, ...PARTS],
});

const on = setUpApp();
const customer = setUpOwnCustomer(on);
const carrier = oncePerTest(openHttpGateway, gateway => gateway.close());
/** A number that no other test has, and so turns of its own. */
let number: GraphNumber;
let graph: Graph;
let connectionId: string;

beforeEach(async () => {
  number = { ...GRAPH_NUMBER, phoneNumberId: newRecipient() };
  const templates = [
    HELLO_TEMPLATE,
    template('with_image', { type: 'HEADER', format: 'IMAGE' }),
    template('with_video', { type: 'HEADER', format: 'VIDEO' }),
    template('with_document', { type: 'HEADER', format: 'DOCUMENT' }),
    template('with_title', { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }),
  ];
  graph = await new Graph({ numbers: [number], templates, rates: { pairMs: META_RATES.pairMs } }).open();
  const cloud = await connectCloud(on, customer.accountId, graph, { number });
  connectionId = cloud.connectionId;
  callIn(on, graph, cloud);
  return () => graph.close();
});

async function send(more: object) {
  const body = { to: `+${newRecipient()}`, text: 'Your order is on its way.', channels: ['chat_cloud'], ...more };
  return (await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body })).body.data;
}

const HELLO = { cloudTemplate: { name: 'hello', language: 'en' } };

test.each([
  ['an image by link', 'with_image', { type: 'image', image: { link: 'https://example.org/parcel.png' } }],
  ['a video by its id', 'with_video', { type: 'video', video: { id: '1013859600285441' } }],
  [
    'a document by link',
    'with_document',
    { type: 'document', document: { link: 'https://example.org/bill.pdf', filename: 'bill.pdf' } },
  ],
  ['a text', 'with_title', { type: 'text', text: '1042' }],
])(
  'a template with %s in its header, named parameters and buttons is sent as it is given',
  async (_what, name, header) => {
    const components = [
      { type: 'header', parameters: [header] },
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'name', text: 'Ann' },
          { type: 'text', parameter_name: 'order', text: '1042' },
        ],
      },
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: '1042' }] },
      { type: 'button', sub_type: 'quick_reply', index: 1, parameters: [{ type: 'payload', payload: 'stop-1042' }] },
    ];
    const sent = await send({ cloudTemplate: { name, language: 'en', components } });
    expect(sent).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
    expect(graph.sent.map(({ body }) => body)).toMatchObject([{ template: { name, components } }]);
  },
);

test('the version of the Graph API is v26.0, or what the connection names', async () => {
  await send(HELLO);
  const ctx = on.app.makeCtx(OPERATOR, 'test');
  await updateConnection(ctx, { connectionId, config: { ...graphConfig(graph, number), version: 'v25.0' } });
  await on.app.services.providers.refresh();
  await send(HELLO);
  expect(graph.sent.map(({ version }) => version)).toEqual([26, 25]);
});

describe('a person who writes', () => {
  test('takes a turn of the number, and none by a repeat', async () => {
    const nextAt = async () => {
      const rows = await on.sql<{ at: number }>(
        'select extract(epoch from next_at)::float8 as at from number_turns where number = $1',
        [`whatsapp-cloud ${number.phoneNumberId}`],
      );
      return rows.map(({ at }) => at);
    };
    const [id, from] = [newWamid(), newRecipient()];
    const user = { number: from, userId: userIdOf(from) };
    await graph.write(user, text('Hi'), { id });
    const [first] = await nextAt();
    expect(first).toBeDefined();
    await graph.write(user, text('Hi'), { id });
    expect(await nextAt()).toEqual([first]);
    await graph.write(user, text('Are you there?'));
    expect((await nextAt())[0]).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY);
  });
});

test('of three messages at once to one person two go by the number, six seconds apart, and one by SMS', async () => {
  await connectCarrier(on, customer.accountId, carrier);
  const more = { ...HELLO, to: `+${newRecipient()}`, channels: ['chat_cloud', 'sms'], sender: 'ACME' };
  const sent = await Promise.all([send(more), send(more), send(more)]);
  expect(sent.map(one => one?.channel).toSorted()).toEqual(['chat_cloud', 'chat_cloud', 'sms']);
  expect([graph.sent.length, carrier.messages.length]).toEqual([2, 1]);
  const [first, second] = graph.sent.map(({ atMs }) => atMs);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(META_RATES.pairMs);
});

test('a test of the connection goes by a template, to somebody who never wrote', async () => {
  const to = newRecipient();
  const { data, errors } = await on.graphql<{ testConnection: object }>(
    `mutation ($id: String!, $to: String!, $cloudTemplate: String) {
      testConnection(connectionId: $id, to: $to, cloudTemplate: $cloudTemplate) { outcome } }`,
    { token: OPERATOR_TOKEN, variables: { id: connectionId, to: `+${to}`, cloudTemplate: 'hello:en' } },
  );
  expect([data, errors]).toEqual([{ testConnection: { outcome: 'ACCEPTED' } }, null]);
  expect(graph.sent.map(one => [one.to, one.template?.name])).toEqual([[to, 'hello']]);
});

test('the price that Meta tells stands in the story of a message', async () => {
  const sent = await send(HELLO);
  await graph.tell(graph.sent[0]?.wamid ?? '', {
    status: 'delivered',
    pricing: { billable: false, category: 'utility' },
  });
  const { data } = await on.graphql<{ message: { timeline: { reason: string }[] } }>(
    'query ($id: String!) { message(id: $id) { timeline { reason } } }',
    { token: customer.tokens.management, variables: { id: sent?.messageId } },
  );
  expect(data?.message.timeline.at(-1)?.reason).toMatch(/ Its price there: utility, regular, not billed\.$/);
});

test('a template that waits for a turn is not sent to a person who stops meanwhile', async () => {
  const turns = `whatsapp-cloud ${number.phoneNumberId}`;
  // Three turns of more than a second, and less than four together.
  for (let turn = 0; turn < 3; turn++) await takeTurnsIn(on.app.services.database, turns, 1, 1);
  const to = `+${newRecipient()}`;
  const sent = send({ ...HELLO, to });
  await expect
    .poll(() => on.sql('select 1 from number_turns where number = $1 and taken_ms < 1000', [turns]))
    .toHaveLength(1);
  await suppress(on.app.makeCtx(customer.actor('unified'), 'test'), { to });
  expect(await sent).toMatchObject({ attempts: [{ errorCode: 'recipient_suppressed', credits: 0 }] });
  expect(graph.sent).toEqual([]);
});

import { beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { callIn, connectCloud } from '../../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, HELLO_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { type Graph, startGraph } from '../../../support/whatsapp/graph.ts';
import { messageChange, newWamid, templateChange } from '../../../support/whatsapp/payloads.ts';
import { text } from '../../../support/whatsapp/said.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);
let graph: Graph;

beforeEach(async () => {
  graph = await startGraph({ templates: [HELLO_TEMPLATE] });
  callIn(on, graph, await connectCloud(on, customer.accountId, graph));
});

const UNSTORABLE = [
  ['a NUL', 'a\u0000b'],
  ['half of a character', 'a\ud800b'],
] as const;

test.each(UNSTORABLE)('a status whose price holds %s counts without it', async (_what, bad) => {
  const body = { to: `+${newRecipient()}`, text: 'Hello', channels: ['chat_cloud'] };
  const cloudTemplate = { name: 'hello', language: 'en' };
  await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body: { ...body, cloudTemplate } });
  const wamid = graph.sent[0]?.wamid ?? '';
  expect(await graph.tell(wamid, { status: 'sent', pricing: { [bad]: 1 } })).toBe(200);
  expect(await graph.tell(wamid, { status: 'delivered', pricing: { category: bad } })).toBe(200);
  const rows = await on.sql('select status, pricing from attempts where account_id = $1', [toUuid(customer.accountId)]);
  expect(rows).toEqual([{ status: 'delivered', pricing: null }]);
});

test.each(UNSTORABLE)(
  'news of a template that hold %s are passed over, and the rest of the call is taken',
  async (_what, bad) => {
    const { value, ...change } = templateChange({ ...HELLO_TEMPLATE, id: '1' });
    const bads = ['message_template_name', 'message_template_language', 'reason'].map(member => ({
      ...change,
      value: { ...value, [member]: bad },
    }));
    const number = newRecipient();
    const written = messageChange(GRAPH_NUMBER, { number, userId: `US.${number}` }, text('Hi'), {
      id: newWamid(),
      atMs: Date.now(),
    });
    expect(await graph.call(GRAPH_NUMBER, ...bads, written)).toBe(200);
    const rows = await on.sql('select text from inbound_messages where from_number = $1', [number]);
    expect(rows).toEqual([{ text: 'Hi' }]);
  },
);

test.each(UNSTORABLE)('a message whose ids and names hold %s is answered 200', async (_what, bad) => {
  const user = { number: newRecipient(), userId: bad, username: bad, name: bad };
  const written = { id: `wamid.${bad}`, atMs: Date.now(), quotes: bad };
  expect(await graph.call(GRAPH_NUMBER, messageChange(GRAPH_NUMBER, user, text(bad), written))).toBe(200);
});

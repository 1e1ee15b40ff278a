import { beforeEach, expect, test } from 'vitest';
import { setOtpTemplate } from '../../../../src/modules/accounts/manage-senders.ts';
import { OTP } from '../../../../src/modules/otp/send/otp-kind.ts';
import { followSends } from '../../../../src/modules/routing/follow-ups/follow-sends.ts';
import { openHttpGateway } from '../../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { OPERATOR } from '../../../support/services.ts';
import { callIn, connectCarrier, connectCloud } from '../../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, OTP_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { Graph } from '../../../support/whatsapp/graph.ts';
import { recipientOf } from '../../../support/whatsapp/rehearsals.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);
const carrier = oncePerTest(openHttpGateway, gateway => gateway.close());
let graph: Graph;

beforeEach(async () => {
  graph = await new Graph({ templates: [OTP_TEMPLATE] }).open();
  callIn(on, graph, await connectCloud(on, customer.accountId, graph));
  await connectCarrier(on, customer.accountId, carrier);
  const { name, language } = OTP_TEMPLATE;
  const { accountId } = customer;
  const address = GRAPH_NUMBER.displayNumber;
  await setOtpTemplate(on.app.makeCtx(OPERATOR, 'test'), { accountId, address, name, language });
  return () => graph.close();
});

const ask = async (path: string, body: object) =>
  (await on.rest('POST', `/api/omni/otp/${path}`, { token: customer.tokens.unified, body })).body;

const send = (to: string, more: object = {}) =>
  ask('send', { to: `+${to}`, channels: ['chat_cloud', 'sms'], sender: 'ACME', ...more });

const verify = async (pinId: unknown, pin: string) =>
  (await ask('verify', { pinId, pin, clientIp: '192.0.2.1' })).success;

/** The code that Meta was asked to send. */
function codeOf(sent = graph.sent[0]): string {
  const template = sent?.body.type === 'template' ? sent.body.template : undefined;
  const [parameter] = template?.components?.[0]?.parameters ?? [];
  return parameter?.type === 'text' ? parameter.text : '';
}

test('a code goes by the authentication template of the number, in its body and its button', async () => {
  const { data } = await send(newRecipient());
  expect(data).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
  expect(graph.sent.map(({ template }) => template?.name)).toEqual([OTP_TEMPLATE.name]);
  expect(carrier.messages).toEqual([]);
  expect(await verify(data?.pinId, codeOf())).toBe(true);
});

test('a code to who is not on WhatsApp goes by SMS, and is right', async () => {
  const to = recipientOf(131026);
  const { data } = await send(to);
  expect(data).toMatchObject({ status: 'sent', channel: 'sms' });
  expect([graph.requestsTo(to).length, graph.sent.length, carrier.messages.length]).toEqual([1, 0, 1]);
  expect(await verify(data?.pinId, /[0-9]{6}/.exec(carrier.messages[0]?.text ?? '')?.[0] ?? '')).toBe(true);
});

test('a code that Meta says later it could not deliver goes by SMS, the same one', async () => {
  const { data } = await send(newRecipient(), { fallbackAfter: 60 });
  await graph.tell(graph.sent[0]?.wamid ?? '', { status: 'failed', code: 131026 });
  expect(await followSends(on.app.makeCtx(OPERATOR, 'test'), OTP)).toBe(1);
  expect(carrier.messages.map(({ text }) => text.includes(codeOf()))).toEqual([true]);
  expect(await verify(data?.pinId, codeOf())).toBe(true);
});

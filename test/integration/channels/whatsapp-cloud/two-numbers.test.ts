import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { setTemplateRequired } from '../../../../src/modules/accounts/manage-senders.ts';
import { updateConnection } from '../../../../src/modules/connections/manage-connections.ts';
import { readQuotas } from '../../../../src/modules/connections/quotas/read-quotas.ts';
import { openHttpGateway } from '../../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { OPERATOR } from '../../../support/services.ts';
import { callIn, connectCarrier, connectCloud, graphConfig } from '../../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, HELLO_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { type Graph, startGraph } from '../../../support/whatsapp/graph.ts';
import { type GraphNumber, type GraphUser, userIdOf } from '../../../support/whatsapp/options.ts';
import { WITHOUT_PHONE } from '../../../support/whatsapp/rehearsals.ts';
import * as said from '../../../support/whatsapp/said.ts';

/** The number whose connection goes first by its priority. */
const FIRST = { ...GRAPH_NUMBER, phoneNumberId: '106540352242931', displayNumber: '15550000031' };
const SECOND_NUMBER = '15550000032';

const on = setUpApp();
const customer = setUpOwnCustomer(on, {
  senders: [
    { channel: 'chat_cloud', address: FIRST.displayNumber, templateRequired: false },
    { channel: 'chat_cloud', address: SECOND_NUMBER, isDefault: true, templateRequired: false },
    { channel: 'sms', address: 'ACME', isDefault: true },
  ],
});
const carrier = oncePerTest(openHttpGateway, gateway => gateway.close());
/** The default number of the account, which no other test connects. */
let second: GraphNumber;
let graph: Graph;

beforeEach(async () => {
  second = { ...GRAPH_NUMBER, phoneNumberId: newRecipient(), displayNumber: SECOND_NUMBER };
  graph = await startGraph({ numbers: [FIRST, second], templates: [HELLO_TEMPLATE] });
  callIn(on, graph, await connectCloud(on, customer.accountId, graph, { number: FIRST, priority: 1 }));
});

/** Connects the default number; a former token of it is refused by Meta. */
const connectSecond = (accessToken = GRAPH_NUMBER.accessToken) =>
  connectCloud(on, customer.accountId, graph, { number: { ...second, accessToken } });
const FORMER_TOKEN = 'EAAG-a-former-token-of-the-graph-12c0';

const person = (): GraphUser & { readonly number: string } => {
  const number = newRecipient();
  return { number, userId: userIdOf(number) };
};

const TEMPLATE = { cloudTemplate: { name: 'hello', language: 'en' } };

async function send(more: object) {
  const body = { text: 'Hello', ...more };
  return (await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body })).body;
}

const sendFree = (to: string, more: object = {}) => send({ to: `+${to}`, channels: ['chat_cloud'], ...more });

/** Answers what came in last. */
async function answer() {
  const { data } = await on.graphql<{ inboundMessages: { nodes: { messageId: string }[] } }>(
    '{ inboundMessages { nodes { messageId } } }',
    { token: customer.tokens.unified },
  );
  return send({ replyTo: data?.inboundMessages.nodes[0]?.messageId });
}

const senders = () => graph.sent.map(({ number }) => number.phoneNumberId);

describe('an account with two cloud numbers', () => {
  test.each([
    ['number', person],
    ['user id alone', () => ({ number: null, userId: WITHOUT_PHONE })],
  ])('answers a person known by %s from the number that was written to', async (_what, writer) => {
    await connectSecond();
    await graph.write(writer(), said.text('When do you open?'), { to: second });
    expect(await answer()).toMatchObject({ data: { status: 'sent' } });
    expect(senders()).toEqual([second.phoneNumberId]);
  });

  test.each([
    ['takes free text though the default one does not', false, { data: { status: 'sent' } }],
    ['asks for a template though the default one does not', true, { errors: [{ field: 'cloudTemplate' }] }],
  ])('answers by the rule of the number that was written to, which %s', async (_what, isRequired, answered) => {
    const { accountId } = customer;
    const ctx = on.app.makeCtx(OPERATOR, 'test');
    await setTemplateRequired(ctx, { accountId, address: FIRST.displayNumber, isRequired });
    await setTemplateRequired(ctx, { accountId, address: SECOND_NUMBER, isRequired: !isRequired });
    await graph.write(person(), said.text('When do you open?'));
    expect(await answer()).toMatchObject(answered);
    expect(senders()).toEqual(isRequired ? [] : [FIRST.phoneNumberId]);
  });

  test('sends free text from the number whose window is open', async () => {
    await connectSecond();
    const { number, userId } = person();
    await graph.write({ number, userId }, said.text('Hi'), { to: second });
    expect(await sendFree(number)).toMatchObject({ data: { status: 'sent' } });
    expect(senders()).toEqual([second.phoneNumberId]);
  });

  test('sends no free text from the other number where the one of the window cannot: the next channel follows', async () => {
    await connectSecond(FORMER_TOKEN);
    await graph.write(person(), said.text('Hi'));
    await connectCarrier(on, customer.accountId, carrier);
    const { number, userId } = person();
    await graph.write({ number, userId }, said.text('Hi'), { to: second });
    const more = { channels: ['chat_cloud', 'sms'], sender: 'ACME' };
    expect(await sendFree(number, more)).toMatchObject({ data: { status: 'sent', channel: 'sms' } });
    expect(senders()).toEqual([]);
  });

  test('says in the dry run that the other number is not asked for free text', async () => {
    await connectSecond();
    await graph.write(person(), said.text('Hi'));
    const { number, userId } = person();
    await graph.write({ number, userId }, said.text('Hi'), { to: second });
    const { data } = await on.graphql(
      `query ($input: SendMessageInput!) { previewSend(input: $input) { legs { connections { verdict } } } }`,
      {
        token: customer.tokens.unified,
        variables: { input: { to: `+${number}`, text: 'Hello', channels: ['CHAT_CLOUD'] } },
      },
    );
    expect(data).toEqual({ previewSend: { legs: [{ connections: [{ verdict: 'FIRST' }, { verdict: 'NUMBER' }] }] } });
  });

  test('sends a template from its default number once Meta has told it', async () => {
    await connectSecond();
    await readQuotas(on.app.makeCtx(OPERATOR, 'test'));
    expect(await sendFree(newRecipient(), TEMPLATE)).toMatchObject({ data: { status: 'sent' } });
    expect(senders()).toEqual([second.phoneNumberId]);
  });

  test('sends a template from the other number where the default one cannot', async () => {
    await connectSecond(FORMER_TOKEN);
    await graph.write(person(), said.text('Hi'), { to: second });
    const { data } = await sendFree(newRecipient(), TEMPLATE);
    expect(data).toMatchObject({ status: 'sent', attempts: [{ status: 'failed' }, { status: 'sent' }] });
    expect(senders()).toEqual([FIRST.phoneNumberId]);
  });

  test('stores no number where Meta shows none', async () => {
    second = { ...second, fields: { display_phone_number: '' } };
    graph = await startGraph({ numbers: [FIRST, second], templates: [HELLO_TEMPLATE] });
    const { connectionId } = await connectSecond();
    await readQuotas(on.app.makeCtx(OPERATOR, 'test'));
    const [row] = await on.sql('select number from connections where id = $1', [toUuid(connectionId)]);
    expect(row).toEqual({ number: null });
  });

  test('forgets the number of a connection whose config names another one', async () => {
    const { connectionId } = await connectSecond();
    await readQuotas(on.app.makeCtx(OPERATOR, 'test'));
    const number = async () => {
      const [row] = await on.sql<{ number: string | null }>('select number from connections where id = $1', [
        toUuid(connectionId),
      ]);
      return row?.number;
    };
    expect(await number()).toBe(SECOND_NUMBER);
    const config = graphConfig(graph, FIRST);
    await updateConnection(on.app.makeCtx(OPERATOR, 'test'), { connectionId, config });
    expect(await number()).toBeNull();
  });
});

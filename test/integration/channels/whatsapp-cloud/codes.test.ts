import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { WHATSAPP_ERRORS } from '../../../../src/kernel/providers/whatsapp-errors.ts';
import { MESSAGE } from '../../../../src/modules/messaging/message-kind.ts';
import { followSends } from '../../../../src/modules/routing/follow-ups/follow-sends.ts';
import { openHttpGateway } from '../../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { OPERATOR } from '../../../support/services.ts';
import { callIn, connectCarrier, connectCloud } from '../../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, HELLO_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { Graph } from '../../../support/whatsapp/graph.ts';
import { PAIR_LIMITED_ONCE, recipientOf, THROTTLED_ONCE } from '../../../support/whatsapp/rehearsals.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);
let graph: Graph;
const carrier = oncePerTest(openHttpGateway, gateway => gateway.close());

beforeEach(async () => {
  graph = await new Graph({ templates: [HELLO_TEMPLATE] }).open();
  callIn(on, graph, await connectCloud(on, customer.accountId, graph));
  await connectCarrier(on, customer.accountId, carrier);
  return () => graph.close();
});

const send = async (to: string, more: object = {}) => {
  const { body } = await on.rest('POST', '/api/omni/send', {
    token: customer.tokens.unified,
    body: {
      to: `+${to}`,
      text: 'Your order is on its way.',
      channels: ['chat_cloud', 'sms'],
      sender: 'ACME',
      cloudTemplate: { name: 'hello', language: 'en' },
      ...more,
    },
  });
  return body.data;
};

/** The attempts of the customer, with their codes, and its money. */
async function outcome() {
  const account = toUuid(customer.accountId);
  const attempts = await on.sql<{ attempt: string }>(
    `select concat_ws(' ', channel, status, error_code) as attempt from attempts where account_id = $1 order by channel`,
    [account],
  );
  const [money] = await on.sql<{ credits: number; held: number; charges: number }>(
    `select credits, held, (select count(*)::int from ledger l where l.account_id = a.id and kind = 'capture') as charges
     from accounts a where id = $1`,
    [account],
  );
  return { attempts: attempts.map(({ attempt }) => attempt), money };
}

const ONE_SMS = { credits: 999_999, held: 0, charges: 1 };
const NO_SMS = { credits: 1_000_000, held: 0, charges: 0 };

const CODES = [...WHATSAPP_ERRORS.keys(), 999_999];
const PACED = CODES.filter(code => WHATSAPP_ERRORS.get(code)?.fault === 'pace');
const FINAL = CODES.filter(code => !PACED.includes(code));

describe.each(FINAL)('the error %i', code => {
  test('in the answer is followed by SMS: one request, one charge', async () => {
    const to = recipientOf(code);
    expect(await send(to)).toMatchObject({ status: 'sent', channel: 'sms' });
    expect(await outcome()).toEqual({
      attempts: [`chat_cloud failed whatsapp_${code}`, 'sms sent'],
      money: ONE_SMS,
    });
    expect([graph.requestsTo(to).length, carrier.messages.length]).toEqual([1, 1]);
  });
});

test.each(CODES)('the error %i by a status is followed by SMS at once: one request, one charge', async code => {
  const to = newRecipient();
  expect(await send(to, { fallbackAfter: 3_600 })).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
  expect(await graph.tell(graph.sent[0]?.wamid ?? '', { status: 'failed', code })).toBe(200);
  expect(await followSends(on.app.makeCtx(OPERATOR, 'test'), MESSAGE)).toBe(1);
  expect(await outcome()).toEqual({ attempts: [`chat_cloud failed whatsapp_${code}`, 'sms sent'], money: ONE_SMS });
  expect([graph.requestsTo(to).length, carrier.messages.length]).toEqual([1, 1]);
});

test('a phone number id that Meta does not know is the fault of its connection: the next one sends', async () => {
  const number = { ...GRAPH_NUMBER, phoneNumberId: newRecipient() };
  await connectCloud(on, customer.accountId, graph, { number, priority: 1 });
  expect(await send(newRecipient())).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
  expect((await outcome()).attempts.toSorted()).toEqual(['chat_cloud failed whatsapp_33', 'chat_cloud sent']);
});

test.each([
  ['of a number', THROTTLED_ONCE],
  ['between two numbers', PAIR_LIMITED_ONCE],
])('a rate %s that is over for a moment is waited for, and nothing is charged', async (_what, to) => {
  expect(await send(to)).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
  expect(await outcome()).toEqual({ attempts: ['chat_cloud sent'], money: NO_SMS });
  expect([graph.requestsTo(to).length, graph.sent.length, carrier.messages.length]).toEqual([2, 1, 0]);
});

test.each(PACED)('the rate limit %i that stays is followed by SMS: nothing was taken, one charge', async code => {
  const to = recipientOf(code);
  expect(await send(to)).toMatchObject({ status: 'sent', channel: 'sms' });
  expect(await outcome()).toEqual({ attempts: [`chat_cloud failed whatsapp_${code}`, 'sms sent'], money: ONE_SMS });
  expect([graph.requestsTo(to).length <= 3, graph.sent.length, carrier.messages.length]).toEqual([true, 0, 1]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { Customer } from '../../support/app.ts';
import { setUpApp } from '../../support/fixtures.ts';
import {
  change,
  expectSame,
  type Heard,
  hasRoute,
  heardByGraphql,
  heardByRest,
  isOptionalText,
  isText,
  WRONG,
} from '../../support/graphql/both-transports.ts';
import { TEMPLATE, toGraphqlInput } from '../../support/messaging/send-cases.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const RUNS = rounds({ usual: 100, long: 400 });

const on = setUpApp();

// GraphQL takes one item for a list of it, by its own rule (spec, 3.11 List): REST does not.
const WRONG_LIST = WRONG.filter(value => JSON.stringify(value) !== '{}');

/** The number of somebody who wants no more. */
const SUPPRESSED = '+12025550199';

// Of the magic recipients those that answer at once.
const RECIPIENTS = [
  ...['+12025550100', '12025550101', '+1 202-555-0102', '12025550103', '+12025550104', '12025550106'],
  SUPPRESSED,
];

/** Stands for the message that came to the account of the caller. */
const RECEIVED = 'the message that came';

/** Bodies that are taken. */
const valid = fc.record(
  {
    to: fc.constantFrom(...RECIPIENTS),
    text: fc.constantFrom('Hello', 'ш', 'a'.repeat(1_530)),
    channels: fc.uniqueArray(fc.constantFrom('chat_qr', 'chat_cloud', 'sms'), { minLength: 1, maxLength: 3 }),
    deliveryMode: fc.constantFrom('fallback', 'all'),
    fallbackAfter: fc.constantFrom(15, 3_600),
    successStatus: fc.constantFrom('delivered', 'read'),
    chatFrom: fc.constant('15550000001'),
    sender: fc.constant('ACME'),
    cloudTemplate: fc.constant(TEMPLATE),
    reference: fc.constantFrom('one', 'two', 'three'),
  },
  { requiredKeys: ['to', 'text', 'chatFrom', 'sender', 'cloudTemplate'] },
);

/** Bodies that answer what came, and are taken. */
const answering = fc.record(
  {
    replyTo: fc.constant(RECEIVED),
    text: fc.constantFrom('Hello', 'ш'),
    channels: fc.constant(['sms']),
    sender: fc.constant('ACME'),
    reference: fc.constantFrom('one', 'five'),
  },
  { requiredKeys: ['replyTo', 'text'] },
);

/** One field that is otherwise: of another type, at an edge, hostile, or not there. */
const changes = fc.oneof(
  change('to', fc.string({ unit: 'binary' })),
  change('replyTo', fc.constantFrom(RECEIVED, 'msg_01a2018409737a2c8b4f1c0f7a5d2e11')),
  change(
    'text',
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a'.repeat(1_531), 'ш'.repeat(671), '😀'.repeat(1_600), '😀'.repeat(1_601)),
    ),
  ),
  change('channels', fc.array(fc.constantFrom('chat_qr', 'sms', 'fax'), { maxLength: 4 })),
  change('deliveryMode', fc.constant('both')),
  change('fallbackAfter', fc.constantFrom(14, 3_601, '15')),
  change('successStatus', fc.constantFrom('sent', 'DELIVERED ')),
  change('chatFrom', fc.constantFrom('+1 555 000 0001', '15550000009')),
  change('sender', fc.constantFrom('acme', 'WAITING')),
  change(
    'cloudTemplate',
    fc.record(
      {
        name: fc.oneof(fc.constant('hello'), WRONG),
        language: fc.oneof(fc.constant('en'), WRONG),
        components: fc.oneof(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), WRONG_LIST),
      },
      { requiredKeys: [] },
    ),
  ),
  change('reference', fc.constantFrom('a b', 'r'.repeat(256), 'four')),
  change('Sender', fc.constant('ACME')),
);

const sends = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: answering }),
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 3, arbitrary: fc.array(changes, { maxLength: 2 }) }),
  )
  .map(([body, faults]): Record<string, unknown> => Object.assign({}, body, ...faults));

const calls = fc
  .record({
    body: sends,
    area: fc.constantFrom('unified' as const, 'unified' as const, 'sms' as const),
    header: fc.option(fc.constantFrom('one', '"two"', 'a b', ''), { freq: 8 }),
  })
  .map(call => (call.area === 'sms' ? { ...call, body: toSms(call.body) } : call));

/** The form of a send for the path of direct SMS, as documented: no fields of the other channels, and always a sender. */
function toSms(given: Record<string, unknown>): Record<string, unknown> {
  const { deliveryMode: _mode, fallbackAfter: _after, successStatus: _status, ...others } = given;
  const { chatFrom: _chat, cloudTemplate: _cloud, replyTo: _answered, ...body } = others;
  return { ...body, ...(body.sender == null && { sender: 'ACME' }) };
}

/** A call of one customer, to whom a message came. */
function callOf(call: Call, receivedId: string): Call {
  return call.body.replyTo === RECEIVED ? { ...call, body: { ...call.body, replyTo: receivedId } } : call;
}

type Call = typeof calls extends fc.Arbitrary<infer Value> ? Value : never;

async function byRest({ body, area, header }: Call, customer: Customer): Promise<Heard> {
  const path = area === 'sms' ? '/api/sms/send' : '/api/omni/send';
  const answer = await on.rest('POST', path, {
    token: customer.tokens[area],
    body,
    headers: header === null ? {} : { 'idempotency-key': header },
  });
  return heardByRest(answer);
}

const SEND = /* GraphQL */ `
  mutation ($input: SendMessageInput!) {
    sendMessage(input: $input) {
      messageId reference recipient status deliveryMode channel segments
      attempts { attemptId channel provider status errorCode errorMessage segments credits startedAt finishedAt }
      createdAt
    }
  }
`;

async function byGraphql({ body, area, header }: Call, customer: Customer): Promise<Heard> {
  const answer = await on.graphql<{ sendMessage: object }>(SEND, {
    token: customer.tokens[area],
    variables: { input: toGraphqlInput(body) },
    headers: header === null ? {} : { 'idempotency-key': header },
  });
  return heardByGraphql(answer);
}

const SETUP = /* GraphQL */ `
  mutation ($suppressed: String!) {
    suppress(input: { to: $suppressed }) { to }
    sandboxReply(input: { phone: "+12025550142", to: "ACME", text: "When do you come?" }) { messageId }
  }
`;

/** Lets somebody write to a customer, and puts somebody onto the list. Answers the id of the message. */
async function prepare(customer: Customer): Promise<string> {
  const { data } = await on.graphql<{ sandboxReply: { messageId: string } }>(SETUP, {
    token: customer.tokens.unified,
    variables: { suppressed: SUPPRESSED },
  });
  return data?.sandboxReply.messageId ?? '';
}

/** Everything that is stored of an account, but for ids and times. @param hasAnswers a fingerprint has the id of what is answered, and is left out */
async function storedRows(customer: Customer, hasAnswers: boolean): Promise<unknown> {
  const [row] = await on.sql<{ rows: unknown }>(
    `select json_build_object(
       'messages', (select json_agg(json_build_array(area, recipient, text, channels, delivery_mode, chat_from, sender,
           cloud_template, fallback_after, success_status, reference, status, channel, segments, lease_until is null) order by id)
         from messages where account_id = $1),
       'attempts', (select json_agg(json_build_array(area, type, channel, provider, recipient, sender, reference, status,
           error_code, segments, credits, finished_at is null) order by message_id, channel)
         from attempts where account_id = $1),
       'waits', (select json_agg(json_build_array(wanted, is_taken) order by send_id) from follow_ups where account_id = $1),
       'keys', (select json_agg(json_build_array(area, reference, case when not $2 then fingerprint end, answer is null) order by area, reference)
         from idempotency_keys where account_id = $1)) as rows`,
    [toUuid(customer.accountId), hasAnswers],
  );
  return row?.rows;
}

test('REST and GraphQL do the same with the same input', { timeout: 60_000 + RUNS * 1_000 }, async () => {
  let sent = 0;
  let refused = 0;
  let answered = 0;
  const codes = new Set<string>();
  await assertProperty(
    fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 4 }), async story => {
      const senders = [
        { channel: 'sms' as const, address: 'ACME' },
        { channel: 'sms' as const, address: 'WAITING', approved: false },
        { channel: 'chat_qr' as const, address: '15550000001' },
        { channel: 'chat_cloud' as const, address: '15550000002' },
      ];
      const [one, two] = [await on.customer({ senders }), await on.customer({ senders })];
      const [toOne, toTwo] = [await prepare(one), await prepare(two)];
      for (const call of story) {
        const [rest, graphql] = [await byRest(callOf(call, toOne), one), await byGraphql(callOf(call, toTwo), two)];
        if (rest.code !== null) codes.add(rest.code);
        if (call.body.replyTo === RECEIVED && rest.result !== null) answered += 1;
        if (expectSame(rest, graphql, needsTypes(call.body))) refused += 1;
        if (rest.result !== null) sent += 1;
      }
      const hasAnswers = story.some(({ body }) => body.replyTo === RECEIVED);
      expect(await storedRows(two, hasAnswers)).toEqual(await storedRows(one, hasAnswers));
    }),
    { numRuns: RUNS },
  );
  // A property over inputs that are all refused would prove little.
  expect(sent).toBeGreaterThan(RUNS / 8);
  expect(refused).toBeGreaterThan(RUNS / 8);
  expect(answered).toBeGreaterThan(0);
  expect([...codes]).toContain('recipient_suppressed');
});

/** Whether GraphQL's types already refuse the body, before the schema that both transports share sees it. */
function needsTypes(body: Readonly<Record<string, unknown>>): boolean {
  const { to, replyTo, text, fallbackAfter, chatFrom, sender, cloudTemplate, reference } = body;
  const template = cloudTemplate as { name?: unknown; language?: unknown; components?: unknown } | null | undefined;
  const isTemplate =
    template == null ||
    (typeof template === 'object' &&
      isText(template.name) &&
      isText(template.language) &&
      (template.components == null ||
        (Array.isArray(template.components) &&
          template.components.every(part => typeof part === 'object' && part !== null && !Array.isArray(part)))));
  return !(
    isOptionalText(to) &&
    isOptionalText(replyTo) &&
    isText(text) &&
    hasRoute(body) &&
    (fallbackAfter == null || Number.isInteger(fallbackAfter)) &&
    [chatFrom, sender, reference].every(isOptionalText) &&
    isTemplate &&
    body.Sender === undefined
  );
}

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

const RUNS = rounds({ usual: 50, long: 400 });

const on = setUpApp();

type Body = Readonly<Record<string, unknown>>;

/** The number of somebody who wants no more; and who gets a passcode once a minute. */
const SUPPRESSED = '+12025550199';

/** Bodies that are taken. */
const valid = fc.record(
  {
    to: fc.constantFrom('+12025550100', '12025550101', '+12025550104', '12025550106', SUPPRESSED),
    channels: fc.uniqueArray(fc.constantFrom('chat_qr', 'chat_cloud', 'sms'), { minLength: 1, maxLength: 3 }),
    deliveryMode: fc.constantFrom('fallback', 'all'),
    fallbackAfter: fc.constantFrom(15, 3_600),
    successStatus: fc.constantFrom('delivered', 'read'),
    chatFrom: fc.constant('15550000001'),
    sender: fc.constant('ACME'),
    cloudTemplate: fc.constant(TEMPLATE),
    length: fc.constantFrom(4, 10),
    expiresIn: fc.constantFrom(60, 3_600),
    template: fc.constantFrom('{{code}}', 'ш {{code}} {{minutes}}'),
  },
  { requiredKeys: ['to', 'chatFrom', 'sender', 'cloudTemplate'] },
);

/** One field that is otherwise: of another type, at an edge, hostile, or not there. */
const changes = fc.oneof(
  change('to', fc.string({ unit: 'binary' })),
  change('channels', fc.array(fc.constantFrom('chat_qr', 'sms', 'fax'), { maxLength: 4 })),
  change('deliveryMode', fc.constant('both')),
  change('fallbackAfter', fc.constantFrom(14, 15, 3_601, '15', -30)),
  change('successStatus', fc.constantFrom('sent', 'read', 'DELIVERED ')),
  change('chatFrom', fc.constant('15550000009')),
  change('sender', fc.constantFrom('acme', 'WAITING')),
  change('cloudTemplate', fc.record({ name: fc.oneof(fc.constant('hello'), WRONG), language: fc.constant('en') })),
  change('length', fc.constantFrom(3, 11, '6')),
  change('expiresIn', fc.constantFrom(59, 3_601, '60')),
  change('template', fc.constantFrom('no code', '{{name}} {{code}}', `{{code}}${'a'.repeat(1_560)}`)),
);

const sends = fc
  .tuple(valid, fc.oneof(fc.constant([]), fc.array(changes, { maxLength: 2 })))
  .map(([body, faults]): Body => Object.assign({}, body, ...faults));

const BODY = { to: SUPPRESSED, chatFrom: '15550000001', sender: 'ACME', cloudTemplate: TEMPLATE };

/** A story that is always tried: both fields are refused, a wait begins, and a second passcode comes too early. */
const STORY: Body[] = [
  { ...BODY, channels: ['sms'], fallbackAfter: 14, successStatus: 'sent' },
  { ...BODY, channels: ['chat_qr', 'sms'], fallbackAfter: 15 },
  { ...BODY, channels: ['sms'] },
];

async function byRest(body: Body, { tokens }: Customer): Promise<Heard> {
  return withoutWait(heardByRest(await on.rest('POST', '/api/omni/otp/send', { token: tokens.unified, body })));
}

const SEND = /* GraphQL */ `
  mutation ($input: SendOtpInput!) {
    sendOtp(input: $input) {
      pinId recipient status channel expiresAt resendAvailableAt
      attempts { attemptId channel provider status errorCode errorMessage segments credits startedAt finishedAt }
    }
  }
`;

async function byGraphql(body: Body, { tokens }: Customer): Promise<Heard> {
  const variables = { input: toGraphqlInput(body) };
  return withoutWait(heardByGraphql(await on.graphql<{ sendOtp: object }>(SEND, { token: tokens.unified, variables })));
}

/** Both customers have sent a moment ago, and not at the same one. */
const withoutWait = (heard: Heard): Heard => ({ ...heard, retryAfter: heard.retryAfter === null ? null : 1 });

/** Everything that is stored of an account, but for ids, times and what codes are made from. */
async function storedRows({ accountId }: Customer): Promise<unknown> {
  const [row] = await on.sql<{ rows: unknown }>(
    `select json_build_object(
       'otps', (select json_agg(json_build_array(area, recipient, channels, delivery_mode, chat_from, sender, cloud_template,
           fallback_after, success_status, length, expires_in, template, status, channel, segments, lease_until is null) order by position)
         from otps where account_id = $1),
       'attempts', (select json_agg(json_build_array(a.area, a.type, a.channel, a.provider, a.recipient, a.sender, a.status,
           a.error_code, a.segments, a.credits, a.finished_at is null) order by o.position, a.channel)
         from attempts a join otps o on o.id = a.pin_id where a.account_id = $1),
       'waits', (select json_agg(json_build_array(f.wanted, f.is_taken, f.due_at > now()) order by o.position)
         from follow_ups f join otps o on o.id = f.send_id where f.account_id = $1)) as rows`,
    [toUuid(accountId)],
  );
  return row?.rows;
}

test('REST and GraphQL do the same with the same passcode', { timeout: 60_000 + RUNS * 1_000 }, async () => {
  let sent = 0;
  let refused = 0;
  let waiting = 0;
  const fields = new Set<string>();
  const codes = new Set<string | null>();
  await assertProperty(
    fc.asyncProperty(fc.array(sends, { minLength: 1, maxLength: 4 }), async story => {
      const senders = [
        { channel: 'sms' as const, address: 'ACME' },
        { channel: 'sms' as const, address: 'WAITING', approved: false },
        { channel: 'chat_qr' as const, address: '15550000001' },
        { channel: 'chat_cloud' as const, address: '15550000002' },
      ];
      const [one, two] = [await on.customer({ senders }), await on.customer({ senders })];
      for (const body of story) {
        const [rest, graphql] = [await byRest(body, one), await byGraphql(body, two)];
        if (expectSame(rest, graphql, needsTypes(body))) refused += 1;
        for (const field of rest.fields) fields.add(field);
        codes.add(rest.code);
        if (rest.result !== null) sent += 1;
        if (rest.result !== null && body.fallbackAfter != null) waiting += 1;
      }
      expect(await storedRows(two)).toEqual(await storedRows(one));
    }),
    { numRuns: RUNS, examples: [[STORY]] },
  );
  // A property over inputs that are all refused would prove little.
  expect(sent).toBeGreaterThan(RUNS / 8);
  expect(refused).toBeGreaterThan(RUNS / 8);
  expect(waiting).toBeGreaterThan(0);
  expect([...fields]).toEqual(expect.arrayContaining(['fallbackAfter', 'successStatus']));
  expect([...codes]).toContain('otp_cooldown');
});

/** Whether GraphQL's types already refuse the body, before the schema that both transports share sees it. */
function needsTypes(body: Body): boolean {
  const { to, fallbackAfter, length, expiresIn, chatFrom, sender, template, cloudTemplate } = body;
  const named = cloudTemplate as { name?: unknown; language?: unknown } | null | undefined;
  const isTemplate = named == null || (typeof named === 'object' && isText(named.name) && isText(named.language));
  return !(
    isText(to) &&
    hasRoute(body) &&
    [fallbackAfter, length, expiresIn].every(value => value == null || Number.isInteger(value)) &&
    [chatFrom, sender, template].every(isOptionalText) &&
    isTemplate
  );
}

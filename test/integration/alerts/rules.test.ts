import { describe, expect, onTestFinished, test } from 'vitest';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { openSlackUrl, resealSlackUrls, sealSlackUrl } from '../../../src/modules/alerts/sends/slack-url.ts';
import { describeUses, findKeyUses } from '../../../src/modules/keys/key-uses.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { storedAudit } from '../../support/audit/audit-entries.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';

const on = setUpApp({
  env: {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    SMTP_URL: 'smtp://mail.acme.example',
    MAIL_FROM: 'gateway@acme.example',
  },
  // The host of the URL that the rules are given.
  mayTell: /127\.0\.0\.1:9"/g,
});
const silent = setUpApp();
const customer = setUpOwnCustomer(on);
const other = setUpOwnCustomer(on);
const mailless = setUpOwnCustomer(silent);

const URL_GIVEN = 'http://127.0.0.1:9/services/T0/B0/verysecretpart';

const FIELDS = 'id kind threshold lastingMinutes quietMinutes mail slackHost paused open';

interface Rule {
  readonly id: string;
  readonly [field: string]: unknown;
}

async function create(input: Record<string, unknown>, of = { on, token: customer.tokens.management }) {
  const answer = await of.on.graphql<{ createAlertRule: Rule }>(
    `mutation ($input: CreateAlertRuleInput!) { createAlertRule(input: $input) { ${FIELDS} } }`,
    { token: of.token, variables: { input } },
  );
  return { rule: answer.data?.createAlertRule, errors: answer.errors, text: answer.text };
}

async function update(input: Record<string, unknown>, token = customer.tokens.management) {
  const answer = await on.graphql<{ updateAlertRule: Rule }>(
    `mutation ($input: UpdateAlertRuleInput!) { updateAlertRule(input: $input) { ${FIELDS} } }`,
    { token, variables: { input } },
  );
  return { rule: answer.data?.updateAlertRule, errors: answer.errors, text: answer.text };
}

test('an account has no rule unless it makes one, and is offered each kind', async () => {
  const { data } = await on.graphql<{
    alertRules: unknown[];
    alertSettings: { sendsMail: boolean; offers: { kind: string; unit: string | null; threshold: number | null }[] };
  }>(
    '{ alertRules { id } alertSettings { sendsMail offers { kind meaning unit threshold lastingMinutes quietMinutes } } }',
    {
      token: customer.tokens.management,
    },
  );
  expect(data?.alertRules).toEqual([]);
  expect(data?.alertSettings.sendsMail).toBe(true);
  expect(data?.alertSettings.offers.map(({ kind, unit, threshold }) => [kind, unit, threshold])).toEqual([
    ['ENDPOINT_FAILING', null, null],
    ['CONNECTION_DOWN', null, null],
    ['NUMBER_LOCKED', null, null],
    ['BALANCE_LOW', 'CREDITS', 100],
    ['BALANCE_RUNS_OUT', 'DAYS', 7],
    ['CONVERSION_LOW', 'PERCENT', 50],
    ['PASSCODES_BLOCKED', 'PASSCODES', 5],
  ]);
});

test('each offer makes a rule as it stands', async () => {
  for (const kind of [
    'ENDPOINT_FAILING',
    'CONNECTION_DOWN',
    'NUMBER_LOCKED',
    'BALANCE_LOW',
    'BALANCE_RUNS_OUT',
    'CONVERSION_LOW',
    'PASSCODES_BLOCKED',
  ])
    expect((await create({ kind })).rule).toMatchObject({ kind, paused: false, open: 0, mail: [], slackHost: null });
});

test('a rule changes as it is told, and keeps the rest', async () => {
  const { rule } = await create({
    kind: 'BALANCE_LOW',
    threshold: 10,
    mail: ['Ada@Acme.example'],
    slackUrl: URL_GIVEN,
  });
  expect(rule).toMatchObject({ threshold: 10, mail: ['ada@acme.example'], slackHost: '127.0.0.1:9' });
  const { rule: changed } = await update({ ruleId: rule?.id, threshold: 20, paused: true });
  expect(changed).toEqual({ ...rule, threshold: 20, paused: true });
  expect((await update({ ruleId: rule?.id, slackUrl: null })).rule).toMatchObject({
    slackHost: null,
    mail: ['ada@acme.example'],
  });
  const [newest] = (await storedAudit(on, customer.accountId)).toReversed();
  expect(newest?.details).toEqual({ slackHost: { from: '127.0.0.1:9', to: null } });
  const { data } = await on.graphql<{ deleteAlertRule: Rule }>(
    `mutation ($id: String!) { deleteAlertRule(ruleId: $id) { id } }`,
    {
      token: customer.tokens.management,
      variables: { id: rule?.id },
    },
  );
  expect(data?.deleteAlertRule.id).toBe(rule?.id);
});

test('the URL of a rule is stored sealed, told to nobody, and sealed anew under a new key', async () => {
  const { rule, text } = await create({ kind: 'CONNECTION_DOWN', slackUrl: URL_GIVEN });
  expect(text).not.toContain('verysecretpart');
  const id = rule?.id ?? '';
  const [row] = await on.sql<{ slackUrl: string; slackKeyId: string }>(
    'select slack_url as "slackUrl", slack_key_id as "slackKeyId" from alert_rules where id = $1',
    [toUuid(id)],
  );
  expect(JSON.stringify(row)).not.toContain('verysecretpart');
  const { services } = on.app;
  expect(row && openSlackUrl(services.keys, { id, ...row })).toBe(URL_GIVEN);
  const entries = await storedAudit(on, customer.accountId);
  expect(entries.map(({ action }) => action)).toContain('alert_rule.created');
  expect(JSON.stringify(entries)).not.toContain('verysecretpart');

  // A key of tests alone, under which the row is sealed as if it were the former one.
  const [former, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const sealed = sealSlackUrl(createKeyRing(former, []), id, URL_GIVEN);
  await on.sql('update alert_rules set slack_url = $2, slack_key_id = $3 where id = $1', [
    toUuid(id),
    sealed.slackUrl,
    sealed.slackKeyId,
  ]);
  await resealSlackUrls(services.database.sql(), createKeyRing(current, [former]));
  const [anew] = await on.sql<{ slackUrl: string; slackKeyId: string }>(
    'select slack_url as "slackUrl", slack_key_id as "slackKeyId" from alert_rules where id = $1',
    [toUuid(id)],
  );
  expect(anew && openSlackUrl(createKeyRing(current, []), { id, ...anew })).toBe(URL_GIVEN);
});

test('a rule gives its URL up with a key that is lost, which is counted as used until then', async () => {
  const { rule } = await create({ kind: 'CONNECTION_DOWN', slackUrl: URL_GIVEN });
  await on.sql(`update alert_rules set slack_key_id = 'deadbeef' where id = $1`, [toUuid(rule?.id ?? '')]);
  const uses = await findKeyUses(on.app.services.database.sql(), on.app.services.keys.ids);
  expect(describeUses(uses.filter(({ key_id: id }) => id === 'deadbeef'))).toBe('the URL of 1 alert rule');
  const { data } = await on.graphql('mutation { forgetSecretKey(keyId: "deadbeef") { rules connections } }', {
    token: OPERATOR_TOKEN,
  });
  expect(data).toEqual({ forgetSecretKey: { rules: 1, connections: 0 } });
  expect((await update({ ruleId: rule?.id })).rule).toMatchObject({ slackHost: null });
});

test('a test of a rule tells the endpoints that get alert.raised, while the account may have webhooks', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const token = customer.tokens.management;
  await on.graphql(
    'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url, events: ["alert.raised"] }) { secret } }',
    { token, variables: { url: receiver.url } },
  );
  const { rule } = await create({ kind: 'CONNECTION_DOWN' });
  const test = () =>
    on.graphql(
      'mutation ($id: String!) { testAlertRule(ruleId: $id) { text sends { way } tries { httpStatus error } } }',
      {
        token,
        variables: { id: rule?.id },
      },
    );
  const text = 'Test, nothing is wrong: The connection Sample is down.';
  expect((await test()).data).toEqual({
    testAlertRule: { text, sends: [], tries: [{ httpStatus: 200, error: null }] },
  });
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ event: 'alert.raised', data: { test: true } });
  await on.sql('update accounts set unified_api = false where id = $1', [toUuid(customer.accountId)]);
  on.app.authenticator.forget();
  expect((await test()).data).toEqual({ testAlertRule: { text, sends: [], tries: [] } });
  expect(receiver.received).toHaveLength(1);
});

describe('a rule is refused', () => {
  test.each([
    ['a threshold where the kind has none', { kind: 'CONNECTION_DOWN', threshold: 5 }, 'threshold'],
    ['a threshold of nothing', { kind: 'BALANCE_LOW', threshold: 0 }, 'threshold'],
    ['more than everybody', { kind: 'CONVERSION_LOW', threshold: 101 }, 'threshold'],
    ['a quiet that is none', { kind: 'BALANCE_LOW', quietMinutes: 1 }, 'quietMinutes'],
    ['a time below nothing', { kind: 'BALANCE_LOW', lastingMinutes: -1 }, 'lastingMinutes'],
    ['what is no address', { kind: 'BALANCE_LOW', mail: ['ada'] }, 'mail.0'],
    ['an address twice', { kind: 'BALANCE_LOW', mail: ['a@b.example', 'A@b.example'] }, 'mail'],
    ['six addresses', { kind: 'BALANCE_LOW', mail: [1, 2, 3, 4, 5, 6].map(n => `a${n}@b.example`) }, 'mail'],
    ['what is no URL', { kind: 'BALANCE_LOW', slackUrl: 'hooks.slack.com' }, 'slackUrl'],
    ['a URL into the network of the gateway', { kind: 'BALANCE_LOW', slackUrl: 'http://10.0.0.1/hook' }, 'slackUrl'],
    [
      "the address of a cloud's secrets",
      { kind: 'BALANCE_LOW', slackUrl: 'http://169.254.169.254/latest' },
      'slackUrl',
    ],
  ])('for %s', async (_what, input, field) => {
    const { errors } = await create(input);
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field }] } }]);
  });

  test('with an address where the gateway sends no mail', async () => {
    const { errors } = await create(
      { kind: 'BALANCE_LOW', mail: ['a@b.example'] },
      { on: silent, token: mailless.tokens.management },
    );
    expect(errors?.[0]?.extensions.errors).toEqual([
      { field: 'mail', message: 'cannot be used: this gateway sends no mail (its setting SMTP_URL is not set)' },
    ]);
  });

  test('beyond the twentieth', async () => {
    for (let count = 0; count < 20; count += 1) await create({ kind: 'BALANCE_LOW' });
    const { errors } = await create({ kind: 'BALANCE_LOW' });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field: 'kind' }] } }]);
  });
});

test('the rule of another account is as one that does not exist', async () => {
  const { rule } = await create({ kind: 'BALANCE_LOW' });
  const { errors } = await update({ ruleId: rule?.id, threshold: 1 }, other.tokens.management);
  expect(errors).toMatchObject([{ message: 'There is no such alert rule.', extensions: { code: 'NOT_FOUND' } }]);
});

/** Fields that show numbers and texts: each is masked for viewers, or stands here with the reason why it is not. */
import { type GraphQLArgument, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { REVEALS } from '../../src/graphql/plugins/reveals.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { policyOf } from '../../src/kernel/field-policy.ts';
import { mayRole } from '../../src/kernel/role.ts';

const schema = buildSchema();
const types = Object.values(schema.getTypeMap()).filter(type => !type.name.startsWith('__'));

/** Every field that holds text or JSON, with what it says of itself. */
const fields = types
  .filter(isObjectType)
  .flatMap(type =>
    Object.values(type.getFields()).map(field => ({ name: `${type.name}.${field.name}`, own: field.name, field })),
  )
  .filter(({ field }) => ['String', 'JSONObject', 'ID'].includes(getNamedType(field.type).name));

/** Names of fields that may hold a number, or a text that somebody wrote. */
const SUSPECT =
  /^(to|from|pin|codes?)$|recipient|phone|number|text|body|message(?!Id)|error$|details|response|payload|content|data$|config|reason|reference/i;

/** Fields that are called so and that a viewer may see, with the reason. */
const SHOWN: Readonly<Record<string, string>> = {
  'Alert.text': 'a sentence of ours about the balance, the endpoints and the connections of the account',
  'AlertSend.error': 'a sentence of ours',
  'AlertTest.text': 'a sentence of ours with made-up values',
  'AlertTestSend.error': 'a sentence of ours',
  'ConnectionProbe.message': 'sentences of ours, for the operator alone',
  'TemplateSync.message': 'the operator alone synchronises templates',
  'TemplateCreation.message': 'the operator alone makes templates',
  'CloudTemplateEntry.reason': 'a word of the provider about a template',
  'ConnectionTest.code': 'the operator alone tests connections',
  'ConnectionTest.message': 'the operator alone tests connections',
  'LedgerEntry.reference': "the caller's own id of a send, by which people find it: decision 71",
  'LogEntry.reference': "the caller's own id of a send, by which people find it: decision 71",
  'LoggedRequest.code': 'a code of ours',
  'Message.reference': "the caller's own id of a send, by which people find it: decision 71",
  'SkippedConnection.reason': 'a sentence of ours without counts',
  'ConsideredConnection.reason': 'a sentence of ours without counts',
  'ConnectionReading.reason': 'a sentence of ours without counts',
  'ConnectionHealth.lastError': 'a sentence of ours: publicMessage',
  'DoctorFinding.message': 'the operator alone asks the doctor',
  'TimelineWebhook.error': 'a code of ours',
  'WebhookDelivery.error': 'a code of ours',
  'WebhookTry.error': 'a code of ours',
  'OverviewNotice.reason':
    'a code: why an endpoint is disabled, or what the fraud guard stopped; of a connection its lastError',
  'Query.recipients': 'closed to who may not see numbers, by its policy',
  'RecoveryCodes.codes': "the caller's own recovery codes, shown once",
  'ProviderInfo.configSchema': 'which settings a provider has, without values',
  'InboundMessage.to': "the account's own sender",
  'AutoReply.text': "the account's own text",
  'OptOutSettings.stopText': "the account's own text",
  'OptOutSettings.helpText': "the account's own text",
  'SandboxMessage.from': "the account's own sender",
  'SendPreviewLeg.from': "the account's own sender",
  'SendPreviewLeg.sandboxReason': 'a sentence of ours without a number',
};

test('every field that may hold a number or a text is masked for viewers', () => {
  const open = fields.filter(({ name, own }) => SUSPECT.test(own) && !(name in REVEALS) && !(name in SHOWN));
  expect(open.map(({ name }) => name)).toEqual([]);
});

test('what a provider says is told to nobody who may not read texts', () => {
  const messages = fields.filter(({ own }) => own === 'errorMessage').map(({ name }) => [name, REVEALS[name]]);
  expect(Object.fromEntries(messages)).toEqual({
    'Attempt.errorMessage': 'told',
    'LogEntry.errorMessage': 'told',
    'TimelineEntry.errorMessage': 'told',
    // Sentences of ours alone.
    'WebhookTry.errorMessage': 'words',
  });
});

test('every row of the two lists names a field', () => {
  const names = fields.map(({ name }) => name);
  expect([...Object.keys(REVEALS), ...Object.keys(SHOWN)].filter(name => !names.includes(name))).toEqual([]);
});

test('what is on the list carries the mark', () => {
  const marked = fields.flatMap(({ name, field }) =>
    field.extensions.reveals === undefined ? [] : [[name, field.extensions.reveals]],
  );
  expect(Object.fromEntries(marked)).toEqual(REVEALS);
});

test('who sees no numbers can look for one by `filter.recipient` alone, which is refused', () => {
  const asked = [schema.getQueryType(), schema.getSubscriptionType()].flatMap(root =>
    Object.values(root?.getFields() ?? {})
      .filter(field => policyOf(field)?.people.some(role => !mayRole(role, 'numbers')))
      .flatMap(field => field.args.flatMap(argument => numbersIn(argument, field.name))),
  );
  expect(asked.filter(path => !path.endsWith('.filter.recipient'))).toEqual([]);
  expect(asked).toContain('logs.filter.recipient');
});

/** The members of an argument, at any depth, that take a number. */
function numbersIn({ name, type }: Pick<GraphQLArgument, 'name' | 'type'>, place: string): string[] {
  const named = getNamedType(type);
  const path = `${place}.${name}`;
  if (isInputObjectType(named)) return Object.values(named.getFields()).flatMap(field => numbersIn(field, path));
  return /^(to|from)$|recipient|phone|number/i.test(name) && named.name === 'String' ? [path] : [];
}

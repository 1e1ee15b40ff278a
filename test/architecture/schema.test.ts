import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLArgument,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { schemaText } from '../../src/graphql/print/print-schema.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { ORDINARY, policyOf } from '../../src/kernel/field-policy.ts';
import { REPOSITORY } from '../support/repository.ts';

const schema = buildSchema();

const types = Object.values(schema.getTypeMap()).filter(type => !type.name.startsWith('__'));

test('schema.graphql is the schema, to the byte', () => {
  const file = join(REPOSITORY, 'schema.graphql');
  expect(readFileSync(file, 'utf8')).toBe(schemaText());
});

test.each(globSync('src/dashboard/playground/examples/*.graphql', { cwd: REPOSITORY }))('%s fits the schema', file => {
  expect(validate(schema, parse(readFileSync(join(REPOSITORY, file), 'utf8')))).toEqual([]);
});

/** Every member of a type that has a description of its own, as `Type.member`. */
function members(type: GraphQLNamedType): { readonly name: string; readonly description: string | null | undefined }[] {
  if (isEnumType(type)) {
    return type.getValues().map(value => ({ name: `${type.name}.${value.name}`, description: value.description }));
  }
  if (!isObjectType(type) && !isInputObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap(field => [
    { name: `${type.name}.${field.name}`, description: field.description },
    ...('args' in field
      ? field.args.map((argument: GraphQLArgument) => ({
          name: `${type.name}.${field.name}(${argument.name})`,
          description: argument.description,
        }))
      : []),
  ]);
}

test('every type, field, argument, input field and enum value has a description', () => {
  const all = [...types, ...types.flatMap(members)];
  expect(all.filter(({ description }) => !description?.trim()).map(({ name }) => name)).toEqual([]);
});

describe('every root field', () => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(type =>
    Object.values(type?.getFields() ?? {}).map(field => [`${type?.name}.${field.name}`, field] as const),
  );

  test.each(roots)('%s says who may call it', (_name, field) => {
    expect(policyOf(field)).toHaveProperty('opens');
  });

  test('is treated as every other one, but for these', () => {
    const special = roots.map(([name, field]) => {
      const policy = Object.entries(policyOf(field) ?? {});
      const own = policy.filter(([key, value]) => key in ORDINARY && value !== ORDINARY[key as keyof typeof ORDINARY]);
      return [name, Object.fromEntries(own)] as const;
    });
    const otpVerb = { plan: 'unified', isAlone: true, isForServers: true };
    const webhooks = { plan: 'every' };
    const reading = { plan: 'tokens' };
    expect(Object.fromEntries(special.filter(([, own]) => Object.keys(own).length > 0))).toEqual({
      'Query.creditDays': reading,
      'Query.ledgerFaults': { deadlineFor: 'tokens' },
      'Query.exportRecipient': { deadlineFor: 'tokens' },
      // An erasure takes effect as a whole.
      'Mutation.eraseRecipient': { deadlineFor: 'nobody' },
      'Query.logHistogram': reading,
      'Query.inboundMessages': reading,
      'Query.logs': reading,
      'Query.people': reading,
      'Query.person': reading,
      'Query.conversation': reading,
      'Query.unreadPeople': reading,
      'Query.messages': reading,
      'Query.recipients': reading,
      'Query.sends': reading,
      'Query.invitationOffer': { isAlone: true },
      'Query.otp': { ...reading, isForServers: true },
      'Query.otpSettings': { isForServers: true },
      'Query.otpSummary': { ...reading, isForServers: true },
      'Query.otps': { ...reading, isForServers: true },
      'Query.overview': { ...reading, isForServers: true },
      'Query.previewOtp': { plan: 'unified', isForServers: true },
      'Query.previewSend': { plan: 'unified' },
      'Query.sandboxMessages': { isForServers: true },
      'Query.sandboxPhones': { isForServers: true },
      'Query.sandboxWaitForCode': { isForServers: true, deadlineFor: 'nobody' },
      'Query.sandboxWaitForText': { isForServers: true, deadlineFor: 'nobody' },
      'Query.webhookDeliveries': webhooks,
      'Query.webhookDelivery': webhooks,
      'Query.webhookEndpoint': webhooks,
      'Query.webhookEndpoints': webhooks,
      'Mutation.acceptInvitation': { isAlone: true },
      'Mutation.changePassword': { isAlone: true },
      'Query.webhookEventKinds': webhooks,
      'Mutation.clearSandbox': { isForServers: true },
      'Mutation.createWebhookEndpoint': webhooks,
      'Mutation.deleteWebhookEndpoint': webhooks,
      'Mutation.enableWebhookEndpoint': webhooks,
      'Mutation.migrate': { deadlineFor: 'tokens' },
      'Mutation.recoverWebhooks': webhooks,
      'Mutation.redeliverWebhook': webhooks,
      'Mutation.redeliverWebhooks': webhooks,
      'Mutation.addNote': reading,
      'Mutation.markRead': reading,
      'Mutation.removeNote': reading,
      'Mutation.reply': { plan: 'unified', isAlone: true, deadlineFor: 'nobody' },
      'Mutation.resendMessage': { plan: 'unified', isAlone: true, deadlineFor: 'nobody' },
      'Mutation.resendOtp': { ...otpVerb, deadlineFor: 'nobody' },
      'Mutation.rotateWebhookSecret': webhooks,
      'Mutation.sandboxNextReceipt': { isForServers: true },
      'Mutation.sandboxReceipt': { isForServers: true },
      'Mutation.sandboxReply': { isForServers: true },
      'Mutation.sendMessage': { plan: 'unified', isAlone: true, deadlineFor: 'nobody' },
      'Mutation.sendOtp': { ...otpVerb, deadlineFor: 'nobody' },
      'Mutation.signIn': { isAlone: true },
      'Mutation.signInAsOperator': { isAlone: true },
      'Mutation.signInWithCode': { isAlone: true },
      'Mutation.requestPasswordReset': { isAlone: true },
      'Mutation.resetPassword': { isAlone: true },
      'Mutation.startOidc': { isAlone: true, deadlineFor: 'nobody' },
      'Mutation.signInByOidc': { isAlone: true, deadlineFor: 'nobody' },
      'Mutation.startSecondFactor': { isAlone: true, isForEnrolment: true },
      'Mutation.confirmSecondFactor': { isAlone: true, isForEnrolment: true },
      'Mutation.renewRecoveryCodes': { isAlone: true },
      'Mutation.turnOffSecondFactor': { isAlone: true },
      'Mutation.probeConnection': { deadlineFor: 'nobody' },
      'Mutation.testConnection': { deadlineFor: 'nobody' },
      'Mutation.syncTemplates': { deadlineFor: 'nobody' },
      'Mutation.createOtpTemplate': { deadlineFor: 'nobody' },
      'Mutation.testAlertRule': { deadlineFor: 'nobody' },
      'Mutation.testWebhookEndpoint': { ...webhooks, deadlineFor: 'nobody' },
      'Mutation.triggerWebhookEvent': { ...webhooks, deadlineFor: 'nobody' },
      'Mutation.updateWebhookEndpoint': webhooks,
      'Mutation.verifyOtp': otpVerb,
      'Subscription.inboundMessageAdded': reading,
      'Subscription.logAdded': reading,
      'Subscription.sandboxMessageAdded': { isForServers: true },
      'Subscription.webhookEventAdded': webhooks,
    });
  });

  test.each(roots)('%s takes one input object, or arguments that are no input objects but filters', (_name, field) => {
    const inputs = field.args.filter(argument => isInputObjectType(getNamedType(argument.type)));
    expect(inputs.map(argument => argument.name).filter(name => name !== 'input' && name !== 'filter')).toEqual([]);
    if (inputs.some(argument => argument.name === 'input')) expect(field.args).toHaveLength(1);
  });
});

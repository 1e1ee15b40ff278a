import fc from 'fast-check';
import { type GraphQLArgument, type GraphQLField, getNamedType, isInputObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Ctx } from '../../../src/context.ts';
import { buildSchema } from '../../../src/graphql/schema.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { policyOf } from '../../../src/kernel/field-policy.ts';
import { CheckedInput } from '../../../src/kernel/input.ts';
import { sendMessageInput } from '../../../src/modules/messaging/send-message.input.ts';
import { sendOtpInput, verifyOtpInput } from '../../../src/modules/otp/send/send-otp.input.ts';
import { newPlantInput } from '../../../src/modules/plants/plants.ts';
import type { OperationName } from '../../../src/rest/operations/run-operation.ts';
import { routes } from '../../../src/rest/routes.ts';
import { inputSchemas, valuesOf } from '../../support/graphql/input-values.ts';
import { refusal } from '../../support/refusal.ts';
import { assertProperty, runs } from '../../support/runner/properties.ts';

const schema = buildSchema();

const schemas = await inputSchemas();

const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(type =>
  Object.values(type?.getFields() ?? {}).map(field => [`${type?.name}.${field.name}`, field] as const),
);

/** The argument `input` of a field. */
const inputOf = ({ args }: GraphQLField<unknown, Ctx>): GraphQLArgument | undefined =>
  args.find(({ name }) => name === 'input');

test('a recipient that is missing is told beside too many channels', () => {
  const read = sendMessageInput.safeParse({ text: 'Hello', channels: Array(4).fill('sms') });
  expect(read.error?.issues.map(({ path }) => path.join())).toEqual(['channels', 'to']);
});

describe('the rules of an input', () => {
  test.each(schemas)('read what they have read as it is: %s', (_name, rules) => {
    let taken = 0;
    const property = fc.property(valuesOf(rules), given => {
      const read = rules.safeParse(given);
      if (!read.success) return;
      taken += 1;
      expect(rules.safeParse(read.data)).toEqual(read);
    });
    assertProperty(property);
    // A property over inputs that are all refused would prove little.
    expect(taken).toBeGreaterThan(runs() / 20);
  });

  test('are those of every input of the schema', () => {
    const names = schemas.map(([name]) => `${name.slice(0, 1).toUpperCase()}${name.slice(1, name.indexOf(' '))}`);
    const known = new Set([...names, ...schemas.map(([, rules]) => z.globalRegistry.get(rules)?.id)]);
    const inputs = roots.flatMap(([, field]) => inputOf(field) ?? []).map(({ type }) => getNamedType(type).name);
    expect(inputs.length).toBeGreaterThan(20);
    expect(inputs.filter(name => !known.has(name))).toEqual([]);
  });
});

/** The schemas of the operations behind paths that take a body. */
const RULES = {
  'send-message': sendMessageInput,
  'send-otp': sendOtpInput,
  'verify-otp': verifyOtpInput,
  'create-plant': newPlantInput,
} as const satisfies Partial<Record<OperationName, z.ZodType>>;

function rulesOf(operation: OperationName): z.ZodType {
  if (operation in RULES) return RULES[operation as keyof typeof RULES];
  throw new Error(`RULES has no schema of ${operation}`);
}

describe('a body that its path has checked', () => {
  const posts = routes
    .filter(route => route.method === 'POST')
    .map(route => [route.path, route, rulesOf(route.operation)] as const);

  test.each(posts)('is what its operation takes, as it is: %s', (_path, route, rules) => {
    let taken = 0;
    const property = fc.property(valuesOf(route.facts.input), body => {
      const input = checked(() => route.variables(body as Record<string, unknown>));
      if (input === null) return;
      taken += 1;
      expect(rules.parse(input)).toEqual(input);
    });
    assertProperty(property);
    expect(taken).toBeGreaterThan(runs() / 20);
  });

  /** The input that a path hands on; null where it refuses. */
  function checked(read: () => object): unknown {
    try {
      return Reflect.get(read(), 'input');
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_input') return null;
      throw error;
    }
  }

  test('is checked no second time', async () => {
    const [, field] = roots.find(([name]) => name === 'Mutation.sendMessage') ?? [];
    const validator = field && (inputOf(field)?.extensions.validator as z.ZodType);
    const wrong = { to: 'nobody' };
    await expect(validator?.parseAsync(wrong)).rejects.toThrow(z.ZodError);
    await expect(validator?.parseAsync(new CheckedInput(wrong))).resolves.toEqual(wrong);
  });
});

/** Asks a root field, without anything that a verb needs. */
async function ask(field: GraphQLField<unknown, Ctx>, args: object, actor: unknown): Promise<unknown> {
  return (field.subscribe ?? field.resolve)?.(undefined, args, { actor } as Ctx, {} as never);
}

describe('the policy of a field is asked before its input is looked at', () => {
  const args = new Proxy({}, { get: looked, has: looked, ownKeys: looked, getOwnPropertyDescriptor: looked });
  const taking = roots.filter(([, field]) => field.args.length > 0);

  test.each(taking.filter(([, field]) => policyOf(field)?.opens !== 'public'))(
    'of a stranger: %s',
    async (_, field) => {
      await expect(ask(field, args, { kind: 'anonymous' })).rejects.toMatchObject({ code: 'unauthenticated' });
    },
  );

  test.each(taking.filter(([, field]) => policyOf(field)?.plan))('of a plan that is over: %s', async (_, field) => {
    const area = policyOf(field)?.plan === 'every' ? 'management' : 'unified';
    const actor = { kind: 'token', area, account: { unifiedApi: true, planExpired: true } };
    await expect(ask(field, args, actor)).rejects.toMatchObject({ code: 'plan_expired' });
  });

  function looked(): never {
    throw new Error('the input was looked at');
  }
});

describe('a field checks its arguments before its verb is asked', () => {
  const operator = { kind: 'operator', account: null };
  const withEndpoint = ({ args }: GraphQLField<unknown, Ctx>) =>
    args.some(({ name }) => name === 'endpointId') ? { endpointId: 'whk_1' } : {};
  const filtered = roots.filter(([, { args }]) => {
    const type = getNamedType(args.find(({ name }) => name === 'filter')?.type);
    return isInputObjectType(type) && 'from' in type.getFields();
  });

  test.each(filtered)('%s refuses a time that ends before it begins', async (_name, field) => {
    const args = { ...withEndpoint(field), filter: { from: new Date(1), to: new Date(0) } };
    await expect(ask(field, args, operator)).rejects.toEqual(refusal('invalid_input', 'filter.from'));
  });

  test.each(filtered.filter(([, { args }]) => args.some(({ name }) => name === 'first')))(
    '%s refuses a page of nothing',
    async (_name, field) => {
      await expect(ask(field, { ...withEndpoint(field), first: 0 }, operator)).rejects.toEqual(
        refusal('invalid_input', 'first'),
      );
    },
  );

  test.each([
    ['Query.creditDays', { days: 0 }, 'days'],
    ['Query.logHistogram', { buckets: 0 }, 'buckets'],
    ['Query.otpSummary', { from: new Date(1), to: new Date(0) }, 'from'],
    ['Query.overview', { range: 'year' }, 'range'],
    ['Query.recipients', { endingWith: '123' }, 'endingWith'],
    ['Query.sandboxWaitForCode', { to: '1', timeoutSeconds: 0 }, 'timeoutSeconds'],
    ['Query.sandboxWaitForText', { to: '1', timeoutSeconds: 61 }, 'timeoutSeconds'],
    ['Mutation.sandboxNextReceipt', { to: '1', delaySeconds: -1 }, 'delaySeconds'],
    ['Mutation.sandboxReceipt', { id: 'sbx_1', outcome: 'sent' }, 'outcome'],
    ['Mutation.recoverWebhooks', { endpointId: 'whk_1', since: new Date(Number.NaN) }, 'since'],
    ['Subscription.webhookEventAdded', { events: [] }, 'events'],
  ])('%s refuses %j', async (name, args, member) => {
    const [, field] = roots.find(([known]) => known === name) ?? [];
    await expect(field && ask(field, args, operator)).rejects.toEqual(refusal('invalid_input', member));
  });
});

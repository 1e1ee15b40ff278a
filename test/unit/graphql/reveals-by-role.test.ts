import { type GraphQLFieldResolver, type GraphQLObjectType, isObjectType } from 'graphql';
import encodeQR from 'qr';
import { describe, expect, test } from 'vitest';
import type { UserActor } from '../../../src/context.ts';
import { REVEALS, type Reveals } from '../../../src/graphql/plugins/reveals.ts';
import { buildSchema } from '../../../src/graphql/schema.ts';
import { ROLES, type Role } from '../../../src/kernel/role.ts';
import { type ToldEvent, webhookBody } from '../../../src/modules/webhooks/events/webhook-events.ts';

/** The roles that see each kind of field as it is. */
const SEEN: Readonly<Record<Reveals, readonly Role[]>> = {
  number: ['owner', 'developer', 'support'],
  text: ['owner', 'developer', 'support'],
  code: ['owner', 'developer'],
  words: ['owner', 'developer', 'support'],
  told: ['owner', 'developer', 'support'],
  retold: ['owner', 'developer', 'support'],
};

/** Fields that ask the database for what they show; `integration/accounts/people/masking.test.ts` asks for them. */
const LOADED = ['WebhookDelivery.body', 'ProviderConnection.config'];

/** The value of every member of a row, in place of a number or a text. */
const VALUE = 'No such subscriber: 12025550100';

const ROW = new Proxy({} as ToldEvent, { get: (_row, member) => (member === 'errorCode' ? 'x' : VALUE) });

/** The values of fields that make something of the members of such a row. */
const MADE: Readonly<Record<string, unknown>> = {
  'AuditEntry.details': { ...Object(VALUE) },
  'LinkStep.picture': encodeQR(VALUE, 'svg'),
  'WebhookEvent.body': webhookBody(ROW),
};

const schema = buildSchema();

/** The value of a field for a role, of a row whose every member is `VALUE`. */
function shown(name: string, role: Role): unknown {
  const [typeName = '', fieldName = ''] = name.split('.');
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no type`);
  const field = (type as GraphQLObjectType).getFields()[fieldName];
  const resolve = field?.resolve as GraphQLFieldResolver<unknown, unknown>;
  const actor = { kind: 'user', role } as UserActor;
  const info = { fieldName, parentType: type } as Parameters<typeof resolve>[3];
  return resolve(ROW, {}, { actor }, info);
}

describe.each(Object.entries(REVEALS).filter(([name]) => !LOADED.includes(name)))('%s', (name, kind) => {
  test.each(ROLES)('is shown to the role %s as its rights say', role => {
    const isWhole = JSON.stringify(shown(name, role)) === JSON.stringify(MADE[name] ?? VALUE);
    expect(isWhole).toBe(SEEN[kind].includes(role));
  });
});

test('every code is marked as one', () => {
  const codes = Object.entries(REVEALS).flatMap(([name, kind]) => (kind === 'code' ? name : []));
  expect(codes).toEqual([
    'LinkStep.code',
    'LinkStep.picture',
    'SandboxMessage.text',
    'SandboxCode.code',
    'SandboxAbout.code',
  ]);
});

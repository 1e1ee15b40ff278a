import { expect, test } from 'vitest';
import { roleOf } from '../../../src/modules/accounts/oidc/role.policy.ts';

const ROLES = new Map([
  ['admins', 'owner'],
  ['help', 'support'],
] as const);

test.each([
  ['a list, of which the most counts', { roles: ['help', 'admins'] }, 'roles', 'owner'],
  ['one value', { roles: 'help' }, 'roles', 'support'],
  ['a path', { realm_access: { roles: ['help'] } }, 'realm_access.roles', 'support'],
  ['a name with dots', { 'https://a.example/roles': ['admins'] }, 'https://a.example/roles', 'owner'],
  ['no known value', { roles: ['Admins', 'guests'] }, 'roles', null],
  ['no claim', {}, 'roles', null],
  ['what is inherited', {}, 'constructor.name', null],
  ['what is no text', { roles: [1, null, { admins: true }] }, 'roles', null],
])('a role is read from %s', (_what, claims, claim, role) => {
  expect(roleOf(claims, claim, ROLES)).toBe(role);
});

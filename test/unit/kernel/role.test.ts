import { expect, test } from 'vitest';
import { mayRole, RIGHT_NAMES, ROLE_RIGHTS, ROLES, rolesWith } from '../../../src/kernel/role.ts';

test('each role has its rights and no other', () => {
  expect(ROLE_RIGHTS).toEqual({
    owner: ['look', 'numbers', 'texts', 'resend', 'reply', 'suppress', 'erase', 'codes', 'send', 'change', 'people'],
    developer: ['look', 'numbers', 'texts', 'resend', 'reply', 'suppress', 'codes', 'send', 'change'],
    support: ['look', 'numbers', 'texts', 'resend', 'reply', 'suppress'],
    viewer: ['look'],
  });
});

test('a role may all that the roles after it may', () => {
  for (const [index, role] of ROLES.entries())
    for (const weaker of ROLES.slice(index))
      for (const right of ROLE_RIGHTS[weaker]) expect(mayRole(role, right), `${role} ${right}`).toBe(true);
});

test('every right is given to somebody', () => {
  expect(RIGHT_NAMES.filter(right => rolesWith(right).length === 0)).toEqual([]);
});

/** Which role what a provider says of a person gives here. */

import { ROLES, type Role } from '../../../kernel/role.ts';
import type { OidcRoles } from '../../../kernel/settings/oidc.ts';

/**
 * The role of the claim's values that may most; null: none of them has one. @param claim its name, or the path to it with dots (`realm_access.roles`);
 * a claim that is called so wins
 */
export function roleOf(claims: Readonly<Record<string, unknown>>, claim: string, roles: OidcRoles): Role | null {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : valueAt(claims, claim.split('.'));
  const values = Array.isArray(value) ? value : [value];
  const given = new Set(values.map(one => (typeof one === 'string' ? roles.get(one) : undefined)));
  return ROLES.find(role => given.has(role)) ?? null;
}

function valueAt(claims: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name) ? Reflect.get(inner, name) : undefined,
    claims,
  );
}

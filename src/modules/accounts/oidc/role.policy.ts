/** The role that the claims of the OIDC provider give a person here. */
import { valueAt } from '../../../kernel/input.ts';
import { ROLES, type Role } from '../../../kernel/role.ts';
import type { OidcRoles } from '../../../kernel/settings/oidc.ts';

/**
 * The highest role that the values of the claim give; null: they give none.
 * @param claim its name, or the path to it with dots (`realm_access.roles`); a claim with the whole name wins
 */
export function roleOf(claims: Readonly<Record<string, unknown>>, claim: string, roles: OidcRoles): Role | null {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : valueAt(claims, claim.split('.'));
  const values = Array.isArray(value) ? value : [value];
  const given = new Set(values.map(one => (typeof one === 'string' ? roles.get(one) : undefined)));
  return ROLES.find(role => given.has(role)) ?? null;
}

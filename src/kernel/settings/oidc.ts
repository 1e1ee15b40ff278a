/** Readers of the settings of the OIDC provider that people sign in by. The secret of the client is never quoted. */
import { parseId } from '../ids.ts';
import { isThisMachine } from '../network/address.ts';
import { ROLES, type Role } from '../role.ts';
import type { Fault } from './config-error.ts';

/** The settings of the provider. */
export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name on the button: *Sign in with …*. */
  readonly name: string;
  /** The scopes that are asked for, separated by blanks. */
  readonly scope: string;
  /** The claim that holds the roles. */
  readonly roleClaim: string;
  readonly roles: OidcRoles;
  /** The account that people sign in to. */
  readonly accountId: string;
}

/** The role here by each value of the claim. */
export type OidcRoles = ReadonlyMap<string, Role>;

/** The address of the provider. Codes and the secret go there: by `https`, but on this machine. */
export function readIssuer(text: string, fault: Fault): URL {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || !/^https?:$/.test(url.protocol))
    fault('OIDC_ISSUER is no issuer; it must look like https://login.example.com, as the provider calls itself.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'http:' && !isThisMachine(host))
    fault('OIDC_ISSUER must begin with https://; http is for a provider on this machine.');
  return url;
}

/** The roles of `admins=owner, support=support`. */
export function readOidcRoles(text: string, fault: Fault): OidcRoles {
  const roles = text.split(',').map(entry => {
    const at = entry.lastIndexOf('=');
    const [value, word] = [entry.slice(0, Math.max(at, 0)).trim(), entry.slice(at + 1).trim()];
    const role = ROLES.find(one => one === word);
    if (value === '' || !role)
      fault(`OIDC_ROLES must look like admins=owner,helpdesk=support; roles are ${ROLES.join(', ')}.`);
    return [value, role] as const;
  });
  return new Map(roles);
}

/** The account of `OIDC_ACCOUNT`. */
export function readOidcAccount(text: string, fault: Fault): string {
  return parseId('acc', text) ?? fault('OIDC_ACCOUNT is no id of an account; npx heliograph account list shows them.');
}

/** The scopes of `OIDC_SCOPE`. */
export function readScope(text: string, fault: Fault): string {
  const words = text.split(/\s+/);
  return words.includes('openid')
    ? words.join(' ')
    : fault('OIDC_SCOPE must hold openid, such as openid email profile.');
}

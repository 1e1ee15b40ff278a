/** The one table of roles: the rights of people who sign in to an account. */

/** The rights, each as a sentence goes on after "may". Everybody who signs in has `look`. */
export const RIGHTS = {
  look: 'look at every page, except for what a right below shows; change their own password, and end their own sessions',
  numbers: 'see phone numbers whole, and look for them',
  texts: 'see texts, bodies of webhooks, the words of providers, and the values of connections and of the audit trail',
  resend:
    'send a message of the log or a passcode once more, to the recipient that it had, and redeliver webhooks; a text costs what it cost before',
  reply: 'answer people who wrote, see before what a text costs, and write notes about people',
  suppress: 'put recipients onto the list of those who get no messages, and take them off',
  erase:
    'export all that is held of a recipient, and erase it; create tokens of the area `management`, which may do so too',
  codes: 'see codes: what the phones of the sandbox received, and decide what these report',
  send: 'send to anybody, and verify passcodes',
  change: 'create and revoke tokens, change alert rules, change webhook endpoints and test them',
  people: 'invite people, give them roles and remove them',
} as const;

/** A right. */
export type Right = keyof typeof RIGHTS;

/** Every right. */
export const RIGHT_NAMES = Object.keys(RIGHTS) as Right[];

/** Every role, the one that may most first. */
export const ROLES = ['owner', 'developer', 'support', 'viewer'] as const;

/** The role of a person who signs in; `ROLE_RIGHTS` has its rights. */
export type Role = (typeof ROLES)[number];

/** The rights of each role. Credits, plans, senders, connections and limits are the operator's: no role changes them. */
export const ROLE_RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  owner: RIGHT_NAMES,
  developer: RIGHT_NAMES.filter(right => right !== 'people' && right !== 'erase'),
  support: ['look', 'numbers', 'texts', 'resend', 'reply', 'suppress'],
  viewer: ['look'],
};

/** A role in a sentence. */
export const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  owner: 'An owner may do everything, which includes who else may sign in, and the erasure of recipients.',
  developer: 'A developer may do everything except change who may sign in, and erase recipients.',
  support:
    'Support sees numbers and texts but no code, sends again what was sent, answers people, and suppresses recipients.',
  viewer: 'A viewer looks: numbers are masked, texts are left out.',
};

/** Whether a role has a right. */
export function mayRole(role: Role, right: Right): boolean {
  return ROLE_RIGHTS[role].includes(right);
}

/** The roles that have a right. */
export function rolesWith(right: Right): readonly Role[] {
  return ROLES.filter(role => mayRole(role, right));
}

/** What a person who signs in may do with the account. */

/** Every role, the one that may most first. */
export const ROLES = ['owner', 'developer', 'viewer'] as const;

/** `owner`: everything, the other people too. `developer`: all but the people. `viewer`: to look, at masked numbers and no texts. */
export type Role = (typeof ROLES)[number];

/** What guards sign-ins against guessing: how many failed, by e-mail address and by network address. */
import { defineEntity, p } from '@mikro-orm/core';

const SignInGuardSchema = defineEntity({
  name: 'SignInGuard',
  tableName: 'sign_in_guards',
  properties: {
    /** `email/` and a SHA-256, since people mistype passwords into that field; or `address/` and the key of limits. */
    key: p.text().primary(),
    /** Sign-ins that failed or are being checked. */
    failures: p.integer(),
    /** When they are forgotten. */
    overAt: p.datetime().index('sign_in_guards_over_at_index'),
  },
});

/** The failed sign-ins of one e-mail address, or from one network address. */
export class SignInGuard extends SignInGuardSchema.class {}
SignInGuardSchema.setClass(SignInGuard);

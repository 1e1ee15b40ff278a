/** What guards sign-ins against guessing: how many failed, by person, network address, both, known device and session. */
import { defineEntity, p } from '@mikro-orm/core';

const SignInGuardSchema = defineEntity({
  name: 'SignInGuard',
  tableName: 'sign_in_guards',
  properties: {
    /**
     * `email/`, `pair/` (an e-mail address at a network address), `device/`, `session/`, `code/`, `code-device/`, `code-session/` or `reset/` and a SHA-256, since people mistype passwords
     * into the field of the address; or `address/` or `reset-address/` and the key of limits.
     */
    key: p.text().primary(),
    /** Sign-ins that failed or are being checked. */
    failures: p.integer(),
    /** When they are forgotten. */
    overAt: p.datetime().index('sign_in_guards_over_at_index'),
  },
});

/** The failed sign-ins under one key. */
export class SignInGuard extends SignInGuardSchema.class {}
SignInGuardSchema.setClass(SignInGuard);

/** Counts of failed sign-ins, against guessing: by person, network address, both, known device and session. */
import { defineEntity, p } from '@mikro-orm/core';

/** The failed sign-ins under one key. */
export const SignInGuard = defineEntity({
  name: 'SignInGuard',
  tableName: 'sign_in_guards',
  properties: {
    /**
     * `email/`, `pair/` (an e-mail address at a network address), `device/`, `session/`, `code/`, `code-device/`, `code-session/` or `reset/`, and
     * a SHA-256. People mistype passwords into the field of the address, so no text is stored. After `address/` and `reset-address/` comes the key
     * of limits.
     */
    key: p.text().primary(),
    /** Sign-ins that failed or are being checked. */
    failures: p.integer(),
    /** When they are forgotten. */
    overAt: p.datetime().index('sign_in_guards_over_at_index'),
  },
});

/** Passwords that were forgotten, in GraphQL. */
import { requestPasswordResetInput, resetPasswordInput } from '../../../modules/accounts/reset/reset.input.ts';
import { requestPasswordReset, resetPassword } from '../../../modules/accounts/reset/reset-password.ts';
import { builder } from '../../builder.ts';
import { byInput } from '../../from-zod.ts';
import { forStrangers } from './sign-in.ts';

builder.mutationFields(t => ({
  requestPasswordReset: t.boolean({
    description:
      'Has a link for a new password mailed to who signs in by this address; true whether anybody does or not. `RATE_LIMITED` after 3 for an address or 10 from a network address in 15 minutes; `NOT_FOUND` where no mail is set. For everyone.',
    policy: forStrangers,
    ...byInput(requestPasswordResetInput, 'The address.', requestPasswordReset),
  }),
  resetPassword: t.boolean({
    description:
      'Sets a new password by the link, which holds for 30 minutes and once, and ends all sessions of the person. It signs nobody in. `NOT_FOUND` where the link is over. For everyone.',
    policy: forStrangers,
    ...byInput(resetPasswordInput, 'The password.', resetPassword),
  }),
}));

/** The inputs of people who have forgotten their password. */
import { z } from 'zod';
import { chosen, given, sought } from '../people/people.input.ts';

/** The input of `requestPasswordReset`. */
export const requestPasswordResetInput = z
  .strictObject({ email: sought.meta({ description: 'The e-mail address' }) })
  .meta({ id: 'RequestPasswordResetInput', description: 'Who has forgotten the password' });

/** The input of `resetPassword`. */
export const resetPasswordInput = z
  .strictObject({
    token: given.meta({ description: 'The token of the link: what stands after `#`' }),
    password: chosen,
  })
  .meta({ id: 'ResetPasswordInput', description: 'A new password, by a link that was mailed' });

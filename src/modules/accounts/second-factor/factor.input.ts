/** The inputs of people about their second factor. */
import { z } from 'zod';

const code = z
  .string()
  .max(100, 'must have at most 100 characters')
  .meta({ description: 'A code of the app, or a recovery code; blanks and dashes do not count' });

const password = z
  .string()
  .max(1_024, 'must have at most 1024 characters')
  .meta({ description: 'The present password' });

/** The input of `signInWithCode`. */
export const signInWithCodeInput = z
  .strictObject({ code })
  .meta({ id: 'SignInWithCodeInput', description: 'The second step of a sign-in' });

/** The input of `startSecondFactor`. */
export const startSecondFactorInput = z
  .strictObject({ password })
  .meta({ id: 'StartSecondFactorInput', description: 'Who wants a second factor' });

/** The input of `confirmSecondFactor`. */
export const confirmSecondFactorInput = z
  .strictObject({ code: code.meta({ description: 'A code of the app; blanks do not count' }) })
  .meta({ id: 'ConfirmSecondFactorInput', description: 'What shows that the app has the secret' });

/** The input of `renewRecoveryCodes` and `turnOffSecondFactor`. */
export const provenInput = z
  .strictObject({ password, code })
  .meta({ id: 'ProvenInput', description: 'What shows that a person is who it is: the password and a code' });

/** The input of `requireSecondFactor`. */
export const requireSecondFactorInput = z
  .strictObject({
    accountId: z
      .string()
      .nullish()
      .meta({ description: 'The account, for an operator; absent: the one that the caller acts for' }),
    isRequired: z
      .boolean()
      .meta({ description: 'Whether everybody who signs in by password must have a second factor' }),
  })
  .meta({ id: 'RequireSecondFactorInput', description: 'Whether an account requires second factors' });

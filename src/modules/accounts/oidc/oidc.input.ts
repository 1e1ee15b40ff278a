/** The input of the way back from the OIDC provider. */
import { z } from 'zod';

/** The input of `signInByOidc`. */
export const signInByOidcInput = z
  .strictObject({
    address: z
      .string()
      .max(8_000, 'must have at most 8000 characters')
      .regex(/^\?[\x21-\x7e]*$/, 'must begin with ?')
      .meta({ description: 'What stands in the address of the page from `?` on' }),
  })
  .meta({ id: 'SignInByOidcInput', description: 'Who comes back from the provider' });

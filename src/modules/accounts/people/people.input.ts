/** The inputs of people about themselves: addresses, names and passwords. */
import { z } from 'zod';
import { oneOf } from '../../../kernel/input.ts';
import { ROLES } from '../../../kernel/role.ts';
import { nameInput, textInput } from '../../../kernel/storable.ts';

/** The longest address that mail knows (RFC 5321). */
const EMAIL_LENGTH_MAX = 254;

const PASSWORD_LENGTH = { min: 12, max: 128 } as const;

/** An address as it is looked for: it may be mistyped, and nothing is said of that. */
export const sought = textInput(EMAIL_LENGTH_MAX, z.string().trim().toLowerCase());

const email = sought.regex(z.regexes.email, 'must be an e-mail address').meta({ description: 'The e-mail address' });

/** A password to check: of any length, since a wrong one is only wrong. */
export const given = z.string().max(1_024, 'must have at most 1024 characters');

/** A new password. Its length is that of its normal form, which is what is hashed. */
export const chosen = z
  .string()
  .refine(text => text.isWellFormed(), 'holds a character that is none')
  .refine(
    text => lengthOf(text) >= PASSWORD_LENGTH.min && lengthOf(text) <= PASSWORD_LENGTH.max,
    `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`,
  )
  .meta({
    description: `The new password, ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters. One that is easy to guess is refused: a repetition, a sequence, a common password, the e-mail address`,
  });

function lengthOf(password: string): number {
  return [...password.normalize('NFKC')].length;
}

const role = oneOf(ROLES);

const name = nameInput(100).nullish();

/** The input of `signIn`. */
export const signInInput = z
  .strictObject({
    email: sought.meta({ description: 'The e-mail address' }),
    password: given.meta({ description: 'The password' }),
  })
  .meta({ id: 'SignInInput', description: 'Who signs in' });

/** The input of `signInAsOperator`. */
export const signInAsOperatorInput = z
  .strictObject({ token: given.meta({ description: "The operator's token (`OPERATOR_TOKEN`)" }) })
  .meta({ id: 'SignInAsOperatorInput', description: 'The operator who signs in' });

/** The input of `changePassword`. */
export const changePasswordInput = z
  .strictObject({ current: given.meta({ description: 'The present password' }), new: chosen })
  .meta({ id: 'ChangePasswordInput', description: 'A new password, and the one that it is for' });

/** The input of `inviteUser`. */
export const inviteUserInput = z
  .strictObject({
    accountId: z
      .string()
      .nullish()
      .meta({ description: 'The account, for an operator; absent: the one that the caller acts for' }),
    email,
    role: role.meta({ description: 'What the person may do' }),
  })
  .meta({ id: 'InviteUserInput', description: 'A person to invite' });

/** The input of `acceptInvitation`. */
export const acceptInvitationInput = z
  .strictObject({
    token: given.meta({ description: 'The token of the link: what stands after `#`' }),
    name: name.meta({ description: 'How the person is called, 1 to 100 characters' }),
    password: chosen,
  })
  .meta({ id: 'AcceptInvitationInput', description: 'A person who was invited' });

/** The input of `updateUser`. */
export const updateUserInput = z
  .strictObject({
    userId: z.string().meta({ description: 'The person' }),
    role: role.nullish().meta({ description: 'What the person may do' }),
    name: name.meta({ description: 'How the person is called; null takes the name away' }),
  })
  .meta({ id: 'UpdateUserInput', description: 'What changes of a person. What is absent stays as it is' });

/** Second factors in GraphQL: the second step of a sign-in, turning one on and off, and requiring one. */
import { Account } from '../../../modules/accounts/account.entity.ts';
import { viewerOf } from '../../../modules/accounts/people/viewer.ts';
import {
  confirmSecondFactorInput,
  provenInput,
  requireSecondFactorInput,
  signInWithCodeInput,
  startSecondFactorInput,
} from '../../../modules/accounts/second-factor/factor.input.ts';
import {
  confirmFactor,
  type NewFactor,
  renewRecoveryCodes,
  requireFactor,
  startFactor,
  takeFactorAway,
  turnOffFactor,
} from '../../../modules/accounts/second-factor/manage-factor.ts';
import { signInWithCode } from '../../../modules/accounts/second-factor/sign-in-with-code.ts';
import { builder } from '../../builder.ts';
import { byInput, inputArg } from '../../from-zod.ts';
import { forOwners, forSignedIn, forStrangers, ofOwners, UserRef, ViewerRef } from './sign-in.ts';

const NewSecondFactorRef = builder.objectRef<NewFactor>('NewSecondFactor').implement({
  description: 'The secret of a second factor that is not on yet, with its only sight.',
  fields: t => ({
    secret: t.member('secret', 'String', 'The secret in base32, to type into an app.'),
    uri: t.member('uri', 'String', 'The same as `otpauth://…`, which an app reads from a QR code.'),
  }),
});

const RecoveryCodesRef = builder.objectRef<readonly string[]>('RecoveryCodes').implement({
  description: 'Recovery codes with their only sight. Each signs in once, in the place of a code of the app.',
  fields: t => ({
    codes: t.field({ type: ['String'], description: 'The codes.', resolve: codes => [...codes] }),
  }),
});

const forEnrolment = { ...forSignedIn, isAlone: true, isForEnrolment: true } as const;

builder.mutationFields(t => ({
  signInWithCode: t.field({
    type: ViewerRef,
    description:
      'Signs in who was answered `SECOND_STEP` by `signIn` in this browser: by a code of the app, or a recovery code. Each is right once. `RATE_LIMITED` for 15 minutes after 5 wrong ones for the person; a browser that was signed in before is counted apart. For everyone.',
    policy: forStrangers,
    args: inputArg(signInWithCodeInput, 'The code.'),
    resolve: async (_root, { input }, ctx) => viewerOf(ctx, await signInWithCode(ctx, input)),
  }),
  startSecondFactor: t.field({
    type: NewSecondFactorRef,
    description:
      "Makes the secret of the caller's second factor, which is off until `confirmSecondFactor`. People of every role.",
    policy: forEnrolment,
    ...byInput(startSecondFactorInput, 'The password.', startFactor),
  }),
  confirmSecondFactor: t.field({
    type: RecoveryCodesRef,
    description:
      "Turns the caller's second factor on, ends the caller's other sessions, and answers recovery codes. People of every role.",
    policy: forEnrolment,
    ...byInput(confirmSecondFactorInput, 'A code of the app.', confirmFactor),
  }),
  renewRecoveryCodes: t.field({
    type: RecoveryCodesRef,
    description: 'Makes new recovery codes for the caller; those of before are right no more. People of every role.',
    policy: { ...forSignedIn, isAlone: true },
    ...byInput(provenInput, 'Password and code.', renewRecoveryCodes),
  }),
  turnOffSecondFactor: t.field({
    type: UserRef,
    description: "Turns the caller's second factor off. People of every role.",
    policy: { ...forSignedIn, isAlone: true },
    ...byInput(provenInput, 'Password and code.', turnOffFactor),
  }),
  takeSecondFactorAway: t.field({
    type: UserRef,
    description: `Takes the second factor of a person away who has lost it, and ends the person's sessions. ${ofOwners} The own one by \`turnOffSecondFactor\` alone.`,
    policy: forOwners,
    args: { userId: t.arg.string({ required: true, description: 'Id of the person, `usr_…`.' }) },
    resolve: (_root, { userId }, ctx) => takeFactorAway(ctx, userId),
  }),
  requireSecondFactor: t.field({
    type: Account,
    description: `Sets whether everybody of an account who signs in by password must have a second factor: who has none can do nothing but turn one on. ${ofOwners}`,
    policy: forOwners,
    ...byInput(requireSecondFactorInput, 'The rule.', requireFactor),
  }),
}));

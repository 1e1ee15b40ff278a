/** The secret key in GraphQL: what the operator does where one is lost. */
import { type ForgottenKey, forgetSecretKey } from '../../modules/keys/forget-key.ts';
import { builder } from '../builder.ts';

const ForgottenSecretKeyRef = builder.objectRef<ForgottenKey>('ForgottenSecretKey').implement({
  description: 'What was given up with a secret key that is lost.',
  fields: t => ({
    keyId: t.member('keyId', 'String', 'The id of the key, 8 hex digits.'),
    passcodes: t.member('passcodes', 'NonNegativeInt', 'Live passcodes that were cancelled.'),
    endpoints: t.member(
      'endpoints',
      'NonNegativeInt',
      'Webhook endpoints with a secret that is lost: they sign nothing until it is rotated.',
    ),
    connections: t.member(
      'connections',
      'NonNegativeInt',
      'Connections with a config that is lost: nothing goes by them until they are given one.',
    ),
    factors: t.member(
      'factors',
      'NonNegativeInt',
      'People with a second factor that is lost: they sign in by a recovery code, or once it is taken away.',
    ),
    rules: t.member('rules', 'NonNegativeInt', 'Alert rules that lost their Slack-compatible URL.'),
    stops: t.member('stops', 'NonNegativeInt', 'Erased recipients whose stop does not hold any more.'),
  }),
});

builder.mutationField('forgetSecretKey', t =>
  t.field({
    type: ForgottenSecretKeyRef,
    description:
      'Gives up what was made with a secret key that is lost for good, and hands the database to the current one. It cannot be undone. The operator only.',
    policy: { opens: 'operator' },
    args: {
      keyId: t.arg.string({
        required: true,
        description: 'The id of the lost key, as the refused start or `doctor` tells it.',
      }),
    },
    resolve: (_root, { keyId }, ctx) => forgetSecretKey(ctx, keyId),
  }),
);

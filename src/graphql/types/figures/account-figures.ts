/** `accountFigures` in GraphQL. */
import { type AccountFigures, accountFigures } from '../../../modules/figures/accounts/account-figures.ts';
import { builder } from '../../builder.ts';

const AccountFiguresRef = builder.objectRef<AccountFigures>('AccountFigures').implement({
  description: 'What an account sent within the last 24 hours and the present one.',
  fields: t => ({
    accountId: t.member('accountId', 'String', 'The account.'),
    attempts: t.member('attempts', 'NonNegativeInt', 'Attempts over all channels.'),
    accepted: t.member('accepted', 'NonNegativeInt', 'Those that a provider accepted, and that did not fail since.'),
    failed: t.member('failed', 'NonNegativeInt', 'Those that failed or expired.'),
  }),
});

builder.queryField('accountFigures', t =>
  t.field({
    type: [AccountFiguresRef],
    description:
      'What each account sent, side by side, oldest account first. What is newer than ten minutes may not be counted yet. The operator only.',
    policy: { opens: 'operator' },
    resolve: (_root, _args, ctx) => accountFigures(ctx),
  }),
);

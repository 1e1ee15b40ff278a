/** Tokens in GraphQL: the operator makes them, who manages an account lists, renames and revokes those of it. */
import {
  createToken,
  createTokenInput,
  listTokens,
  type NewToken,
  revokeToken,
  updateToken,
  updateTokenInput,
} from '../../modules/accounts/manage-tokens.ts';
import { TOKEN_MAKERS, Token } from '../../modules/accounts/token.entity.ts';
import { builder } from '../builder.ts';
import { AreaEnum } from '../enums.ts';
import { byInput, defineEnum } from '../from-zod.ts';

const TokenMakerEnum = defineEnum('TokenMaker', TOKEN_MAKERS, 'Who creates tokens.', {
  operator: 'The operator, by the API or signed in.',
  command_line: 'The operator at the command line.',
  user: 'A person of the account.',
  gateway: 'The gateway, with the demo account.',
});

const TokenRef = builder.objectType(Token, {
  name: 'Token',
  description: 'What opens one area of one account. The token itself is kept nowhere.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `tokenId`, for client caches.'),
    tokenId: t.member('id', 'String', 'Id of the token, `tok_…`.'),
    accountId: t.member('accountId', 'String', 'The account that it belongs to.'),
    area: t.member('area', AreaEnum, 'What it opens.'),
    name: t.nullable('name', 'String', 'What people call it; null: it has no name.'),
    prefix: t.member('prefix', 'String', 'Its first characters, to recognise it by.'),
    madeBy: t.nullable('madeBy', TokenMakerEnum, 'Who created it; null: nobody knows any more.'),
    makerEmail: t.nullable(
      'makerEmail',
      'String',
      'The e-mail address of the person who created it; null: no person did.',
    ),
    createdAt: t.member('createdAt', 'DateTime', 'When it was created.'),
    lastUsedAt: t.nullable('lastUsedAt', 'DateTime', 'When it was last used, to the minute; null: never.'),
    lastUsedFrom: t.nullable(
      'lastUsedFrom',
      'String',
      'The address that it was used from then; null: never, or it is not known.',
    ),
    expiresAt: t.nullable('expiresAt', 'DateTime', 'When it stops to open anything; null: never by itself.'),
    revokedAt: t.nullable('revokedAt', 'DateTime', 'When it was revoked; null: it was not.'),
  }),
});

const NewTokenRef = builder.objectRef<NewToken>('NewToken').implement({
  description: 'A token that was just created, with the only sight of its secret.',
  fields: t => ({
    token: t.member('token', TokenRef, 'The token as lists show it.'),
    secret: t.member('secret', 'String', 'The token itself, shown this once.'),
  }),
});

builder.queryField('tokens', t =>
  t.field({
    type: [TokenRef],
    description:
      'Tokens, those that were revoked or are over too, oldest first. Tokens: management (of its account); the operator: all.',
    policy: { opens: ['management'] },
    args: {
      accountId: t.arg.string({
        description: 'Of this account; absent: of the account of the token, or for an operator of all.',
      }),
    },
    resolve: (_root, { accountId }, ctx) => listTokens(ctx, accountId ?? null),
  }),
);

builder.mutationFields(t => ({
  createToken: t.field({
    type: NewTokenRef,
    description:
      'Creates a token. The operator; owners and developers, of their own account, but of the area `management` owners alone.',
    policy: { opens: 'operator', right: 'change' },
    ...byInput(createTokenInput, 'The token.', createToken),
  }),
  updateToken: t.field({
    type: TokenRef,
    description: 'Gives a token another name. Tokens: management (those of its account); the operator: any.',
    policy: { opens: ['management'] },
    ...byInput(updateTokenInput, 'What changes.', updateToken),
  }),
  revokeToken: t.field({
    type: TokenRef,
    description:
      'Revokes a token, everywhere within a second. Tokens: management (those of its account, itself too); the operator: any.',
    policy: { opens: ['management'] },
    args: { tokenId: t.arg.string({ required: true, description: 'The token.' }) },
    resolve: (_root, { tokenId }, ctx) => revokeToken(ctx, tokenId),
  }),
}));

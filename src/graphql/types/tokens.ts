/** Tokens in GraphQL: the operator makes them, who manages an account lists and revokes those of it. */
import { ORDINARY } from '../../kernel/field-policy.ts';
import {
  createToken,
  createTokenInput,
  listTokens,
  type NewToken,
  revokeToken,
} from '../../modules/accounts/manage-tokens.ts';
import { Token } from '../../modules/accounts/token.entity.ts';
import { builder } from '../builder.ts';
import { AreaEnum } from '../words.ts';

const TokenRef = builder.objectType(Token, {
  name: 'Token',
  description: 'What opens one area of one account. The token itself is kept nowhere.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The same as `tokenId`, for client caches.' }),
    tokenId: t.exposeString('id', { description: 'Id of the token, `tok_…`.' }),
    accountId: t.exposeString('accountId', { description: 'The account that it belongs to.' }),
    area: t.expose('area', { type: AreaEnum, description: 'What it opens.' }),
    prefix: t.exposeString('prefix', { description: 'Its first characters, to recognise it by.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null: never.',
      resolve: token => token.lastUsedAt ?? null,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it stops to open anything; null: never by itself.',
      resolve: token => token.expiresAt ?? null,
    }),
    revokedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null: it was not.',
      resolve: token => token.revokedAt ?? null,
    }),
  }),
});

const NewTokenRef = builder.objectRef<NewToken>('NewToken').implement({
  description: 'A token that was just created, with the only sight of its secret.',
  fields: t => ({
    token: t.expose('token', { type: TokenRef, description: 'The token as lists show it.' }),
    secret: t.exposeString('secret', { description: 'The token itself, shown this once.' }),
  }),
});

const CreateTokenInput = builder.inputType('CreateTokenInput', {
  description: 'A new token.',
  fields: t => ({
    accountId: t.string({ required: true, description: 'The account that it opens.' }),
    area: t.field({ type: AreaEnum, required: true, description: 'The area that it opens.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it stops to open anything, a time in the future; absent or null: never by itself.',
    }),
  }),
});

builder.queryField('tokens', t =>
  t.field({
    type: [TokenRef],
    description:
      'Tokens, those that were revoked or are over too, oldest first. Tokens: management (of its account); the operator: all.',
    policy: { ...ORDINARY, opens: ['management'] },
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
    description: 'Creates a token. The operator only.',
    policy: { ...ORDINARY, opens: 'operator' },
    args: {
      input: t.arg({
        type: CreateTokenInput,
        required: true,
        description: 'The token.',
        validate: { schema: createTokenInput },
      }),
    },
    resolve: (_root, { input }, ctx) => createToken(ctx, input),
  }),
  revokeToken: t.field({
    type: TokenRef,
    description:
      'Revokes a token, everywhere within a second. Tokens: management (those of its account, itself too); the operator: any.',
    policy: { ...ORDINARY, opens: ['management'] },
    args: { tokenId: t.arg.string({ required: true, description: 'The token.' }) },
    resolve: (_root, { tokenId }, ctx) => revokeToken(ctx, tokenId),
  }),
}));

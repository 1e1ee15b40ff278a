/** A token opens one area of an account. Only its SHA-256 is stored (contract §2). */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { AREAS } from '../../kernel/crypto/secrets.ts';
import { ownerIn } from './account.entity.ts';

/** Makers of tokens: the operator, by the API or signed in; the operator at the command line; a person; the gateway, with the demo account. */
export const TOKEN_MAKERS = ['operator', 'command_line', 'user', 'gateway'] as const;

/** One of them. */
export type TokenMaker = (typeof TOKEN_MAKERS)[number];

const TokenSchema = defineEntity({
  name: 'Token',
  tableName: 'tokens',
  properties: {
    id: p.type(new IdType('tok')).primary(),
    accountId: () => ownerIn('tokens').index('tokens_account_id_index'),
    area: p.enum([...AREAS]),
    /** SHA-256 of the token, lower-case hex. */
    hash: p.string().length(64).unique('tokens_hash_unique'),
    /** The first characters of the token, to recognise it in a list. */
    prefix: p.string().length(16),
    /** The name that people gave it; null: it has none. */
    name: p.text().nullable(),
    /** The kind of its maker; null: it is older than the audit trail. */
    madeBy: p.enum([...TOKEN_MAKERS]).nullable(),
    /** The address of the person who made it, which stays when the person is removed; null: no person did. */
    makerEmail: p.text().nullable(),
    createdAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
    /** When it expires; null: never. */
    expiresAt: p.datetime().nullable(),
    /** When it was last used, to the minute; null: never. */
    lastUsedAt: p.datetime().nullable(),
    /** The address that it was used from then; null: never, or it is not known. */
    lastUsedFrom: p.text().nullable(),
  },
});

/** One token of one area of one account. */
export class Token extends TokenSchema.class {}
TokenSchema.setClass(Token);

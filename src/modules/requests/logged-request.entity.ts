/** The request log: refused requests of accounts, and accepted ones where an account asks for them. Rows are never changed. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

/** Every kind of caller: a token, a signed-in person, the operator, or a stranger without a valid token or session. */
export const REQUEST_ACTORS = ['token', 'user', 'operator', 'stranger'] as const;

/** One of them. */
export type RequestActor = (typeof REQUEST_ACTORS)[number];

const LoggedRequestSchema = defineEntity({
  name: 'LoggedRequest',
  tableName: 'logged_requests',
  properties: {
    /** The id, made when the request was answered. */
    id: p.type(new IdType('rql')).primary(),
    /** Whose request it was; null: nobody's who is known, or an operator's who acted for no account. */
    accountId: p.type(new IdType('acc')).nullable(),
    actor: p.enum([...REQUEST_ACTORS]),
    tokenId: p.type(new IdType('tok')).nullable(),
    method: p.text(),
    /** The path of the route, or of what is none with `…` for all that is no plain word. */
    path: p.text(),
    /** The operation of GraphQL; null: REST, or it has no name. */
    operation: p.text().nullable(),
    /** The HTTP status of the answer. */
    status: p.integer(),
    /** Why it was refused, in lower case; null: it was accepted. */
    code: p.text().nullable(),
    /** The first field at fault. */
    field: p.text().nullable(),
    clientAddress: p.text().nullable(),
    durationMs: p.integer(),
    /** The `X-Request-Id`, with `…` for numbers in it that the caller chose. */
    requestId: p.text(),
    /** How many more of the account, refused or accepted as it is, were not kept in the minute after it. */
    leftOut: p.integer().default(0),
  },
  indexes: [
    { name: 'logged_requests_account_id_id_index', properties: ['accountId', 'id'] },
    { name: 'logged_requests_request_id_index', properties: ['requestId'] },
  ],
});

/** One request that was answered. */
export class LoggedRequest extends LoggedRequestSchema.class {}
LoggedRequestSchema.setClass(LoggedRequest);

/** Sessions of those who signed in by a browser. Only the SHA-256 of the token in their cookie is stored. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import { DashboardUser } from '../people/dashboard-user.entity.ts';

const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'dashboard_sessions',
  properties: {
    id: p.type(new IdType('ses')).primary(),
    /** SHA-256 of the session's token, lower-case hex. */
    hash: p.string().length(64).unique('dashboard_sessions_hash_unique').hidden(),
    /** The person who signed in; null: the operator. */
    userId: () =>
      p
        .manyToOne(DashboardUser)
        .mapToPk()
        .nullable()
        .fieldNames('user_id')
        .foreignKeyName('dashboard_sessions_user_id_foreign')
        .deleteRule('cascade')
        .index('dashboard_sessions_user_id_index'),
    /** SHA-256 of the operator's token that it was made with; null: a person's. */
    operatorHash: p.string().length(64).nullable().hidden(),
    /** The address that the sign-in came from. */
    clientAddress: p.text(),
    /** The beginning of the browser's `User-Agent`; null: it sent none. */
    userAgent: p.text().nullable(),
    createdAt: p.datetime(),
    /** When it was last used, to the minute. */
    lastSeenAt: p.datetime(),
    expiresAt: p.datetime().index('dashboard_sessions_expires_at_index'),
  },
});

/** One session. */
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);

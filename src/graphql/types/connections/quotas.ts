/** The limits of a number in GraphQL: `ProviderConnection.quota`. */
import { Connection } from '../../../modules/connections/connection.entity.ts';
import { ConnectionQuota } from '../../../modules/connections/quotas/connection-quota.entity.ts';
import { builder } from '../../builder.ts';
import './connections.ts';

const ConnectionQuotaRef = builder.objectType(ConnectionQuota, {
  name: 'ConnectionQuota',
  description: 'The limits that a provider sets to a number, read twice an hour, and at once for a new connection.',
  fields: t => ({
    quality: t.nullable(
      'quality',
      'String',
      'How people take its messages: `green`, `yellow` or `red`; null: it is not told.',
    ),
    reach: t.nullable(
      'reach',
      'NonNegativeInt',
      'How many people the business may write to first within 24 hours; null: without limit, or not told.',
    ),
    used: t.member(
      'used',
      'NonNegativeInt',
      'How many people it wrote to within the 24 hours before, by all of its numbers that this gateway has.',
    ),
    readAt: t.member('readAt', 'DateTime', 'When it was read.'),
  }),
});

builder.objectField(Connection, 'quota', t =>
  t.field({
    type: ConnectionQuotaRef,
    nullable: true,
    description: 'The limits that its provider sets to its number; null: it sets none, or was not asked yet.',
    resolve: ({ id }, _args, ctx) => ctx.em.findOne(ConnectionQuota, { connectionId: id }),
  }),
);

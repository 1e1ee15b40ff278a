/** The health of connections in GraphQL: `ProviderConnection.readings`. */
import { Connection } from '../../../modules/connections/connection.entity.ts';
import { ConnectionHealth, type HealthFigures } from '../../../modules/connections/health/connection-health.entity.ts';
import { ALL_COUNTRIES } from '../../../modules/connections/health/health.policy.ts';
import { builder } from '../../builder.ts';
import './connections.ts';

const HealthFiguresRef = builder.objectRef<HealthFigures>('HealthFigures').implement({
  description: 'What became of attempts within a time. Of a busy connection they are a sample.',
  fields: t => ({
    attempts: t.member('attempts', 'NonNegativeInt', 'Those that the provider was asked for and could have taken.'),
    taken: t.member('taken', 'NonNegativeInt', 'Those that the provider took.'),
    refused: t.member('refused', 'NonNegativeInt', 'Those that failed at once.'),
    unknown: t.member('unknown', 'NonNegativeInt', 'Those that the provider may have: no answer came.'),
    due: t.member(
      'due',
      'NonNegativeInt',
      'Those of the taken ones that are two minutes old, so that a receipt is due.',
    ),
    delivered: t.member('delivered', 'NonNegativeInt', 'Those of the due ones that were delivered.'),
    ackMs: t.nullable('ackMs', 'Float', 'The median time of an answer, in milliseconds; null: none came.'),
    receiptMs: t.nullable(
      'receiptMs',
      'Float',
      'The median time from the answer to the receipt of a delivery, in milliseconds; null: none came.',
    ),
  }),
});

const ConnectionReadingRef = builder.objectType(ConnectionHealth, {
  name: 'ConnectionReading',
  description: 'What a connection did lately for one country, or for all, counted each minute.',
  fields: t => ({
    country: t.string({
      nullable: true,
      description: "The recipients' country, ISO 3166-1 alpha-2; null: all countries.",
      resolve: ({ country }) => (country === ALL_COUNTRIES ? null : country),
    }),
    reason: t.nullable('reason', 'String', 'Why it is sick, in a sentence; null: it is well.'),
    hour: t.member('hour', HealthFiguresRef, 'The last hour.'),
    day: t.member('day', HealthFiguresRef, 'The last 24 hours.'),
    countedAt: t.member('countedAt', 'DateTime', 'When it was counted.'),
  }),
});

builder.objectField(Connection, 'readings', t =>
  t.field({
    type: [ConnectionReadingRef],
    description:
      'What it did lately: over all countries first, then for each country with 20 attempts within a day. Empty: nothing went by it, or nothing was counted yet.',
    resolve: ({ id }, _args, ctx) =>
      ctx.em.find(ConnectionHealth, { connectionId: id }, { orderBy: { country: 'asc' } }),
  }),
);

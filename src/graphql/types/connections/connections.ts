/** Connections in GraphQL: the operator's, listed for who manages an account (contract §12). */
import { z } from 'zod';
import { PROBE_RESULTS, type ProviderDefinition } from '../../../channels/contract.ts';
import { PROVIDERS } from '../../../channels/registry.ts';
import { removeConnection } from '../../../modules/chat-sessions/linking/link-connection.ts';
import { type Health, healthOf } from '../../../modules/connections/config-fault.ts';
import { Connection } from '../../../modules/connections/connection.entity.ts';
import {
  createConnectionInput,
  probeConnectionInput,
  updateConnectionInput,
} from '../../../modules/connections/connection.input.ts';
import { type ConnectionFigures, connectionFigures } from '../../../modules/connections/connection-figures.ts';
import { findGaps } from '../../../modules/connections/find-gaps.ts';
import {
  createConnection,
  listConnections,
  renewReceiptsUrl,
  shownConfig,
  shownReceiptsUrl,
  updateConnection,
} from '../../../modules/connections/manage-connections.ts';
import { type ConnectionProbe, probeConnection } from '../../../modules/connections/probe-connection.ts';
import { type ConnectionTest, testConnection } from '../../../modules/connections/test-connection.ts';
import { builder } from '../../builder.ts';
import { ChannelEnum, PurposeEnum } from '../../enums.ts';
import { byInput, defineEnum } from '../../from-zod.ts';

const HealthStatusEnum = defineEnum('HealthStatus', ['unknown', 'up', 'down'], 'How a connection is.', {
  unknown: 'It was not used yet.',
  up: 'It takes what it is given.',
  down: 'It fails, or its session is not bound: the next connection is asked.',
});

const OutcomeEnum = defineEnum(
  'HandOverOutcome',
  ['accepted', 'rejected', 'throttled', 'unavailable', 'unknown'],
  'What became of a hand-over.',
  {
    accepted: 'The provider took it.',
    rejected: 'The provider refused it.',
    throttled: 'The provider takes no more for now.',
    unavailable: 'The provider could not be reached, and has nothing of it.',
    unknown: 'The provider may have it: the answer never came.',
  },
);

/** `ProbeResult` */
export const ProbeResultEnum = defineEnum('ProbeResult', PROBE_RESULTS, 'What a try without a text found.', {
  works: 'The provider lets the gateway in.',
  refused: 'The provider answered, and refused the gateway.',
  unreachable: 'Nothing answered as the provider.',
  unclear: 'What answered did not say.',
});

const ConnectionProbeRef = builder.objectRef<ConnectionProbe>('ConnectionProbe').implement({
  description: 'What came of a try without a text.',
  fields: t => ({
    result: t.member('result', ProbeResultEnum, 'What was found.'),
    message: t.member('message', 'String', 'The same in a sentence, and what to do about it.'),
    field: t.string({
      nullable: true,
      description: 'The input that is at fault, like `config.accessToken`; null: no single one is known.',
      resolve: ({ field }) => (field === undefined ? null : `config.${field}`),
    }),
    milliseconds: t.member('milliseconds', 'NonNegativeInt', 'How long it took.'),
  }),
});

const ProviderInfoRef = builder.objectRef<ProviderDefinition<unknown>>('ProviderInfo').implement({
  description: 'A provider that a connection can have.',
  fields: t => ({
    id: t.member('id', 'ID', 'Its id, for `createConnection`.'),
    label: t.member('label', 'String', 'Its name for people.'),
    channels: t.field({
      type: [ChannelEnum],
      description: 'What it can send over.',
      resolve: ({ capabilities }) => [...capabilities.channels],
    }),
    configSchema: t.field({
      type: 'JSONObject',
      description:
        'The JSON Schema of its config. What is secret has `writeOnly`; `group` says where in a form it stands: `where`, `who`, `answers` or `tuning`.',
      resolve: ({ configSchema }) => jsonSchemaOf(configSchema),
    }),
  }),
});

/** The schema of what is given, with secrets as JSON Schema says them. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (jsonSchema.secret !== true) return;
      delete jsonSchema.secret;
      jsonSchema.writeOnly = true;
    },
  });
}

const ConnectionFiguresRef = builder.objectRef<ConnectionFigures>('ConnectionFigures').implement({
  description: 'What went by a connection to one country.',
  fields: t => ({
    country: t.nullable('country', 'String', "The recipients' country, ISO 3166-1 alpha-2; null: unknown."),
    attempts: t.member('attempts', 'NonNegativeInt', 'Attempts.'),
    accepted: t.member('accepted', 'NonNegativeInt', 'Those that the provider took, and did not report as lost.'),
    delivered: t.member('delivered', 'NonNegativeInt', 'Those that were reported as delivered.'),
    failed: t.member('failed', 'NonNegativeInt', 'Those that failed, at once or by a receipt.'),
    unknown: t.member('unknown', 'NonNegativeInt', 'Those that the provider may have.'),
    medianMs: t.nullable('median_ms', 'Float', 'The median time of a hand-over, in milliseconds.'),
    p95Ms: t.nullable('p95_ms', 'Float', 'The time within which 95 % of them ended, in milliseconds.'),
  }),
});

const ConnectionHealthRef = builder.objectRef<Health & { readonly of: Connection }>('ConnectionHealth').implement({
  description: 'How a connection is, as the process said that saw it change last.',
  fields: t => ({
    status: t.member('health', HealthStatusEnum, 'How it is.'),
    lastError: t.nullable('healthError', 'String', 'Why it is down; null: it is not.'),
    nextTryAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When a connection that is down is tried again: a standing one (SMPP) by itself, another with the first message from then on. Null: it is not down, or is being tried.',
      resolve: ({ of, health }, _args, { clock, services }) => {
        const waitMs = health === 'down' ? services.providers.retryInMs(of.id) : null;
        return waitMs === null ? null : new Date(clock.now().getTime() + waitMs);
      },
    }),
    since: t.nullable(
      'healthSince',
      'DateTime',
      'Since when it is so; null: it was not used yet, or its config cannot be used.',
    ),
    figures: t.field({
      type: [ConnectionFiguresRef],
      description:
        'What went by it within the last 24 hours (the newest 20,000 attempts of them), by country, the most first.',
      resolve: ({ of }, _args, ctx) => connectionFigures(ctx, of),
    }),
  }),
});

const ConnectionRef = builder.objectType(Connection, {
  name: 'ProviderConnection',
  description: 'One configured provider for one channel, of one account or shared by all.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `connectionId`, for client caches.'),
    connectionId: t.member('id', 'String', 'Id of the connection, `con_…`.'),
    accountId: t.nullable('accountId', 'String', 'The account that it belongs to; null: it is shared.'),
    provider: t.member('provider', 'String', 'The id of its provider.'),
    channel: t.member('channel', ChannelEnum, 'What it sends over.'),
    name: t.member('name', 'String', 'What people call it.'),
    config: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Its config, secrets masked; null: the secret key that opens it is lost.',
      resolve: (connection, _args, ctx) => shownConfig(ctx, connection),
    }),
    receiptsUrl: t.string({
      nullable: true,
      description:
        'Where its provider reports by HTTP: the address alone is proof for providers that sign nothing. Null where it does not (SMPP), for all but the operator, and where its secret key is lost.',
      resolve: (connection, _args, ctx) => shownReceiptsUrl(ctx, connection),
    }),
    priority: t.member('priority', 'NonNegativeInt', 'The lowest goes first.'),
    weight: t.member('weight', 'PositiveInt', 'Its share of the recipients among connections with the same priority.'),
    countries: t.nullable('countries', ['String'], "The recipients' countries, ISO 3166-1 alpha-2; null: all."),
    purposes: t.nullable('purposes', [PurposeEnum], 'What it sends; null: all.'),
    paused: t.member('isPaused', 'Boolean', 'Whether nothing more goes by it.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it was created.'),
    updatedAt: t.member('updatedAt', 'DateTime', 'When it was last changed.'),
    health: t.field({
      type: ConnectionHealthRef,
      description: 'How it is.',
      resolve: (connection, _args, ctx) => ({ ...healthOf(ctx, connection), of: connection }),
    }),
  }),
});

const ConnectionTestRef = builder.objectRef<ConnectionTest>('ConnectionTest').implement({
  description: 'What came of one real hand-over.',
  fields: t => ({
    outcome: t.member('outcome', OutcomeEnum, 'What became of it.'),
    code: t.nullable('code', 'String', 'Why it was not accepted, in a word.'),
    message: t.nullable('message', 'String', 'Why it was not accepted, in a sentence.'),
    providerMessageId: t.nullable('providerMessageId', 'String', "The provider's id of what it accepted."),
    milliseconds: t.member('milliseconds', 'NonNegativeInt', 'How long the provider took.'),
  }),
});

builder.queryFields(t => ({
  providers: t.field({
    type: [ProviderInfoRef],
    description: 'Every provider that a connection can have. Tokens: management; the operator.',
    policy: { opens: ['management'] },
    resolve: () => [...PROVIDERS],
  }),
  connections: t.field({
    type: [ConnectionRef],
    description:
      'Connections in the order in which they are tried, secrets masked. Tokens: management (of its account); the operator: of any account, and the shared ones.',
    policy: { opens: ['management'] },
    args: {
      accountId: t.arg.string({
        description:
          'Of this account, which a token need not name. For an operator null: the shared ones; absent: all, by account.',
      }),
    },
    resolve: (_root, { accountId }, ctx) => listConnections(ctx, accountId),
  }),
  connectionGaps: t.field({
    type: ['String'],
    description:
      'What fails with `no_route` while the connections stay as they are, a sentence each; empty where there is no connection. Tokens: as `connections`.',
    policy: { opens: ['management'] },
    args: {
      accountId: t.arg.string({
        description: 'Of this account; absent: of the account of the token, or for an operator the shared ones.',
      }),
    },
    resolve: (_root, { accountId }, ctx) => findGaps(ctx, accountId ?? null),
  }),
}));

const connectionId = 'The connection.';

builder.mutationFields(t => ({
  createConnection: t.field({
    type: ConnectionRef,
    description: 'Connects a provider, for every process within a second. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(createConnectionInput, 'The connection.', createConnection),
  }),
  updateConnection: t.field({
    type: ConnectionRef,
    description: 'Changes a connection, for every process within a second. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(updateConnectionInput, 'What changes.', updateConnection),
  }),
  deleteConnection: t.field({
    type: ConnectionRef,
    description:
      'Removes a connection: nothing more goes by it, and what is in flight ends; receipts by HTTP are still taken. The operator only.',
    policy: { opens: 'operator' },
    args: { connectionId: t.arg.string({ required: true, description: connectionId }) },
    resolve: (_root, args, ctx) => removeConnection(ctx, args.connectionId),
  }),
  renewReceiptsUrl: t.field({
    type: ConnectionRef,
    description:
      'Gives a connection another `receiptsUrl`, for every process within a second; what comes by the one before is refused from then on. The operator only.',
    policy: { opens: 'operator' },
    args: { connectionId: t.arg.string({ required: true, description: connectionId }) },
    resolve: (_root, args, ctx) => renewReceiptsUrl(ctx, args.connectionId),
  }),
  probeConnection: t.field({
    type: ConnectionProbeRef,
    description:
      'Tries a config before it is kept, within 10 seconds: signs in at the provider, and sends no text. The operator only.',
    policy: { opens: 'operator', deadlineFor: 'nobody' },
    ...byInput(probeConnectionInput, 'The config.', probeConnection),
  }),
  testConnection: t.field({
    type: ConnectionTestRef,
    description:
      'Hands one text to the provider of a connection. It costs no credits, and is not logged. The operator only.',
    policy: { opens: 'operator', deadlineFor: 'nobody' },
    args: {
      connectionId: t.arg.string({ required: true, description: connectionId }),
      to: t.arg.string({ required: true, description: 'The recipient, with country code.' }),
      text: t.arg.string({ description: 'The text; absent: a test message.' }),
      from: t.arg.string({ description: 'The sender; absent: the default one of the account.' }),
      cloudTemplate: t.arg.string({
        description:
          'A template of a cloud chat in the place of the text: `name:language`. Free text reaches only who wrote lately.',
      }),
    },
    resolve: (_root, args, ctx) => testConnection(ctx, args),
  }),
}));

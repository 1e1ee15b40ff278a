/** Templates of cloud chats in GraphQL: listed for who manages an account, synchronised and made by the operator. */
import { CloudTemplate } from '../../../modules/templates/cloud-template.entity.ts';
import {
  createOtpTemplate,
  createOtpTemplateInput,
  type TemplateCreation,
} from '../../../modules/templates/create-otp-template.ts';
import {
  listTemplateConnections,
  listTemplates,
  listTemplatesInput,
} from '../../../modules/templates/list-templates.ts';
import { syncTemplates, type TemplateSync } from '../../../modules/templates/sync-templates.ts';
import { parameterCountOf, previewOf } from '../../../modules/templates/template-text.policy.ts';
import { builder } from '../../builder.ts';
import { connectionOf, toConnection } from '../../connection.ts';
import { argsFrom, byInput } from '../../from-zod.ts';
import { AttemptConnectionRef, CONNECTION_FIELD } from '../attempt-connection.ts';
import { ProbeResultEnum } from '../connections/connections.ts';

const CloudTemplateRef = builder.objectType(CloudTemplate, {
  name: 'CloudTemplateEntry',
  description: 'A message template of a cloud chat in one language, as its provider told it last.',
  fields: t => ({
    id: t.member('id', 'ID', 'Names the entry, for client caches.'),
    name: t.member('name', 'String', 'Its name, for `cloudTemplate`.'),
    language: t.member('language', 'String', 'Its language, like `en_US`.'),
    category: t.member('category', 'String', "The provider's word, like `UTILITY` or `AUTHENTICATION`."),
    status: t.member('status', 'String', "The provider's word: `APPROVED` can be sent."),
    reason: t.nullable('reason', 'String', "Why it has its status, in the provider's word; null: none was told."),
    components: t.field({
      type: ['JSONObject'],
      description: 'Its parts, as the provider has them.',
      resolve: ({ components }) => components.map(component => ({ ...component })),
    }),
    preview: t.string({
      nullable: true,
      description: 'The text of its body, filled as a send would fill it; null: the provider has not told it yet.',
      args: {
        components: t.arg({
          type: ['JSONObject'],
          description: 'The `components` of a send. A placeholder that none of them fills stays; absent: all stay.',
        }),
      },
      resolve: ({ components }, given) => previewOf(components, given.components ?? []),
    }),
    parameterCount: t.field({
      type: 'NonNegativeInt',
      description: 'How many parameters its body takes.',
      resolve: ({ components }) => parameterCountOf(components),
    }),
    connection: t.field({ ...CONNECTION_FIELD, description: 'The connection that sends by it.' }),
    syncedAt: t.member('syncedAt', 'DateTime', 'When the provider told it last.'),
  }),
});

const CloudTemplateConnection = connectionOf(CloudTemplateRef, 'CloudTemplateEntry', 'templates', 'A template');

const TemplateSyncRef = builder.objectRef<TemplateSync>('TemplateSync').implement({
  description: 'What came of a synchronisation.',
  fields: t => ({
    result: t.member('result', ProbeResultEnum, 'Whether the provider could be asked.'),
    message: t.member('message', 'String', 'The same in a sentence, and what to do about it.'),
    total: t.nullable('total', 'NonNegativeInt', 'How many templates it has; null: it could not be asked.'),
  }),
});

const TemplateCreationRef = builder.objectRef<TemplateCreation>('TemplateCreation').implement({
  description: 'What became of a template that was to be made.',
  fields: t => ({
    result: t.member('result', ProbeResultEnum, 'Whether the provider made it.'),
    message: t.member('message', 'String', 'The same in a sentence, and what to do about it.'),
    template: t.nullable('template', CloudTemplateRef, 'The template; null: there is none.'),
  }),
});

builder.queryFields(t => ({
  cloudTemplates: t.field({
    type: CloudTemplateConnection,
    description:
      'The templates of the connections by which the account sends, by name. Tokens: management; the operator: also those of all accounts.',
    policy: { opens: ['management'] },
    ...argsFrom(listTemplatesInput),
    resolve: async (_root, args, ctx) => toConnection(await listTemplates(ctx, args)),
  }),
  templateConnections: t.field({
    type: [AttemptConnectionRef],
    description:
      'The connections of which `cloudTemplates` tells: those whose providers list templates. Tokens: as there.',
    policy: { opens: ['management'] },
    resolve: (_root, _args, ctx) => listTemplateConnections(ctx),
  }),
}));

builder.mutationFields(t => ({
  syncTemplates: t.field({
    type: TemplateSyncRef,
    description:
      'Asks the provider of a connection for its templates, within a minute. By itself that is done each hour. The operator only.',
    policy: { opens: 'operator', deadlineFor: 'nobody' },
    args: { connectionId: t.arg.string({ required: true, description: 'The connection.' }) },
    resolve: (_root, { connectionId }, ctx) => syncTemplates(ctx, connectionId),
  }),
  createOtpTemplate: t.field({
    type: TemplateCreationRef,
    description:
      'Lets the provider of a connection make a template for codes, which it looks at before it can be used. The operator only.',
    policy: { opens: 'operator', deadlineFor: 'nobody' },
    ...byInput(createOtpTemplateInput, 'The template.', createOtpTemplate),
  }),
}));

/** Message templates of cloud chats, as their provider had them when it was asked last (contract §12). */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { Connection } from '../connections/connection.entity.ts';

const CloudTemplateSchema = defineEntity({
  name: 'CloudTemplate',
  tableName: 'cloud_templates',
  properties: {
    id: p.type(new IdType('tpl')).primary(),
    /** Whose business account has it. */
    connectionId: () =>
      p
        .manyToOne(Connection)
        .mapToPk()
        .fieldNames('connection_id')
        .foreignKeyName('cloud_templates_connection_id_foreign')
        .deleteRule('no action'),
    name: p.text(),
    language: p.text(),
    /** The provider's word, as the status is. */
    category: p.text(),
    status: p.text(),
    /** Why it has this status, in the provider's word. */
    reason: p.text().nullable(),
    /** Its parts, as the provider has them. */
    components: p.json<readonly Record<string, unknown>[]>(),
    /** When the provider was asked, or told of it by itself. */
    syncedAt: p.datetime(),
  },
  uniques: [
    {
      name: 'cloud_templates_connection_id_name_language_unique',
      properties: ['connectionId', 'name', 'language'],
    },
  ],
});

/** One template in one language, of one connection. */
export class CloudTemplate extends CloudTemplateSchema.class {}
CloudTemplateSchema.setClass(CloudTemplate);

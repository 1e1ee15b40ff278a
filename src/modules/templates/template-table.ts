/** The templates of cloud chats in memory: read at the start, and again within a second of each change. */
import { announcing, LiveReading } from '../../db/feeds/live-reading.ts';
import type { Database } from '../../db/orm.ts';
import type { CloudTemplates } from '../../kernel/process/cloud-templates.ts';
import { CloudTemplate } from './cloud-template.entity.ts';
import { faultOf, type KnownTemplate, otherCategoryOf, otpFaultOf } from './template-fault.policy.ts';

/** The channel of LISTEN and NOTIFY. Its payload is empty: all templates are read again. */
export const TEMPLATE_CHANNEL = 'heliograph_templates';

interface TemplateTable extends CloudTemplates {
  close(): Promise<void>;
}

/** Reads the templates, and listens. @param onError told what could not be read; what was read before holds until it can. @throws errors of the database */
export async function openTemplates(database: Database, onError: (error: unknown) => void): Promise<TemplateTable> {
  // By their connections, and then by their names: a send looks one up.
  let known = new Map<string, ReadonlyMap<string, readonly KnownTemplate[]>>();
  const read = async (): Promise<void> => {
    const rows = await database.fork().find(CloudTemplate, {}, { exclude: ['components'], disableIdentityMap: true });
    const byConnection = Map.groupBy(rows, ({ connectionId }) => connectionId);
    known = new Map(
      [...byConnection].map(([connectionId, templates]) => [connectionId, Map.groupBy(templates, ({ name }) => name)]),
    );
  };
  const reading = new LiveReading({ database, channel: TEMPLATE_CHANNEL, read, onError });
  await reading.open();
  return {
    faultOf: (connectionId, template) => faultOf(known.get(connectionId)?.get(template.name) ?? [], template.language),
    otpFaultOf(connectionIds, template) {
      const all = connectionIds.flatMap(id => [...(known.get(id)?.values() ?? [])].flat());
      return otpFaultOf(all, template);
    },
    otherCategoryOf: (connectionIds, name) =>
      otherCategoryOf(connectionIds.flatMap(id => known.get(id)?.get(name) ?? [])),
    refresh: () => reading.refresh(),
    close: () => reading.close(),
  };
}

/** Tells every process that templates have changed, when the transaction commits. */
export const announceTemplates = announcing(TEMPLATE_CHANNEL);

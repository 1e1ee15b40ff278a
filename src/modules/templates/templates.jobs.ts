/** The jobs of templates. */
import type { Ctx } from '../../context.ts';
import { statement } from '../../db/statements/statement.ts';
import { defineJob } from '../../queue/kit.ts';
import { Connection } from '../connections/connection.entity.ts';
import { SYNC_TEMPLATES } from '../connections/live/sync-templates.ts';
import { CloudTemplate } from './cloud-template.entity.ts';
import { syncFace } from './sync-templates.ts';
import { announceTemplates } from './template-table.ts';

const FORGET = statement('forget templates of removed connections', {
  sql: () =>
    `delete from cloud_templates t using connections c where c.id = t.connection_id and c.removed_at is not null`,
});

/** Asks every provider for its templates each hour, and that of one connection where it is named. */
export const syncTemplatesJob = defineJob({
  ...SYNC_TEMPLATES,
  async run(ctx: Ctx, { connectionId }) {
    // A connection that has just been made may not be known here yet.
    await ctx.services.providers.refresh();
    await (connectionId === undefined ? syncAll(ctx) : syncOne(ctx, connectionId));
  },
});

async function syncAll(ctx: Ctx): Promise<void> {
  await FORGET.run(ctx.services.database.sql());
  for (const { id: connectionId } of await ctx.em.find(Connection, { removedAt: null }, { fields: ['id'] }))
    await syncOne(ctx, connectionId).catch((error: unknown) =>
      ctx.log.warn({ connectionId, err: error }, 'templates were not synchronised'),
    );
}

/** One that fails says so, and holds up no other. */
async function syncOne(ctx: Ctx, connectionId: string): Promise<void> {
  const provider = ctx.services.providers.of(connectionId);
  if (!provider) return;
  const { templates } = provider;
  if (!templates) return forget(ctx, connectionId);
  const { result, message } = await syncFace(ctx, { connection: { id: connectionId }, templates });
  if (result !== 'works') ctx.log.warn({ connectionId, result, reason: message }, 'templates were not synchronised');
}

/** Forgets the templates of a connection that has none any more: its config was changed. */
async function forget({ em }: Ctx, connectionId: string): Promise<void> {
  await em.transactional(async tx => {
    const count = await tx.nativeDelete(CloudTemplate, { connectionId });
    if (count > 0) await announceTemplates(tx);
  });
}

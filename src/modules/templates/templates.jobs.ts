/** The jobs of templates. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { statement } from '../../db/statements/statement.ts';
import { defineJob } from '../../queue/kit.ts';
import { Connection } from '../connections/connection.entity.ts';
import { syncFace } from './sync-templates.ts';

const FORGET = statement('forget templates of removed connections', {
  sql: () =>
    `delete from cloud_templates t using connections c where c.id = t.connection_id and c.removed_at is not null`,
});

/** Asks every provider for its templates each hour, and that of one connection where it is named. */
export const syncTemplatesJob = defineJob({
  name: 'sync-templates',
  schema: z.object({ connectionId: z.string().optional() }),
  // The next hour follows.
  queue: { retryLimit: 0, deleteAfterSeconds: 86_400, expireInSeconds: 1_800 },
  cron: '7 * * * *',
  run: (ctx: Ctx, { connectionId }) => (connectionId === undefined ? syncAll(ctx) : syncOne(ctx, connectionId)),
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
  const templates = ctx.services.providers.of(connectionId)?.templates;
  if (!templates) return;
  const { result, message } = await syncFace(ctx, { connection: { id: connectionId }, templates });
  if (result !== 'works') ctx.log.warn({ connectionId, result, reason: message }, 'templates were not synchronised');
}

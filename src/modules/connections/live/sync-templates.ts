/** The job that asks providers for their templates. Its verb is in `templates`, which knows connections: these know nothing of templates. */
import { z } from 'zod';
import { CHANNEL_FACTS } from '../../../kernel/channel.ts';
import type { JobDefinition, Jobs } from '../../../queue/kit.ts';
import type { Connection } from '../connection.entity.ts';

const syncTemplatesPayload = z.object({
  /** The connection whose provider is asked; absent: all are. */
  connectionId: z.string().optional(),
});

/** The job: each hour for all, and at once for one that is new or has changed. */
export const SYNC_TEMPLATES: JobDefinition<z.infer<typeof syncTemplatesPayload>> & { readonly cron: string } = {
  name: 'sync-templates',
  schema: syncTemplatesPayload,
  // The next hour follows.
  queue: { retryLimit: 0, deleteAfterSeconds: 86_400, expireInSeconds: 1_800 },
  cron: '7 * * * *',
};

/** Lets a connection be asked when the transaction of `em` commits, where its channel has templates. */
export async function askForTemplates(
  jobs: Jobs,
  em: Parameters<Jobs['enqueue']>[0],
  { id, channel }: Pick<Connection, 'id' | 'channel'>,
): Promise<void> {
  if (CHANNEL_FACTS[channel].templateField === null) return;
  await jobs.enqueue(em, SYNC_TEMPLATES, [{ connectionId: id }]);
}

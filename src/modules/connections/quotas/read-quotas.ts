/** The verb *read quotas*: the limits that providers set to numbers, and how much of them is used (WhatsApp: quality and reach). */
import { z } from 'zod';
import type { Ctx } from '../../../context.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { defineJob } from '../../../queue/kit.ts';
import { Connection } from '../connection.entity.ts';
import { noteNumber } from '../live/note-number.ts';
import { COUNT_USED, KEEP_QUOTA } from './quotas.sql.ts';

/** How long a provider may take to answer. */
const DEADLINE_MS = 10_000;

const readQuotasPayload = z.object({
  /** The connection whose provider is asked; absent: all are. */
  connectionId: z.string().optional(),
});

/** Reads those of all connections, or of one. A provider that does not answer leaves what was known. */
export async function readQuotas(ctx: Ctx, { connectionId }: z.infer<typeof readQuotasPayload> = {}): Promise<void> {
  const { em, log } = ctx;
  const { providers, database } = ctx.services;
  await providers.refresh();
  const all = await em.find(Connection, { removedAt: null }, { fields: ['id'] });
  const asked = all.filter(({ id }) => id === (connectionId ?? id));
  const each = async (run: (id: string) => Promise<unknown>): Promise<void> => {
    for (const { id } of asked)
      await run(id).catch((error: unknown) =>
        log.warn({ connectionId: id, err: error }, 'the limits of a number could not be read'),
      );
  };
  await each(async id => {
    const quota = await providers.of(id)?.quota?.(AbortSignal.timeout(DEADLINE_MS));
    if (!quota) return;
    const { number, ...limits } = quota;
    if (number !== null) await noteNumber(ctx, [id], number);
    await KEEP_QUOTA.run(database.sql(), { connection: toUuid(id), ...limits });
  });
  // When it is known which numbers use a reach together.
  await each(id => COUNT_USED.run(database.sql(), { connection: toUuid(id) }));
}

/** Reads the limits twice an hour, for a reach that is used up stops all new people of a business. A new connection is asked at once. */
export const readQuotasJob = defineJob({
  name: 'read-quotas',
  schema: readQuotasPayload,
  // The next run follows.
  queue: { retryLimit: 0, deleteAfterSeconds: 86_400, expireInSeconds: 1_200 },
  cron: '13,43 * * * *',
  run: readQuotas,
});

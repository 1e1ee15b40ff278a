/** The job of receipts: what they are matched by is forgotten when none can come any more. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineJob } from '../../queue/kit.ts';

const purgeParts = definePurge('attempt_parts', 'connection_id, part_id', `created_at < now() - interval '7 days'`);

/** Deletes the parts of texts that are a week old: a receipt that comes later is one of nothing known. */
export const purgePartsJob = defineJob({
  name: 'purge-parts',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '17 * * * *',
  run: ({ services: { database } }: Ctx) => purgeParts(database.sql()),
});

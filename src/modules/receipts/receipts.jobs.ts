/** The job of receipts: what they are matched by is forgotten when none can come any more. */
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineRecurring } from '../../queue/kit.ts';

const purgeParts = definePurge('attempt_parts', 'connection_id, part_id', `created_at < now() - interval '7 days'`);

/** Deletes the parts of texts that are a week old: a receipt that comes later is one of nothing known. */
export const purgePartsJob = defineRecurring({
  name: 'purge-parts',
  cron: '17 * * * *',
  run: ({ services: { database } }: Ctx) => purgeParts(database.sql()),
});

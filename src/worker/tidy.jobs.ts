/** The job that keeps the embedded database in order. */
import type { Ctx } from '../context.ts';
import { tidyEmbedded } from '../db/embedded/tidy-embedded.ts';
import { defineRecurring } from '../queue/kit.ts';

/** A turn of vacuums and checkpoints, each minute: what is left over waits for the next. A server needs none of it. */
export const tidyEmbeddedJob = defineRecurring({
  name: 'tidy-embedded',
  queue: { retryLimit: 0, deleteAfterSeconds: 3_600 },
  cron: '* * * * *',
  engine: 'pglite',
  run: (ctx: Ctx) => tidyEmbedded(ctx.services.database),
});

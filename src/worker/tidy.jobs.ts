/** The job that keeps the embedded database in order. */
import { z } from 'zod';
import type { Ctx } from '../context.ts';
import { tidyEmbedded } from '../db/embedded/tidy-embedded.ts';
import { defineJob } from '../queue/kit.ts';

/** A turn of vacuums and checkpoints, each minute: what is left over waits for the next. A server needs none of it. */
export const tidyEmbeddedJob = defineJob({
  name: 'tidy-embedded',
  schema: z.object({}),
  queue: { retryLimit: 0, deleteAfterSeconds: 3_600 },
  cron: '* * * * *',
  engine: 'pglite',
  run: (ctx: Ctx) => tidyEmbedded(ctx.services.database),
});

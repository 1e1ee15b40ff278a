/** The jobs of OTPs. */
import { z } from 'zod';
import { defineJob } from '../../queue/kit.ts';
import { expireOtps } from './expire-otps.ts';
import { purgeOtps } from './purge-otps.ts';

/** Ends the OTPs whose time is over. A verify does not wait for it: it goes by the time itself. */
export const expireOtpsJob = defineJob({
  name: 'expire-otps',
  schema: z.object({}),
  // The next minute's run makes up for one that failed.
  queue: { retryLimit: 0, deleteAfterSeconds: 3_600 },
  cron: '* * * * *',
  run: expireOtps,
});

/** Forgets what OTPs and their limits need no longer. */
export const purgeOtpsJob = defineJob({
  name: 'purge-otps',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '37 * * * *',
  run: purgeOtps,
});

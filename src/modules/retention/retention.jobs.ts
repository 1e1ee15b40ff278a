/** The jobs of retention: nothing is kept for ever. */
import type { Ctx } from '../../context.ts';
import { defineRecurring } from '../../queue/kit.ts';
import { blankTexts } from './blank-texts.ts';
import { dropMonths } from './drop-months.ts';

/** Blanks the texts whose time is over, once a day. */
export const blankTextsJob = defineRecurring({
  name: 'blank-texts',
  // A retry goes on where the last try broke off; the next day's run makes up for one that failed.
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400, expireInSeconds: 3_600 },
  cron: '23 3 * * *',
  run: (ctx: Ctx) => blankTexts(ctx),
});

/** Drops the months whose time is over. Daily, so that a table that was in use is dropped the day after. */
export const dropMonthsJob = defineRecurring({
  name: 'drop-months',
  queue: { retryLimit: 5, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400, expireInSeconds: 3_600 },
  cron: '43 3 * * *',
  run: async (ctx: Ctx) => void (await dropMonths(ctx)),
});

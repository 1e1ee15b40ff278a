/** Tells every process, by NOTIFY, which entries a commit added to the log; `logs/log-feed.ts` listens. */

/** The channel of LISTEN and NOTIFY; a payload are ids of attempts (`idPayloads`). */
export const LOG_CHANNEL = 'heliograph_log';

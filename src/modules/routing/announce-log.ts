/** Tells every process, by NOTIFY, which entries a commit added to the log; `logs/log-feed.ts` listens. */

/** The channel of LISTEN and NOTIFY. */
export const LOG_CHANNEL = 'heliograph_log';

/** How many ids fit into one payload: PostgreSQL takes less than 8,000 bytes, an id and its comma are 37. */
const IDS_MAX = 200;

/** The payloads that name these entries. */
export function logPayloads(ids: readonly string[]): string[] {
  const payloads: string[] = [];
  for (let start = 0; start < ids.length; start += IDS_MAX) payloads.push(ids.slice(start, start + IDS_MAX).join(','));
  return payloads;
}

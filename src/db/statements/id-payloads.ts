/** Ids as payloads of NOTIFY, for channels on which processes tell each other which rows are new. */

/** How many ids fit into one payload: PostgreSQL takes less than 8,000 bytes, an id and its comma are 37. */
export const IDS_MAX = 200;

/** Begins a payload of rows that are handed over once more. */
export const AGAIN = 'again:';

/** The payloads that name these rows: their ids, joined by commas. */
export function idPayloads(ids: readonly string[]): string[] {
  const payloads: string[] = [];
  for (let start = 0; start < ids.length; start += IDS_MAX) payloads.push(ids.slice(start, start + IDS_MAX).join(','));
  return payloads;
}

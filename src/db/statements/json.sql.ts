/** Values in the form in which the API shows them, as SQL, for statements that put JSON together. */
import type { IdPrefix } from '../../kernel/ids.ts';

/** A uuid as the id that it is stored for: `msg_…`; null stays null. */
export function idSql(prefix: IdPrefix, uuid: string): string {
  return `('${prefix}_' || replace(${uuid}::text, '-', ''))`;
}

/** An instant as ISO 8601 in UTC: with milliseconds, as JavaScript writes it, or with microseconds. */
export function timeSql(instant: string, precision: 'ms' | 'us' = 'ms'): string {
  return `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${precision.toUpperCase()}"Z"')`;
}

/** The log as CSV (RFC 4180). */
import type { LogRowFragment } from '../../../api/operations.generated.ts';
import type { SendFacts } from '../sends/send-words.ts';

/** The first line, and the line of a row. */
export interface Csv<Row> {
  readonly head: string;
  readonly line: (row: Row) => string;
}

/** A file with these members of its rows. */
function csvOf<Name extends string>(
  columns: readonly Name[],
): Csv<Readonly<Record<Name, string | number | object | null>>> {
  return {
    head: `${columns.join(',')}\r\n`,
    line: row => `${columns.map(column => csvField(row[column])).join(',')}\r\n`,
  };
}

/** A line for each attempt and each outcome of a passcode. */
export const ATTEMPTS_CSV: Csv<LogRowFragment> = csvOf([
  'createdAt',
  'type',
  'status',
  'channel',
  'recipient',
  'sender',
  'provider',
  'messageId',
  'pinId',
  'reference',
  'errorCode',
  'errorMessage',
  'latencyMs',
  'segments',
  'credits',
  'pricing',
  'id',
]);

/** A line for each message and each passcode. */
export const SENDS_CSV: Csv<SendFacts & { messageId: string | null; pinId: string | null; status: string }> = csvOf([
  'createdAt',
  'kind',
  'status',
  'recipient',
  'sender',
  'course',
  'messageId',
  'pinId',
  'reference',
  'errorCode',
  'credits',
]);

/** A value as a field. An apostrophe before a text like `=1+1` keeps spreadsheets from running it as a formula. */
export function csvField(value: string | number | object | null): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

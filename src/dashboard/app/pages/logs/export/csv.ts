/** The log as CSV (RFC 4180). */
import type { LogRowFragment } from '../../../api/operations.generated.ts';

const COLUMNS = [
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
  'id',
] as const satisfies readonly (keyof LogRowFragment)[];

/** The first line. */
export function csvHead(): string {
  return `${COLUMNS.join(',')}\r\n`;
}

/** The line of an entry. */
export function csvLine(row: LogRowFragment): string {
  return `${COLUMNS.map(column => csvField(row[column])).join(',')}\r\n`;
}

/** A value as a field. What a spreadsheet would take for a formula is told to be text. */
export function csvField(value: string | number | null): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

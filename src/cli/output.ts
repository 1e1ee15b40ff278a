/** What commands print: data on standard output, messages on standard error. */

/** Where a command writes. */
export interface Output {
  /** Whether data is to be JSON. */
  readonly isJson: boolean;
  /** Prints data: one JSON document in a line, or what `readable` makes of it; an empty text prints nothing. */
  show<Value>(value: Value, readable: (value: Value) => string): void;
  /** Prints a message for people. */
  say(message: string): void;
}

/** The output of this process. */
export function createOutput(isJson: boolean): Output {
  return {
    isJson,
    show(value, readable) {
      const text = isJson ? JSON.stringify(value) : readable(value);
      if (text !== '') process.stdout.write(`${text}\n`);
    },
    say,
  };
}

/** Prints a message for people, on standard error. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Rows under their headings, in columns that line up; without rows no text at all. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = [headings, ...rows].map(cells => cells.map(visible));
  const widths = headings.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  return lines
    .map(line => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map(line => line.trimEnd())
    .join('\n');
}

/** One row by itself, for what comes line by line. */
export function row(cells: readonly string[]): string {
  return cells.map(visible).join('  ');
}

/** A text that a terminal only shows: what callers chose may hold characters that move its cursor or recolour it. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}');
}

/** A value that may be absent. */
export function orDash(value: string | number | null): string {
  return value === null ? '-' : String(value);
}

/** A yes or a no. */
export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

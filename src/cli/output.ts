/** What commands print: data on standard output, messages on standard error. */

/** Where a command writes. */
export interface Output {
  /** Prints data: one JSON document in a line, or what `readable` makes of it; an empty text prints nothing. */
  show<Value>(value: Value, readable: (value: Value) => string): void;
  /** Prints rows as `show` does, and says `none` where there are none. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>, none: string): void;
  /** Prints a message for people. */
  say(message: string): void;
}

/** The output of this process. */
export function createOutput(isJson: boolean): Output {
  const show: Output['show'] = (value, readable) => {
    const text = isJson ? JSON.stringify(value) : readable(value);
    if (text !== '') process.stdout.write(`${text}\n`);
  };
  return {
    show,
    list(rows, columns, none) {
      show(rows, columns.table);
      if (rows.length === 0) say(none);
    },
    say,
  };
}

/** Prints a message for people, on standard error. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** How rows of one kind are shown. */
export interface Columns<Row> {
  /** Rows under their headings; without rows no text at all. */
  table(rows: readonly Row[]): string;
  /** A table of one row. */
  one(row: Row): string;
  /** One row by itself, for what comes line by line. */
  line(row: Row): string;
}

/** Columns by their headings: each shows a member of a row, or what a function makes of it; null is a dash. */
export function columnsOf<Row>(columns: Readonly<Record<string, keyof Row | ((row: Row) => unknown)>>): Columns<Row> {
  const cellsOf = (row: Row): string[] =>
    Object.values(columns).map(column => String((typeof column === 'function' ? column(row) : row[column]) ?? '-'));
  const show = (rows: readonly Row[]): string => table(Object.keys(columns), rows.map(cellsOf));
  return { table: show, one: row => show([row]), line: row => lineOf(cellsOf(row)) };
}

/** A yes or a no. */
export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
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

/** Cells in one line. */
export function lineOf(cells: readonly string[]): string {
  return cells.map(visible).join('  ');
}

/** A text that a terminal only shows: what callers chose may hold characters that move its cursor or recolour it. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}');
}

/** The output of commands: data on standard output, messages on standard error. */
import { lineOf, rollOf, type Screen, screenOf, table } from './table.ts';

/** Prints data and messages of a command. */
export interface Output {
  /** Prints data: one JSON document in a line, or what `readable` makes of it for this screen; an empty text prints nothing. */
  show<Value>(value: Value, readable: (value: Value, screen: Screen) => string): void;
  /** Prints rows as `show` does, and says `none` where there are none. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>, none: string): void;
  /**
   * Prints rows one after the other as they come, below their headings: `shown` for people, where it is not the row itself.
   * @param widest the widest cells by their headings
   */
  roll<Row>(columns: Columns<Row>, widest: Readonly<Record<string, string>>): (row: Row, shown?: Row) => void;
  /** Prints a message for people. */
  say(message: string): void;
}

/** How a command prints, as its options say. */
interface OutputOptions {
  /** Data as JSON. */
  readonly json?: boolean;
  /** Tables as wide as they are. */
  readonly wide?: boolean;
}

/** The output of this process. */
export function createOutput({ json = false, wide = false }: OutputOptions): Output {
  let isCut = false;
  const screen = screenOf(process.stdout, wide, () => {
    isCut = true;
  });
  const show: Output['show'] = (value, readable) => {
    const text = json ? JSON.stringify(value) : readable(value, screen);
    if (text !== '') process.stdout.write(`${text}\n`);
    if (isCut) say('Shortened to fit the terminal; --wide shows it all.');
    isCut = false;
  };
  return {
    show,
    list(rows, columns, none) {
      show(rows, columns.table);
      if (rows.length === 0) say(none);
    },
    roll(columns, widest) {
      const roll = json ? null : columns.roll(widest, screen);
      if (roll) show(null, () => roll.head);
      return (row, shown = row) => show(row, () => roll?.row(shown) ?? '');
    },
    say,
  };
}

/** Prints a message for people, on standard error. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** How rows of one kind are shown; without a screen nothing is cut or coloured. */
export interface Columns<Row> {
  /** Rows under their headings; without rows no text at all. */
  table(rows: readonly Row[], screen?: Screen): string;
  /** A table of one row. */
  one(row: Row, screen?: Screen): string;
  /** One row by itself, for what comes line by line. */
  line(row: Row, screen?: Screen): string;
  /** The rows that come one after the other below their headings. @param widest the widest cells by their headings; absent: as wide as the heading */
  roll(widest: Readonly<Record<string, string>>, screen?: Screen): { readonly head: string; row(row: Row): string };
}

/** Columns by their headings: each shows a member of a row, or what a function makes of it; null is a dash. */
export function columnsOf<Row>(columns: Readonly<Record<string, keyof Row | ((row: Row) => unknown)>>): Columns<Row> {
  const headings = Object.keys(columns);
  const cellsOf = (row: Row): string[] =>
    Object.values(columns).map(column => String((typeof column === 'function' ? column(row) : row[column]) ?? '-'));
  const show = (rows: readonly Row[], screen?: Screen): string => table(headings, rows.map(cellsOf), screen);
  return {
    table: show,
    one: (row, screen) => show([row], screen),
    line: (row, screen) => lineOf(cellsOf(row), headings, screen),
    roll(widest, screen) {
      const made = rollOf(
        headings,
        headings.map(heading => widest[heading] ?? heading),
        screen,
      );
      return { head: made.head, row: row => made.row(cellsOf(row)) };
    },
  };
}

/** A yes or a no. */
export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Tables of a terminal: columns that line up, fit, and show where things stand by colour. */
import { stripVTControlCharacters, styleText } from 'node:util';

/** The terminal or file that a table is written to. */
export interface Screen {
  /** Characters of a line; Infinity: nothing is cut. */
  readonly width: number;
  /** Called when something did not fit. */
  onCut(): void;
  /** A text of several lines that callers chose, as this screen may show it. */
  plain(text: string): string;
  /** The text in a style; as it is where the screen has no colours. */
  paint(style: Style, text: string): string;
}

type Style = 'bgBlack' | 'bold' | 'cyan' | 'green' | 'red' | 'whiteBright' | 'yellow';

/** No screen, as a pipe or a file: nothing is cut or coloured. */
export const PAPER: Screen = {
  width: Number.POSITIVE_INFINITY,
  onCut: () => undefined,
  plain: text => text,
  paint: (_style, text) => text,
};

/** The terminal on standard output, or what stands for one; colours obey `NO_COLOR` and `FORCE_COLOR`. */
export function screenOf(stream: NodeJS.WriteStream, isWide: boolean, onCut: () => void): Screen {
  const fits = stream.isTTY && !isWide && stream.columns > 0;
  return {
    width: fits ? stream.columns : PAPER.width,
    onCut,
    plain: text => (stream.isTTY ? text.split('\n').map(visible).join('\n') : text),
    paint: (style, text) => styleText(style, text, { stream }),
  };
}

/** Columns whose cells begin with a word that says how something stands. */
const STANDINGS: ReadonlySet<string> = new Set(['STATUS', 'OUTCOME', 'HEALTH']);

const STYLES: readonly (readonly [Style, readonly string[]])[] = [
  ['green', ['accepted', 'delivered', 'enabled', 'ok', 'read', 'up', 'verified', 'active']],
  ['cyan', ['sent']],
  ['yellow', ['cancelled', 'paused', 'pending', 'retrying', 'throttled', 'unknown', 'warning', 'flagged']],
  ['red', ['blocked', 'dead', 'disabled', 'down', 'expired', 'failed', 'fault', 'rejected', 'unavailable']],
];

const STYLE_OF: ReadonlyMap<string, Style> = new Map(
  STYLES.flatMap(([style, words]) => words.map((word): [string, Style] => [word, style])),
);

/** A word that says how something stands, in its colour. @param shown the part that is shown, where the text is cut */
export function paintStanding(text: string, screen: Screen, shown = text): string {
  const style = STYLE_OF.get(/^\w+/.exec(text)?.[0] ?? '');
  return style ? screen.paint(style, shown) : shown;
}

/** Spaces between two columns. */
const GAP = 2;

/** A column of texts is made no narrower, but left out. */
const NARROW_MIN = 12;

/** `acc_…83f1a`: no id is cut to less, so that those of one second are told apart. */
const ID_MIN = 10;

/** Columns of sentences and lists: where they do not fit, they are broken into lines, and nothing of them is cut. */
const PROSE: ReadonlySet<string> = new Set([
  'FOUND',
  'MEND',
  'TROUBLE',
  'DETAILS',
  'WHAT',
  'URL',
  'EVENTS',
  'DESCRIPTION',
]);

/** Columns of words that say little where they are cut. */
const WHOLE: ReadonlySet<string> = new Set([...STANDINGS, 'ACTION', 'EVENT']);

/** Sentences need so much room beside other columns; where there is less, they stand below their row. */
const PROSE_MIN = 30;

/** How far they stand in, below their row. */
const INDENT = 2;

/** `11-23T05:31:51`: no time is cut to less. */
const TIME_MIN = 14;

/** The columns that a narrow terminal leaves out first, the least wanted first. Others follow from the right. */
const SPARE = ['ENTRY', 'SEGMENTS', 'WEIGHT', 'PURPOSES', 'SENDER', 'MS', 'ACCOUNT'];

/** An id: people copy it, so it is cut last. The cut is in the middle, since ids that were made one after the other begin alike. */
const ID = /^[a-z]{3,4}_[0-9a-z]{8,}$/;

/** A time: its end is cut first, then its year. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Rows under their headings, in columns that line up and fit; without rows no text at all. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  screen: Screen = PAPER,
): string {
  if (rows.length === 0) return '';
  const lines = [headings, ...rows].map(cells => cells.map(visible));
  const prose = headings.flatMap((heading, column) => (PROSE.has(heading) ? column : []));
  if (prose.length > 0 && naturalWidth(lines) > screen.width) return withProse(lines, prose, screen);
  return grid(lines, fitted(lines, screen), screen).join('\n');
}

/** The lines of a table, the headings first. */
function grid(lines: readonly (readonly string[])[], shown: readonly Shown[], screen: Screen): string[] {
  return lines.map((cells, row) => rowOf(cells, shown, row === 0 ? null : (lines[0] ?? []), screen));
}

function naturalWidth(lines: readonly (readonly string[])[]): number {
  return sumOf((lines[0] ?? []).map((_, column) => Math.max(...lines.map(cells => (cells[column] ?? '').length))));
}

/** A table whose sentences are broken into lines: beside the other columns where there is room, else below their row. */
function withProse(lines: readonly (readonly string[])[], prose: readonly number[], screen: Screen): string {
  const rest = lines.map(cells => cells.filter((_, column) => !prose.includes(column)));
  const left = naturalWidth(rest);
  const room = screen.width - left - GAP;
  const isBeside = room >= PROSE_MIN;
  const shown = grid(rest, fitted(rest, screen), screen);
  return lines
    .flatMap((cells, row) => {
      const line = shown[row] ?? '';
      if (row === 0 && !isBeside) return line;
      const texts =
        row === 0 ? [screen.paint('bold', cells[prose[0] ?? 0] ?? '')] : proseOf(cells, prose, lines[0] ?? []);
      const broken = texts.flatMap(text => (row === 0 ? text : wrapped(text, isBeside ? room : screen.width - INDENT)));
      if (!isBeside) return [line, ...broken.map(text => ' '.repeat(INDENT) + text)];
      const [first = '', ...more] = broken;
      return [
        `${line}${' '.repeat(left + GAP - stripVTControlCharacters(line).length)}${first}`.trimEnd(),
        ...more.map(text => ' '.repeat(left + GAP) + text),
      ];
    })
    .join('\n');
}

/** The sentences of a row; those behind the first begin with the name of their column. */
function proseOf(cells: readonly string[], prose: readonly number[], headings: readonly string[]): string[] {
  return prose.flatMap((column, place) => {
    const text = cells[column] ?? '';
    if (text === '' || text === '-') return [];
    return place === 0 ? text : `${(headings[column] ?? '').toLowerCase()}: ${text}`;
  });
}

/** A text in lines of so many characters, broken at blanks, else behind a comma or a slash, else anywhere. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  const most = Math.max(1, width);
  while (rest.length > most) {
    const head = rest.slice(0, most + 1);
    const blank = head.lastIndexOf(' ');
    const mark = Math.max(head.lastIndexOf(',', most - 1), head.lastIndexOf('/', most - 1)) + 1;
    // A list in a sentence is broken behind its commas, a sentence at its blanks.
    const end = blank > most / 2 ? blank : Math.max(blank, mark) || most;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** One line of a table. @param headings of its cells; null: it is the line of the headings */
function rowOf(
  cells: readonly string[],
  shown: readonly Shown[],
  headings: readonly string[] | null,
  screen: Screen,
): string {
  return shown
    .map(({ column, width }, place) => {
      const cell = cells[column] ?? '';
      // A roll has widths for its screen; on paper they only line up what is expected.
      const text = screen.width === Number.POSITIVE_INFINITY ? cell : cut(cell, width);
      // The last one needs no spaces behind it.
      const padding = place === shown.length - 1 ? '' : ' '.repeat(Math.max(0, width - text.length));
      return styled(cell, headings && (headings[column] ?? ''), screen, text) + padding;
    })
    .join(' '.repeat(GAP))
    .trimEnd();
}

/** A table that grows at its end: what is cut follows from the widest cells that are to be expected. */
export interface Roll {
  readonly head: string;
  row(cells: readonly string[]): string;
}

/** Makes such a table. @param widest a row of the widest cells */
export function rollOf(headings: readonly string[], widest: readonly string[], screen: Screen = PAPER): Roll {
  const shown = fitted([headings, widest], screen);
  return {
    head: rowOf(headings, shown, null, screen),
    row: cells => rowOf(cells.map(visible), shown, headings, screen),
  };
}

/** A cell or the shown part of it, in the colour of the whole. */
function styled(cell: string, heading: string | null, screen: Screen, shown = cell): string {
  if (heading === null) return screen.paint('bold', shown);
  return STANDINGS.has(heading) ? paintStanding(cell, screen, shown) : shown;
}

function cut(cell: string, width: number): string {
  if (cell.length <= width) return cell;
  if (TIME.test(cell)) return cutTime(cell, width);
  if (ID.test(cell)) return width > 8 ? `${cell.slice(0, 4)}…${cell.slice(5 - width)}` : `…${cell.slice(1 - width)}`;
  return `${cell.slice(0, width - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** `2026-11-23T05:31:51.048Z` as `2026-11-23T05:31:51` or `11-23T05:31:51`. */
function cutTime(time: string, width: number): string {
  return time.slice(width >= 19 ? 0 : 5, 19).slice(0, width);
}

/** A column that is shown. */
interface Shown {
  readonly column: number;
  width: number;
}

interface Column extends Shown {
  readonly heading: string;
  readonly cells: readonly string[];
  /** The least width. */
  readonly min: number;
  /** Narrowed after the others. */
  readonly isId: boolean;
}

/** The columns that fit: without those that are empty, narrowed, and the spare ones left out, as far as it must be. */
function fitted(lines: readonly (readonly string[])[], screen: Screen): readonly Shown[] {
  let shown = (lines[0] ?? []).map((_, column) => columnOf(lines, column));
  const isWider = (): boolean => sumOf(shown.map(({ width }) => width)) > screen.width;
  if (!isWider()) return shown;
  screen.onCut();
  const filled = shown.filter(({ cells }) => cells.some(cell => cell !== '-' && cell !== ''));
  if (filled.length > 0) shown = filled;
  while (shown.length > 1 && sumOf(shown.map(({ min }) => min)) > screen.width) {
    const least = leastOf(shown);
    shown = shown.filter(column => column !== least);
  }
  while (isWider()) {
    const wide = shown.filter(({ width, min }) => width > min);
    const others = wide.filter(({ isId }) => !isId);
    const widest = [others, wide, shown]
      .find(some => some.length > 0)
      ?.reduce((one, other) => (other.width > one.width ? other : one));
    if (widest) widest.width -= 1;
  }
  return shown;
}

function columnOf(lines: readonly (readonly string[])[], column: number): Column {
  const [heading = '', ...cells] = lines.map(line => line[column] ?? '');
  const width = Math.max(heading.length, ...cells.map(cell => cell.length));
  const isTime = cells.some(cell => TIME.test(cell));
  // Standings say little where they are cut, and numbers something else.
  const isWhole = WHOLE.has(heading) || cells.every(cell => /^(\+?\d+|-)?$/.test(cell));
  const isId = cells.some(cell => ID.test(cell));
  const min = Math.min(width, isWhole ? width : isTime ? TIME_MIN : isId ? ID_MIN : NARROW_MIN);
  return { column, heading, cells, width, min, isId };
}

/** The column that is left out next; how something stands, times and numbers go last. */
function leastOf(shown: readonly Column[]): Column | undefined {
  const spare = SPARE.map(heading => shown.slice(1).find(column => column.heading === heading)).find(found => found);
  const texts = shown
    .slice(1)
    .filter(({ heading, min, width }) => !STANDINGS.has(heading) && (min < width || width > NARROW_MIN));
  return spare ?? texts.at(-1) ?? shown.at(-1);
}

/** Characters of columns of these widths, with the gaps between. */
function sumOf(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width + GAP, -GAP);
}

/** Cells in one line; `headings` say which are coloured. */
export function lineOf(cells: readonly string[], headings: readonly string[] = [], screen: Screen = PAPER): string {
  return cells.map((cell, column) => styled(visible(cell), headings[column] ?? '', screen)).join('  ');
}

/** A text that a terminal only shows: what callers chose may hold characters that move its cursor or recolour it. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}');
}

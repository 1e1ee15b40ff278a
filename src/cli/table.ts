/** Tables of a terminal: columns that line up, fit, and show where things stand by colour. */
import { styleText } from 'node:util';

/** What a table is shown on. */
export interface Screen {
  /** Characters of a line; Infinity: nothing is cut. */
  readonly width: number;
  /** Called when something did not fit. */
  onCut(): void;
  /** The text in a style; as it is where the screen has no colours. */
  paint(style: Style, text: string): string;
}

type Style = 'bold' | 'cyan' | 'green' | 'red' | 'yellow';

/** No screen, as a pipe or a file: nothing is cut or coloured. */
export const PAPER: Screen = { width: Number.POSITIVE_INFINITY, onCut: () => undefined, paint: (_style, text) => text };

/** The terminal on standard output, or what stands for one; colours obey `NO_COLOR` and `FORCE_COLOR`. */
export function screenOf(stream: NodeJS.WriteStream, isWide: boolean, onCut: () => void): Screen {
  const fits = stream.isTTY && !isWide && stream.columns > 0;
  return {
    width: fits ? stream.columns : PAPER.width,
    onCut,
    paint: (style, text) => styleText(style, text, { stream }),
  };
}

/** Columns whose cells begin with a word that says how something stands. */
const STANDINGS: ReadonlySet<string> = new Set(['STATUS', 'OUTCOME', 'HEALTH']);

const STYLES: readonly (readonly [Style, readonly string[]])[] = [
  ['green', ['accepted', 'delivered', 'enabled', 'ok', 'read', 'up', 'verified', 'active']],
  ['cyan', ['sent']],
  ['yellow', ['cancelled', 'paused', 'pending', 'throttled', 'unknown', 'warning', 'flagged']],
  ['red', ['blocked', 'dead', 'disabled', 'down', 'expired', 'failed', 'fault', 'rejected', 'unavailable']],
];

const STYLE_OF: ReadonlyMap<string, Style> = new Map(
  STYLES.flatMap(([style, words]) => words.map((word): [string, Style] => [word, style])),
);

/** A word that says how something stands, in its colour. */
export function paintStanding(text: string, screen: Screen): string {
  const style = STYLE_OF.get(/^\w+/.exec(text)?.[0] ?? '');
  return style ? screen.paint(style, text) : text;
}

/** Spaces between two columns. */
const GAP = 2;

/** No column is made narrower: texts and ids first, and where that is not enough, every column. */
const NARROW_MIN = [12, 4] as const;

/** What people copy, and so is cut last, and in the middle: ids that were made one after the other begin alike. */
const ID = /^[a-z]{3,4}_[0-9a-z]{8,}$/;

/** A time: its end is cut first, then its year, then its day. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Rows under their headings, in columns that line up and fit; without rows no text at all. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  screen: Screen = PAPER,
): string {
  if (rows.length === 0) return '';
  const lines = [headings, ...rows].map(cells => cells.map(visible));
  const widths = fitted(lines, screen);
  return lines
    .map((cells, row) =>
      cells
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          const shown = cut(cell, width);
          // The last one needs no spaces behind it.
          const padding = column === cells.length - 1 ? '' : ' '.repeat(width - shown.length);
          return styled(shown, row === 0 ? null : (headings[column] ?? ''), screen) + padding;
        })
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
    .join('\n');
}

function styled(cell: string, heading: string | null, screen: Screen): string {
  if (heading === null) return screen.paint('bold', cell);
  return STANDINGS.has(heading) ? paintStanding(cell, screen) : cell;
}

function cut(cell: string, width: number): string {
  if (cell.length <= width) return cell;
  if (TIME.test(cell)) return cutTime(cell, width);
  if (ID.test(cell)) return width > 8 ? `${cell.slice(0, 4)}…${cell.slice(5 - width)}` : `…${cell.slice(1 - width)}`;
  return `${cell.slice(0, width - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** `2026-11-23T05:31:51.048Z` as `2026-11-23T05:31:51`, `11-23T05:31`, `05:31`. */
function cutTime(time: string, width: number): string {
  const [from, to] = width >= 19 ? [0, 19] : width >= 16 ? [0, 16] : width >= 11 ? [5, 16] : [11, 16];
  return time.slice(from, to).slice(0, width);
}

/** The width of each column: the widest ones give until the table fits, those of ids after the others. */
function fitted(lines: readonly (readonly string[])[], screen: Screen): number[] {
  const columns = (lines[0] ?? []).map((_, column) => lines.map(line => line[column] ?? ''));
  const widths = columns.map(cells => Math.max(...cells.map(cell => cell.length)));
  const isId = columns.map(cells => cells.some(cell => ID.test(cell)));
  const room = screen.width - GAP * (columns.length - 1);
  const sum = (): number => widths.reduce((total, width) => total + width, 0);
  if (sum() <= room) return widths;
  screen.onCut();
  const steps = [
    { may: (column: number) => !isId[column], min: NARROW_MIN[0] },
    { may: () => true, min: NARROW_MIN[0] },
    { may: (column: number) => !isId[column], min: NARROW_MIN[1] },
    { may: () => true, min: NARROW_MIN[1] },
  ];
  for (const { may, min } of steps) {
    while (sum() > room) {
      const widest = Math.max(...widths.filter((_, column) => may(column)));
      const column = widths.findIndex((width, index) => may(index) && width === widest);
      if (column < 0 || widest <= min) break;
      widths[column] = widest - 1;
    }
  }
  return widths;
}

/** Cells in one line; `headings` say which are coloured. */
export function lineOf(cells: readonly string[], headings: readonly string[] = [], screen: Screen = PAPER): string {
  return cells.map((cell, column) => styled(visible(cell), headings[column] ?? '', screen)).join('  ');
}

/** A text that a terminal only shows: what callers chose may hold characters that move its cursor or recolour it. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}');
}

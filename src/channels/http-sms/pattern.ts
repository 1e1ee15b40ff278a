/** The patterns of a configuration. Anybody may write the bodies that they search: a search has a limit of steps, whatever pattern and body are. */
import { RE2JS } from 're2js';

/** The largest pattern, as the engine counts its steps for a character. */
const SIZE_MAX = 150;

/** The most steps of a search; the characters behind them are not read. Four patterns are searched in one turn of the event loop, which all others wait for. */
const STEPS_MAX = 262_144;

/** A dot that is one, and what may hold others: an escape, a class. */
const PARTS = /\\.|\[(?:\\.|[^\]\\])*\]|\./gs;

/** A pattern that was read. */
export interface Pattern {
  /** Whether it matches somewhere. */
  isIn(text: string): boolean;
  /** The first group of the first match, all of it where that has none; null: there is no match. */
  find(text: string): string | null;
}

/** Reads `/<pattern>/`, in the syntax of the language as far as the engine has it. @returns a text: what is wrong with it, as the mend of its field */
export function readPattern(pattern: string): Pattern | string {
  const [, source] = /^\/(.+)\/$/s.exec(pattern) ?? [];
  if (source === undefined) return 'must be a pattern between slashes, like /id=(\\S+)/';
  if (!compiles(() => new RegExp(source, 'u'))) return 'is a pattern that does not compile';
  // To the engine a carriage return is no end of a line.
  const lines = source.replaceAll(PARTS, part => (part === '.' ? '[^\\n\\r\\x{2028}\\x{2029}]' : part));
  const engine = compiles(() => RE2JS.compile(RE2JS.translateRegExp(lines)));
  if (!engine) return 'must do without (?=, (?!, (?<=, (?<!, \\1 and counts above 1000, which no quick search has';
  const size = engine.programSize();
  if (size > SIZE_MAX) return 'is too large a pattern: write + for large counts, and fewer alternatives';
  const most = Math.floor(STEPS_MAX / size);
  const find = (text: string): string | null => {
    const read = text.slice(0, most);
    const match = engine.matcher(read);
    if (!match.find()) return null;
    // Its end may be that of the reading alone: behind it the match goes on, or is none (`$`).
    if (read.length < text.length && match.end() === read.length) return null;
    return (match.groupCount() > 0 ? match.group(1) : null) ?? match.group();
  };
  return { find, isIn: text => (text.length <= most ? engine.test(text) : find(text) !== null) };
}

function compiles<Compiled>(compile: () => Compiled): Compiled | null {
  try {
    return compile();
  } catch {
    return null;
  }
}

/** The patterns of a configuration, which meet bodies that anybody may have written: a search takes a time that grows with the body, and no faster. */
import { RE2JS } from 're2js';

/** The largest pattern, as the engine counts its steps for a character. The worst of them takes most of a second on the longest body; a usual one a millisecond. */
const STEPS_MAX = 150;

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
export function readPattern(text: string): Pattern | string {
  const [, source] = /^\/(.+)\/$/s.exec(text) ?? [];
  if (source === undefined) return 'must be a pattern between slashes, like /id=(\\S+)/';
  if (!compiles(() => new RegExp(source, 'u'))) return 'is a pattern that does not compile';
  // To the engine a carriage return is no end of a line.
  const lines = source.replaceAll(PARTS, part => (part === '.' ? '[^\\n\\r\\x{2028}\\x{2029}]' : part));
  const engine = compiles(() => RE2JS.compile(RE2JS.translateRegExp(lines)));
  if (!engine) return 'must do without (?=, (?!, (?<=, (?<!, \\1 and counts above 1000, which no quick search has';
  if (engine.programSize() > STEPS_MAX)
    return 'is too large a pattern: write + for large counts, and fewer alternatives';
  return {
    isIn: searched => engine.test(searched),
    find: searched => {
      const match = engine.matcher(searched);
      if (!match.find()) return null;
      return (match.groupCount() > 0 ? match.group(1) : null) ?? match.group();
    },
  };
}

function compiles<Compiled>(compile: () => Compiled): Compiled | null {
  try {
    return compile();
  } catch {
    return null;
  }
}

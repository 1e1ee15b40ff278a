/** The patterns of a configuration, which meet bodies that anybody may have written. */
import vm from 'node:vm';

/** The longest time of one search, in milliseconds. It is real time: nothing else runs meanwhile. */
const SEARCH_MS = 25;

/** Reads `/<pattern>/`. @returns a text: what is wrong with it, as the mend of its field */
export function readPattern(text: string): RegExp | string {
  const [, source] = /^\/(.+)\/$/s.exec(text) ?? [];
  if (source === undefined) return 'must be a pattern between slashes, like /id=(\\S+)/';
  try {
    return new RegExp(source, 'u');
  } catch {
    return 'is a pattern that does not compile';
  }
}

const room = { pattern: /^/u, text: '' };
vm.createContext(room);
const search = new vm.Script('pattern.exec(text)');

/**
 * The first match; null where there is none. A pattern that would try for longer than 25 ms, as `(a+)+$` does on a body made for it, is stopped:
 * which patterns can is not to be seen from them, so each search has its end (it costs 0.1 ms).
 * @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT`
 */
export function firstMatch(pattern: RegExp, text: string): RegExpExecArray | null {
  room.pattern = pattern;
  room.text = text;
  try {
    return search.runInContext(room, { timeout: SEARCH_MS });
  } finally {
    room.text = '';
  }
}

/** The patterns of a configuration, which meet bodies that anybody may have written. */
import vm from 'node:vm';

/**
 * The longest time of one search, in milliseconds, in which nothing else runs. A search takes microseconds, and the limit is real time: it is so
 * much longer that a busy machine is not taken for a bad pattern.
 */
const SEARCH_MS = 1_000;

/** For how long a pattern that reached the limit is not tried again, in milliseconds: the process has other things to do. */
const REST_MS = 60_000;

/** A body of so many characters is searched at once by a pattern with one choice at most: it takes half as many steps as the square of this. */
const SHORT_CHARS = 1_000;

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

/** What makes a pattern try more than one way; escaped ones are counted with them. */
const CHOICES = /[*+?{|]/g;

/** Patterns that reached the limit, and until when they rest, on the clock of `performance.now`. */
const resting = new WeakMap<RegExp, number>();

/**
 * The first match; null where there is none. Most patterns are simple, and most bodies short. The others are searched under a guard, which takes
 * 0.2 ms to set up: one that would try for hours, as `(a+)+$` does on a body made for it, is stopped after a second.
 * @throws Error where it was stopped, now or less than a minute ago: whether there is a match is not known
 */
export function firstMatch(pattern: RegExp, text: string): RegExpExecArray | null {
  const choices = pattern.source.match(CHOICES)?.length ?? 0;
  if (choices <= 1 && text.length <= SHORT_CHARS) return pattern.exec(text);
  if (performance.now() < (resting.get(pattern) ?? 0)) throw new Error('the pattern took too long a moment ago');
  room.pattern = pattern;
  room.text = text;
  try {
    return search.runInContext(room, { timeout: SEARCH_MS });
  } catch (error) {
    resting.set(pattern, performance.now() + REST_MS);
    throw error;
  } finally {
    room.text = '';
  }
}

/** The code of the gateway that has run so far, by V8's own counters of blocks. */
import { type Profiler, Session } from 'node:inspector';

/** Only our sources guide a search, and what is planted to be found. */
const OURS = /^file:\/\/.*\/(?:src|planted)\/.*\.ts$/;

/** The characters of functions that have run: 1 for each that has, by function. */
export type Ran = ReadonlyMap<string, Uint8Array>;

/** The counters of this process. */
export interface Coverage {
  /** The code that has run since the last call. */
  take(): Ran;
  close(): void;
}

/** Begins to count. Only one of a process may be open. */
export function openCoverage(): Coverage {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true, allowTriggeredUpdates: false });
  return {
    take: () => {
      let scripts: readonly Profiler.ScriptCoverage[] = [];
      // The answer comes before the call ends: the session is one of this very thread.
      session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
        scripts = result;
      });
      const own = scripts.filter(({ url }) => OURS.test(url));
      return new Map(own.flatMap(({ url, functions }) => functions.map(one => paint(url, one.ranges))));
    },
    close: () => session.disconnect(),
  };
}

/** Ranges lie inside one another, the outer ones first: an inner one says what holds for its part. */
function paint(url: string, ranges: readonly Profiler.CoverageRange[]): [string, Uint8Array] {
  const { startOffset: from, endOffset: to } = ranges[0] ?? { startOffset: 0, endOffset: 0 };
  const ran = new Uint8Array(to - from);
  for (const { startOffset, endOffset, count } of ranges)
    ran.fill(count > 0 ? 1 : 0, startOffset - from, endOffset - from);
  return [`${url}:${from}:${to}`, ran];
}

/** All that has run in a search. */
export class Reached {
  readonly #known = new Map<string, Uint8Array>();

  /** Whether some of it had not run before. */
  isNew(ran: Ran): boolean {
    for (const [name, characters] of ran) {
      const known = this.#known.get(name);
      if (known ? characters.some((one, at) => one > (known[at] ?? 0)) : characters.includes(1)) return true;
    }
    return false;
  }

  add(ran: Ran): void {
    for (const [name, characters] of ran) {
      const known = this.#known.get(name);
      this.#known.set(
        name,
        characters.map((one, at) => one | (known?.[at] ?? 0)),
      );
    }
  }

  /** How many characters of the sources have run. */
  get size(): number {
    let size = 0;
    for (const characters of this.#known.values()) for (const one of characters) size += one;
    return size;
  }
}

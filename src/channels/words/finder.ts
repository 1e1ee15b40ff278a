/** Finds any of many patterns in one pass (Aho and Corasick, 1975): the steps grow with the text, whatever the patterns are. */

/** A range of a text, its end not included. */
export type Span = readonly [start: number, end: number];

/** The patterns before the search. */
export class Finder {
  /** By state, where each unit leads. */
  readonly #next: Map<number, number>[] = [new Map()];
  /** By state, the state of its longest end that begins a pattern too. */
  readonly #back: number[] = [0];
  /** By state, the length of the longest pattern that ends there; 0: none does. */
  readonly #found: number[] = [0];

  constructor(patterns: Iterable<string>) {
    for (const pattern of patterns) this.#add(pattern);
    this.#link();
  }

  /** The ranges of patterns in a text; of those that end at one place, the longest. */
  spansIn(text: string): Span[] {
    const spans: Span[] = [];
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      state = this.#step(state, text.charCodeAt(at));
      const length = this.#found[state] ?? 0;
      if (length > 0) spans.push([at + 1 - length, at + 1]);
    }
    return spans;
  }

  #add(pattern: string): void {
    let state = 0;
    for (let at = 0; at < pattern.length; at++) {
      const unit = pattern.charCodeAt(at);
      let next = this.#next[state]?.get(unit);
      if (next === undefined) {
        next = this.#next.push(new Map()) - 1;
        this.#found.push(0);
        this.#back.push(0);
        this.#next[state]?.set(unit, next);
      }
      state = next;
    }
    if (state !== 0) this.#found[state] = pattern.length;
  }

  #link(): void {
    const queue = [...(this.#next[0]?.values() ?? [])];
    for (const state of queue) {
      for (const [unit, next] of this.#next[state] ?? []) {
        const back = this.#step(this.#back[state] ?? 0, unit);
        this.#back[next] = back;
        this.#found[next] ||= this.#found[back] ?? 0;
        queue.push(next);
      }
    }
  }

  #step(from: number, unit: number): number {
    for (let state = from; ; state = this.#back[state] ?? 0) {
      const next = this.#next[state]?.get(unit);
      if (next !== undefined) return next;
      if (state === 0) return 0;
    }
  }
}

/** How many messages are taken: of a number, and between a number and a person. */
import { GraphFault } from './errors.ts';
import type { GraphRates } from './options.ts';

/** Counts messages by the time they came. */
export class Pace {
  readonly #rates: GraphRates;
  readonly #clock: () => number;
  readonly #ofNumber = new Map<string, number[]>();
  readonly #ofPair = new Map<string, number>();

  constructor(rates: GraphRates, clock: () => number) {
    this.#rates = rates;
    this.#clock = clock;
  }

  /** Counts a message that goes out; throws 130429 or 131056 and counts nothing where it is one too many. */
  take(phoneNumberId: string, recipient: string): void {
    const { number, pairMs = 0 } = this.#rates;
    const now = this.#clock();
    if (number && this.#recent(phoneNumberId).length >= number.count) throw new GraphFault(130429);
    const pair = `${phoneNumberId} ${recipient}`;
    if (now < (this.#ofPair.get(pair) ?? 0)) throw new GraphFault(131056);
    this.#ofPair.set(pair, now + pairMs);
    this.count(phoneNumberId);
  }

  /** Counts a message that comes in: it is never one too many. */
  count(phoneNumberId: string): void {
    if (this.#rates.number) this.#recent(phoneNumberId).push(this.#clock());
  }

  #recent(phoneNumberId: string): number[] {
    const since = this.#clock() - (this.#rates.number?.perMs ?? 0);
    const recent = (this.#ofNumber.get(phoneNumberId) ?? []).filter(atMs => atMs > since);
    this.#ofNumber.set(phoneNumberId, recent);
    return recent;
  }
}

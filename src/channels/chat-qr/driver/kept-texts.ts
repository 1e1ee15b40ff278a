/** Texts that were sent, for devices that could not read one and ask for it again: often only after the next socket is open. */
import type { Content } from './library.ts';

/** So many are kept for a number. */
const KEPT_TEXTS = 500;

/** The texts of one number, over its sockets. */
export class KeptTexts {
  readonly #texts = new Map<string, Content>();

  /** Keeps a text, and forgets the oldest of too many. */
  keep(messageId: string, content: Content): void {
    this.#texts.set(messageId, content);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > KEPT_TEXTS && oldest !== undefined) this.#texts.delete(oldest);
  }

  /** The text of an id. */
  get(messageId: string): Content | undefined {
    return this.#texts.get(messageId);
  }
}

/**
 * Things under way, those that began first at the head. A `Set` of them would keep what has ended. V8 replaces its table now and then; the
 * former one, with all that it held, lives until the old generation is collected.
 */
export class InFlight<Item> {
  readonly #places = new Set<{ item: Item | null }>();

  /** How many are under way. */
  get size(): number {
    return this.#places.size;
  }

  /** Begins one. @returns a function that ends it; further calls do nothing */
  begin(item: Item): () => void {
    const place: { item: Item | null } = { item };
    this.#places.add(place);
    return () => {
      place.item = null;
      this.#places.delete(place);
    };
  }

  /** Those that are under way; one that ends meanwhile is left out. */
  *[Symbol.iterator](): Generator<Item, void> {
    for (const { item } of this.#places) if (item !== null) yield item;
  }
}

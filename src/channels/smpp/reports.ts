/** Hands over in groups what an SMSC delivers: what came in one read, or while the group before was being stored, is stored together. */

/** The most of one group. */
const GROUP_MAX = 500;

/** The most that are held without being stored; the SMSC is asked to send what comes above that again later. */
const HELD_MAX = 5_000;

interface Held<Item> {
  readonly item: Item;
  readonly resolve: (isStored: boolean) => void;
}

/** The receipts of a connection, or its texts of people, that are not stored yet. */
export class DeliveryGroups<Item> {
  readonly #receive: (items: readonly Item[]) => Promise<readonly boolean[]>;
  #held = 0;
  #waiting: Held<Item>[] = [];
  #run: Promise<void> | null = null;

  /** @param receive stores a group, and answers which of it was stored; never rejects */
  constructor(receive: (items: readonly Item[]) => Promise<readonly boolean[]>) {
    this.#receive = receive;
  }

  /** Stores one; answers whether that was done, and never rejects. */
  async add(item: Item): Promise<boolean> {
    if (this.#held >= HELD_MAX) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#held += 1;
    this.#waiting.push({ item, resolve });
    this.#run ??= this.#storeAll();
    const isStored = await promise;
    this.#held -= 1;
    return isStored;
  }

  /** Resolves when nothing is being stored. */
  async idle(): Promise<void> {
    await this.#run;
  }

  /** One group after another, so that the receipts of a message are stored in the order in which they came. */
  async #storeAll(): Promise<void> {
    // Behind the read that this came with.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, GROUP_MAX);
      const areStored = await this.#receive(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(areStored[index] ?? false);
    }
    this.#run = null;
  }
}

/** Stores a group by one call, as a whole: a report that comes again changes nothing. */
export function together<Item>(store: (items: readonly Item[]) => Promise<unknown>) {
  return async (items: readonly Item[]): Promise<boolean[]> => {
    const isStored = await store(items).then(
      () => true,
      () => false,
    );
    return items.map(() => isStored);
  };
}

/** Stores each of a group by a call of its own: a text that comes again would be another text. The calls may be one commit all the same. */
export function eachAlone<Item>(store: (items: readonly Item[]) => Promise<unknown>) {
  return async (items: readonly Item[]): Promise<boolean[]> => {
    const results = await Promise.allSettled(items.map(item => store([item])));
    return results.map(({ status }) => status === 'fulfilled');
  };
}

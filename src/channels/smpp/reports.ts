/** Hands receipts over in groups: what came in one read, or while the group before was being stored, is stored together. */
import type { ConnectionServices, Report } from '../contract.ts';

/** The most receipts of one group. */
const GROUP_MAX = 500;

/** The most receipts that are held without being stored; the SMSC is asked to send what comes above that again later. */
const HELD_MAX = 5_000;

interface Held {
  readonly report: Report;
  readonly resolve: (isStored: boolean) => void;
}

/** The receipts of a connection that are not stored yet. */
export class ReportGroups {
  readonly #receive: ConnectionServices['receive'];
  readonly #held = new Set<Held>();
  #waiting: Held[] = [];
  #run: Promise<void> | null = null;

  constructor(receive: ConnectionServices['receive']) {
    this.#receive = receive;
  }

  /** Stores a receipt; answers whether that was done, and never rejects. */
  async add(report: Report): Promise<boolean> {
    if (this.#held.size >= HELD_MAX) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const held = { report, resolve };
    this.#held.add(held);
    this.#waiting.push(held);
    this.#run ??= this.#storeAll();
    const isStored = await promise;
    this.#held.delete(held);
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
      const isStored = await this.#store(group.map(({ report }) => report));
      for (const { resolve } of group) resolve(isStored);
    }
    this.#run = null;
  }

  async #store(reports: readonly Report[]): Promise<boolean> {
    try {
      await this.#receive(reports);
      return true;
    } catch {
      return false;
    }
  }
}

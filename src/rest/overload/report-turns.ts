/** Lets reports of providers take turns. A send takes many turns of the event loop, and in each waits for all reports that are due. */
import pLimit from 'p-limit';
import { Lane, type Sends } from '../../kernel/process/gives-way.ts';

/** How many reports are worked on at once. */
const AT_ONCE = 24;

/** How many reports of an account's connection, at once and before it rests, while other accounts send. */
const AT_ONCE_BESIDE_SENDS = 12;

/** How many reports may wait outside the places of requests; those beyond take them, so that an overload is seen as one. */
const ASIDE_MAX = 1_000;

/** The turns of the reports of a process. */
export class ReportTurns {
  readonly #inTurn = pLimit(AT_ONCE);
  readonly #lane: Lane;
  readonly #ownerOf: (connectionId: string) => string | null;
  #pending = 0;

  /** @param ownerOf the account that a connection belongs to; null: none, as it is shared by all or unknown */
  constructor(sends: Sends, ownerOf: (connectionId: string) => string | null) {
    this.#lane = new Lane(sends, {
      alone: Number.POSITIVE_INFINITY,
      besideSends: AT_ONCE_BESIDE_SENDS,
      toOwnSends: false,
      share: 1 / 5,
      waitingMax: Number.POSITIVE_INFINITY,
    });
    this.#ownerOf = ownerOf;
  }

  /** Works on a report by a connection when it is its turn. A shared connection is the operator's, reports on everybody's sends, and does not rest. */
  async run<T>(connectionId: string, stepAside: (() => void) | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#pending < ASIDE_MAX) stepAside?.();
    this.#pending += 1;
    try {
      const accountId = this.#ownerOf(connectionId);
      const next = (): Promise<T> => this.#inTurn(work);
      return await (accountId === null ? next() : this.#lane.run({ name: connectionId, accountId }, next));
    } finally {
      this.#pending -= 1;
    }
  }
}

/** The links under way in a process: each has one follower, and ends with it unless the phone has taken a code. */
import type { LinkStep, SessionChange } from '../../../channels/session.ts';
import { linkSteps } from './link-steps.ts';

/** Why a link ends when another one begins. */
export const OTHER_LINK = 'Another link of this number was begun.';

/** Why a link ends whose connection was unlinked, or has another config. */
export const LINK_ENDED = 'The link was ended. Begin anew.';

/** A link under way. */
interface Link {
  isPaired(): boolean;
  fail(error: string): void;
  end(): Promise<void>;
}

/** The links of a process, by their connections. */
export class Links {
  readonly #underWay = new Map<string, Link>();
  /** When the last one of a connection has begun, or failed to. */
  readonly #beginnings = new Map<string, Promise<void>>();

  /** Begins a link of a connection, once the one before has begun and is ended. Null: the follower of the new link has left by then. */
  inTurn<Begun>(connectionId: string, signal: AbortSignal, begin: () => Promise<Begun>): Promise<Begun | null> {
    const begun = (this.#beginnings.get(connectionId) ?? Promise.resolve()).then(async () => {
      if (signal.aborted) return null;
      const former = this.#underWay.get(connectionId);
      if (former?.isPaired() === false) await former.end();
      return begin();
    });
    const over = (): void => undefined;
    this.#beginnings.set(connectionId, begun.then(over, over));
    return begun;
  }

  /** Tells the follower of a link why it ends; none: nothing. */
  fail(connectionId: string, error: string): void {
    this.#underWay.get(connectionId)?.fail(error);
  }

  /** Tells every follower. */
  failAll(error: string): void {
    for (const link of this.#underWay.values()) link.fail(error);
  }

  /** The steps of a link from now to its end. @param begin begins it, and tells its changes @param giveUp ends what was begun, unless a phone was first, and tells so */
  follow<Begun>(
    { connectionId, clock, signal }: { connectionId: string; clock: { now(): Date }; signal: AbortSignal },
    begin: (tell: (change: SessionChange) => void) => Begun,
    giveUp: (begun: Begun) => Promise<void>,
  ): AsyncGenerator<LinkStep, void> {
    const steps = linkSteps(clock);
    const begun = begin(steps.push);
    let ended: Promise<void> | null = null;
    // The reading of all sessions may see first that this link was ended for another one.
    const fail = (error: string): void => steps.push({ kind: 'unlinked', error: ended ? OTHER_LINK : error });
    const end = (): Promise<void> => {
      ended ??= giveUp(begun);
      return ended;
    };
    const link = { isPaired: steps.isPaired, fail, end };
    this.#underWay.set(connectionId, link);
    return this.#untilOver(connectionId, link, steps.until(signal));
  }

  async *#untilOver(
    connectionId: string,
    link: Link,
    steps: AsyncGenerator<LinkStep, void>,
  ): AsyncGenerator<LinkStep, void> {
    try {
      yield* steps;
    } finally {
      if (!link.isPaired()) await link.end();
      if (this.#underWay.get(connectionId) === link) this.#underWay.delete(connectionId);
    }
  }
}

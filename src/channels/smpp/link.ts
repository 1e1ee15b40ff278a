/** The sessions of one connection in this process, and whose turn it is to submit by them. */
import type { LinkState, SendRequest } from '../contract.ts';
import { failure, type SendOutcome } from '../outcome.ts';
import type { SmppConfig } from './config.ts';
import { Pace } from './pace.ts';
import type { SessionEvents, SmppSession } from './session.ts';
import { Slot } from './slot.ts';

/** How long a text waits for the very first bind; later, what is not bound is down. */
const FIRST_BIND_MS = 1_000;

/** How long a text waits for room. Three such tries fit into the deadline of an attempt. */
const ROOM_MS = 3_000;

/** How long a text should wait that found no room. */
const ROOM_RETRY_MS = 100;

/** How long nothing is submitted after the SMSC said that it was too much: most count by the second. */
export const THROTTLED_MS = 1_000;

/** Why a text cannot be submitted; nothing of it was. */
export type Refusal = Extract<SendOutcome, { kind: 'unavailable' | 'throttled' | 'rejected' }>;

/** No session is open. */
export const NOT_BOUND = failure('unavailable', 'not_bound');
const NO_ROOM = { ...failure('throttled', 'window_full'), retryAfterMs: ROOM_RETRY_MS };

interface WaitingText extends Pick<SendRequest, 'refuse'> {
  readonly resolve: (place: SmppSession | Refusal) => void;
  readonly timer: NodeJS.Timeout;
}

interface WaitingPart {
  readonly session: SmppSession;
  readonly resolve: () => void;
}

interface LinkEvents {
  onDelivery: SessionEvents['onDelivery'];
  onLink(state: LinkState): void;
  /** Told why a receiver is not bound, where that is new. */
  onDeaf(error: string): void;
}

/** The sessions of a connection, kept open from when it is opened. */
export class SmppLink {
  readonly #events: LinkEvents;
  readonly #slots: readonly Slot[];
  readonly #senders: readonly Slot[];
  readonly #pace: Pace;
  /** Both in the order in which they came. */
  readonly #texts = new Set<WaitingText>();
  readonly #parts = new Set<WaitingPart>();
  #state: LinkState | null = null;
  /** Why a receiver is not bound while texts go; null: all are, or were not opened yet. */
  #deafness: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isOpened = false;
  #isClosed = false;

  constructor(config: SmppConfig, events: LinkEvents) {
    this.#events = events;
    this.#pace = new Pace(config.throughput ?? null);
    const kinds = config.bind === 'separate' ? (['transmitter', 'receiver'] as const) : (['transceiver'] as const);
    const own = {
      onDelivery: events.onDelivery,
      onRoom: () => this.#pump(),
      onChange: () => this.#changed(),
    };
    this.#slots = Array.from({ length: config.sessions }).flatMap(() => kinds.map(kind => new Slot(config, kind, own)));
    this.#senders = this.#slots.filter(({ kind }) => kind !== 'receiver');
  }

  /** Opens the first session. The others follow when it is bound: what is wrong with it is wrong with all, and asked once. */
  open(): void {
    this.#slots[0]?.open();
  }

  /** A session by which a text may be submitted now, with room taken; or why there is none. */
  room(
    { refuse }: Pick<SendRequest, 'refuse'>,
    signal: AbortSignal,
  ): SmppSession | Refusal | Promise<SmppSession | Refusal> {
    if (this.#isClosed || this.#state?.isUp === false) return NOT_BOUND;
    if (signal.aborted) return NO_ROOM;
    if (this.#texts.size === 0 && this.#parts.size === 0) {
      const session = this.#freest();
      if (session && this.#pace.take()) {
        session.takeRoom();
        return session;
      }
    }
    const { promise, resolve } = Promise.withResolvers<SmppSession | Refusal>();
    const giveUp = (): void => this.#settle(waiting, this.#state ? NO_ROOM : NOT_BOUND);
    const timer = setTimeout(giveUp, this.#state ? ROOM_MS : FIRST_BIND_MS);
    const waiting: WaitingText = { resolve, timer, ...(refuse && { refuse }) };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#texts.add(waiting);
    this.#pump();
    return promise;
  }

  /** Waits for room for a further part, by the session of the parts before it. Parts go before other texts, since half a text is of no use. */
  roomFor(session: SmppSession): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#parts.add({ session, resolve });
    this.#pump();
    return promise;
  }

  /** Submits nothing for a while, since the SMSC said that it was too much. */
  hold(): void {
    this.#pace.hold(THROTTLED_MS);
  }

  /** Ends the sessions, in good order where they are bound. */
  async close(): Promise<void> {
    this.refuse();
    if (this.#timer) clearTimeout(this.#timer);
    await Promise.all(this.#slots.map(slot => slot.close()));
  }

  /** Takes no more texts. */
  refuse(): void {
    this.#isClosed = true;
    this.#refuseAll();
  }

  #refuseAll(): void {
    for (const waiting of this.#texts) this.#settle(waiting, NOT_BOUND);
  }

  #settle(waiting: WaitingText, place: SmppSession | Refusal): void {
    this.#texts.delete(waiting);
    clearTimeout(waiting.timer);
    waiting.resolve(place);
  }

  /** Gives what room there is to those who wait, as long as the pace allows it. */
  #pump(): void {
    if (this.#servesParts() && this.#servesTexts()) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#pump();
    }, this.#pace.waitMs());
  }

  /** False: the pace does not allow the next one yet. */
  #servesParts(): boolean {
    for (const waiting of this.#parts) {
      const { session, resolve } = waiting;
      if (session.isBound && session.room < 1) continue;
      if (session.isBound && !this.#pace.take()) return false;
      this.#parts.delete(waiting);
      session.takeRoom();
      resolve();
    }
    return true;
  }

  /** False: the pace does not allow the next one yet. */
  #servesTexts(): boolean {
    for (const waiting of this.#texts) {
      // The recipient wants no more: nothing may be sent any more.
      const refusal = waiting.refuse?.();
      if (refusal) {
        this.#settle(waiting, refusal);
        continue;
      }
      const session = this.#freest();
      if (!session) return true;
      if (!this.#pace.take()) return false;
      session.takeRoom();
      this.#settle(waiting, session);
    }
    return true;
  }

  /** The session with most room; null: none has any. */
  #freest(): SmppSession | null {
    let freest: SmppSession | null = null;
    for (const { session } of this.#senders) if (session && session.room > (freest?.room ?? 0)) freest = session;
    return freest;
  }

  #changed(): void {
    if (!this.#isOpened && this.#slots[0]?.session) {
      this.#isOpened = true;
      for (const slot of this.#slots.slice(1)) slot.open();
    }
    const isUp = this.#senders.some(({ session }) => session !== null);
    const failed = isUp ? undefined : this.#senders.find(slot => slot.error !== null);
    const [error, retriesAtMs] = [failed?.error ?? null, failed?.retriesAtMs ?? undefined];
    const before = this.#state;
    if (isUp !== before?.isUp || error !== before.error || retriesAtMs !== before.retriesAtMs) {
      this.#state = { isUp, error, ...(retriesAtMs !== undefined && { retriesAtMs }) };
      if (!this.#isClosed) this.#events.onLink(this.#state);
    }
    const deaf = isUp ? this.#slots.find(({ kind, error }) => kind === 'receiver' && error !== null) : undefined;
    const deafness = deaf?.error ?? null;
    if (deafness !== null && deafness !== this.#deafness && !this.#isClosed) this.#events.onDeaf(deafness);
    this.#deafness = deafness;
    if (!isUp) this.#refuseAll();
    this.#pump();
  }
}

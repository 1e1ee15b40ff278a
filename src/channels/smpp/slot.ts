/** The place of one session: the one that is bound, or the next that is to be. */
import { BindRefused } from './answers.ts';
import type { SmppConfig } from './config.ts';
import { type BindKind, type SessionEvents, SmppSession } from './session.ts';
import { isRefusedLogin } from './statuses.ts';

/** The waits before a session is opened anew, twice as long each time. Up to a quarter is added, so that many do not come at once. */
const RETRY_MS = { first: 1_000, longest: 60_000 };
const JITTER = 0.25;

/** The wait after refused credentials: an SMSC may lock an account that asks again and again. */
const REFUSED_MS = 300_000;

/** How long a session must have been bound for the waits to begin anew. Some SMSCs bind a session and end it at once, again and again. */
const STEADY_MS = 10_000;

interface SlotEvents {
  onDelivery: SessionEvents['onDelivery'];
  onRoom: SessionEvents['onRoom'];
  /** A session was bound, or has ended, or could not be bound. */
  onChange(): void;
}

/** How long to wait after so many failures in a row, without the jitter. */
export function retryMs(failures: number, error: Error): number {
  if (error instanceof BindRefused && isRefusedLogin(error.status)) return REFUSED_MS;
  return Math.min(RETRY_MS.first * 2 ** (failures - 1), RETRY_MS.longest);
}

/** The place of one session. */
export class Slot {
  readonly kind: BindKind;
  readonly #config: SmppConfig;
  readonly #events: SlotEvents;
  #session: SmppSession | null = null;
  /** Why there is no session now; null: there is one, or the first is not bound yet. */
  error: string | null = null;
  /** When the next session is opened, by `performance.now()`; null: there is one, or it is being opened. */
  retriesAtMs: number | null = null;
  #failures = 0;
  #boundAtMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(config: SmppConfig, kind: BindKind, events: SlotEvents) {
    this.#config = config;
    this.kind = kind;
    this.#events = events;
  }

  /** The session, if it is bound. */
  get session(): SmppSession | null {
    return this.#session?.isBound ? this.#session : null;
  }

  /** Opens a session, and keeps one open. */
  open(): void {
    this.retriesAtMs = null;
    this.#session = new SmppSession(this.#config, this.kind, {
      onDelivery: this.#events.onDelivery,
      onRoom: this.#events.onRoom,
      onBound: () => {
        this.#boundAtMs = performance.now();
        this.error = null;
        this.#events.onChange();
      },
      onLeave: error => {
        this.error = error.message;
        this.#events.onChange();
      },
      onEnd: error => this.#lost(error),
    });
  }

  /** Opens no more, and unbinds. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#session?.unbind();
  }

  #lost(error: Error): void {
    this.#session = null;
    this.error = error.message;
    if (this.#isClosed) return;
    const wasSteady = this.#boundAtMs > 0 && performance.now() - this.#boundAtMs >= STEADY_MS;
    this.#boundAtMs = 0;
    this.#failures = wasSteady ? 1 : this.#failures + 1;
    const waitMs = retryMs(this.#failures, error) * (1 + Math.random() * JITTER);
    this.retriesAtMs = performance.now() + waitMs;
    this.#timer = setTimeout(() => this.open(), waitMs).unref();
    this.#events.onChange();
  }
}

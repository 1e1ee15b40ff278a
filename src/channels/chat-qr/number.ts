/** One number of a QR-linked chat, while this process owns its session: its socket in the driver, and what comes by it. */
import type { ConnectionServices } from '../contract.ts';
import type { SendOutcome } from '../outcome.ts';
import type { OwnedSession, SessionHost, SessionStart, SessionText } from '../session.ts';
import { AGAIN, type CloseVerdict, RESTART, verdictOf } from './close.policy.ts';
import type { ChatLimits, ChatReport, Command, News } from './driver/protocol.ts';
import { answer, type driverOf, LIBRARY, type NumberNews, type Reply } from './driver-process.ts';
import { messageIdOf } from './message-id.ts';
import { NO_ACK, NOT_CONNECTED, outcomeOf, RESTRICTED } from './outcomes.ts';
import { inboundOf, reportOf } from './reports.ts';

/** How long the server may take to acknowledge a text. */
const ACK_MS = 5_000;

/** How long an end may take: what hangs is left behind with its lease. */
const END_MS = 3_000;

/** How long a number without an open socket may take to open one, to be unlinked by it. */
const OPEN_MS = 10_000;

/** The times of a link. */
export interface LinkTimes {
  /** How long it may take, with all of its codes. */
  readonly linkMs: number;
  /** How long the next code may be late: pairing stalls now and then (Baileys#2737), and a fresh socket helps. */
  readonly stallMs: number;
}

/** A link has time for two codes that are typed. */
export const LINK_TIMES: LinkTimes = { linkMs: 300_000, stallMs: 20_000 };

/** The wait before a fresh socket of a link. */
const FRESH_MS = 1_000;

/** A number that was open for so long has begun anew: what failed before it counts no more. */
const STAYED_MS = 60_000;

interface NumberParts {
  readonly connectionId: string;
  readonly number: string;
  readonly driver: ReturnType<typeof driverOf>;
  readonly services: Pick<ConnectionServices, 'receive' | 'hear'>;
  readonly host: SessionHost;
  readonly times: LinkTimes;
}

/** A session of a number. */
export class ChatNumber implements OwnedSession {
  readonly #parts: NumberParts;
  readonly #detach: () => void;
  #creds: string | null;
  #link: SessionStart['link'];
  /** The end of the lease, by `performance.now()`. */
  #endsAtMs: number;
  #isOpen = false;
  #lastCode: number | null = null;
  /** Its lease was over when it was to be opened. */
  #waitsForLease = false;
  #isOver = false;
  #failures = 0;
  #badSessions = 0;
  #openedAtMs: number | null = null;
  /** The last change that is stored. They are stored one by one: of two credentials the newer is to stay. */
  #kept: Promise<unknown> = Promise.resolve();
  /** Whether a code of the link was given. */
  #hasCode = false;
  readonly #linkTimer: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | null = null;
  #closed: PromiseWithResolvers<void> | null = null;
  /** Called as it is open, or over. */
  #onSettled: () => void = () => undefined;

  constructor(parts: NumberParts, { creds, link, leaseMs }: SessionStart) {
    this.#parts = parts;
    this.#creds = creds;
    this.#link = link;
    this.#endsAtMs = performance.now() + leaseMs;
    this.#detach = parts.driver.attach(parts.connectionId, (news, reply) => this.#hear(news, reply));
    if (link) this.#linkTimer = setTimeout(() => this.#giveUpLink(), parts.times.linkMs);
    this.#open();
  }

  extend(leaseMs: number): void {
    this.#endsAtMs = performance.now() + leaseMs;
    if (this.#isOver) return;
    this.#tell({ type: 'lease', leaseMs });
    if (this.#waitsForLease) this.#open();
  }

  async send({ attemptId, to, text, isKnown }: SessionText, signal: AbortSignal): Promise<SendOutcome> {
    if (!this.#isOpen || this.#isOver || signal.aborted) return NOT_CONNECTED;
    const { connectionId, driver, host } = this.#parts;
    const messageId = messageIdOf(attemptId);
    const of = { type: 'send', connectionId, to, text, messageId, isKnown, ackMs: ACK_MS } as const;
    const cancel = (): void => this.#tell({ type: 'cancel', messageId });
    signal.addEventListener('abort', cancel, { once: true });
    const news = await driver.ask(call => ({ ...of, call }));
    signal.removeEventListener('abort', cancel);
    if (news.type !== 'sent') return NO_ACK;
    if (news.outcome.kind === 'refused' && news.outcome.code === RESTRICTED) host.onChange({ kind: 'restricted' });
    return outcomeOf(news.outcome, messageId);
  }

  async askLimits(): Promise<ChatLimits | null> {
    if (!this.#isOpen || this.#isOver) return null;
    const { connectionId, driver } = this.#parts;
    const news = await driver.ask(call => ({ type: 'askLimits', connectionId, call }));
    return news.type === 'limits' ? news.limits : null;
  }

  async end(unlink: boolean): Promise<boolean> {
    if (unlink && this.#creds !== null) await this.#untilOpen();
    if (this.#isOver) return true;
    this.#isOver = true;
    this.#onSettled();
    this.#stopTimer();
    clearTimeout(this.#linkTimer);
    this.#closed = Promise.withResolvers();
    this.#tell({ type: 'close', unlink });
    let isClosed = true;
    const late = setTimeout(() => {
      isClosed = false;
      this.#closed?.resolve();
    }, END_MS);
    await this.#closed.promise;
    clearTimeout(late);
    this.#detach();
    return isClosed;
  }

  /** Has the socket opened by which the server is told of the end: the phone would keep the device. */
  async #untilOpen(): Promise<void> {
    if (this.#isOpen || this.#isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onSettled = resolve;
    const late = setTimeout(resolve, OPEN_MS);
    if (this.#timer) this.#open();
    if (!this.#waitsForLease) await promise;
    clearTimeout(late);
  }

  #open(): void {
    this.#stopTimer();
    const leaseMs = this.#endsAtMs - performance.now();
    this.#waitsForLease = leaseMs <= 0;
    if (this.#isOver || this.#waitsForLease) return;
    const link = this.#link && { method: this.#link, number: this.#parts.number };
    this.#tell({ type: 'open', creds: this.#creds, link, leaseMs });
    if (link) this.#watchStall(0);
  }

  #tell(command: Omitted<Command>): void {
    this.#parts.driver.tell({ ...command, connectionId: this.#parts.connectionId } as Command);
  }

  #hear(news: NumberNews, reply: Reply): void {
    const asked = this.#asked(news);
    if (asked !== null && 'call' in news) answer(reply, news.call, asked);
    else if (news.type === 'code') {
      this.#failures = 0;
      this.#hasCode = true;
      this.#watchStall(news.lastsMs);
      this.#parts.host.onChange({ ...news, kind: 'code' });
    } else if (news.type === 'paired') this.#paired(news.number);
    else if (news.type === 'opened') this.#opened();
    else if (news.type === 'closed' || news.type === 'gone') this.#onClosed('code' in news ? news.code : null);
  }

  /** The work that the driver asks for; null: it asks for none. */
  #asked(news: NumberNews): Promise<unknown> | null {
    const { host, services } = this.#parts;
    switch (news.type) {
      case 'get':
        return host.get(news.kind, news.ids);
      case 'set':
        return this.#keep(news);
      case 'reports':
        return this.#receive(news.reports);
      case 'inbound':
        return services.hear(news.messages.map(message => inboundOf(message, this.#parts.number)));
      default:
        return null;
    }
  }

  /** Stores what became of texts. The driver tells it again until then: the server is asked for its limits once. */
  async #receive(reports: readonly ChatReport[]): Promise<void> {
    const { host, services } = this.#parts;
    await services.receive(reports.flatMap(reportOf));
    if (reports.some(({ code }) => code === RESTRICTED)) host.onChange({ kind: 'restricted' });
  }

  #keep({ keys, creds }: Extract<News, { type: 'set' }>): Promise<unknown> {
    const kept = this.#kept.then(async () => {
      await this.#parts.host.keep(keys, creds);
      if (creds !== null) this.#onKept(creds);
    });
    this.#kept = kept.catch(() => {
      if (creds !== null && this.#link !== null) this.#onUnkept();
    });
    return kept;
  }

  /** Goes on by stored credentials. With the first ones the number is linked: the phone gets its answer now. */
  #onKept(creds: string): void {
    this.#creds = creds;
    if (this.#link === null) return;
    this.#link = null;
    clearTimeout(this.#linkTimer);
    this.#parts.host.onChange({ kind: 'linked' });
  }

  /** Ends a link whose phone gets no answer. Nobody knows whether its credentials are stored: they are forgotten. */
  #onUnkept(): void {
    void this.end(false);
    const error = `What the phone has signed could not be stored. ${AGAIN}`;
    this.#parts.host.onChange({ kind: 'ended', state: 'relink', error, wipes: true });
  }

  #paired(number: string): void {
    this.#stopTimer();
    const { number: wanted, host } = this.#parts;
    if (number === wanted) return;
    host.onChange({
      kind: 'unlinked',
      error: `The phone that took the code has another number than ${wanted}. It was not linked: use the right one, or change the number of the connection.`,
    });
  }

  #opened(): void {
    this.#isOpen = true;
    this.#openedAtMs = performance.now();
    // After a link the server asks for another socket, which is no failure.
    if (this.#lastCode === RESTART) this.#failures = 0;
    this.#parts.host.onChange({ kind: 'open' });
    this.#onSettled();
  }

  #onClosed(code: number | null): void {
    this.#isOpen = false;
    this.#closed?.resolve();
    if (this.#isOver) return;
    this.#stopTimer();
    const hasStayed = this.#openedAtMs !== null && performance.now() - this.#openedAtMs >= STAYED_MS;
    this.#openedAtMs = null;
    this.#lastCode = code;
    this.#failures = hasStayed ? 1 : this.#failures + 1;
    this.#badSessions = code === 500 ? (hasStayed ? 1 : this.#badSessions + 1) : 0;
    const verdict = verdictOf(code, this.#failures, this.#badSessions, Math.random());
    if (verdict.kind === 'end') this.#onEnded(verdict);
    else {
      // A link whose codes are used up, or whose socket was closed, goes on by a fresh one.
      const inMs = this.#link === null ? verdict.inMs : Math.max(FRESH_MS, verdict.inMs);
      if (this.#link === null) this.#parts.host.onChange({ kind: 'down', error: verdict.error, retryInMs: inMs });
      this.#timer = setTimeout(() => this.#open(), inMs);
    }
  }

  #onEnded({ state, error, wipes }: Extract<CloseVerdict, { kind: 'end' }>): void {
    const told = state === 'outdated' ? `${error} It needs ${LIBRARY} or a newer one that it names.` : error;
    void this.end(false);
    this.#parts.host.onChange(
      this.#link === null ? { kind: 'ended', state, error: told, wipes } : { kind: 'unlinked', error: told },
    );
  }

  /** Tells that the time of a link is over. */
  #giveUpLink(): void {
    const why = this.#hasCode ? 'No phone has taken the code in time.' : 'WhatsApp has given no code in time.';
    this.#parts.host.onChange({ kind: 'unlinked', error: `${why} Begin anew, and keep the phone at hand.` });
  }

  /** Opens a fresh socket where the next code is late. @param goodMs how long the last one is good */
  #watchStall(goodMs: number): void {
    this.#stopTimer();
    const close = (): void => this.#tell({ type: 'close', unlink: false });
    this.#timer = setTimeout(close, goodMs + this.#parts.times.stallMs);
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

type Omitted<Of> = Of extends unknown ? Omit<Of, 'connectionId'> : never;

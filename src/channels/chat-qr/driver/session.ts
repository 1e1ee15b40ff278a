/** The one socket of a number, from its opening to its end. The end is final: the gateway opens another one. */
import { setTimeout as wait } from 'node:timers/promises';
import { OUR_ADDRESS, recall } from './addresses.ts';
import { addressOf, isCrowd, numberOf, personOf, readInbound } from './inbound.ts';
import type { KeptTexts } from './kept-texts.ts';
import { type Keys, openKeys } from './keys.ts';
import {
  type ChatMessage,
  type ChatSocket,
  type Creds,
  type Library,
  type MessageKey,
  type RawSocket,
  SILENT,
  type SocketEvents,
} from './library.ts';
import type { Link } from './link.ts';
import type { NewsQueue } from './news-queue.ts';
import { guardOutgoing } from './outgoing.ts';
import type { ChatInbound, ChatLimits, ChatRecipient, ChatReport, Command, Sent } from './protocol.ts';
import { storingAtOnce } from './repository.ts';
import { Sends } from './sends.ts';

type Open = Extract<Command, { type: 'open' }>;

/** How long the first picture can be scanned, and how long each that follows. */
const [FIRST_QR_MS, NEXT_QR_MS] = [60_000, 20_000];

/** How long a code can be typed: as long as the server gives pictures, which are six. */
const PAIRING_CODE_MS = FIRST_QR_MS + 5 * NEXT_QR_MS;

/** How long the server may take to answer a question. */
const QUERY_MS = 20_000;

/** How long the goodbye of a device that is unlinked may take. */
const GOODBYE_MS = 5_000;

/** How long an end waits for news that are handed over, which the server sends no second time. The gateway waits a little longer for the end. */
const HAND_OVER_MS = 2_500;

/** The parts of a session. */
export interface SessionParts {
  /** Another server than the library's, for rehearsals; undefined: none. */
  readonly server: string | undefined;
  /** The texts of the number, over its sockets. */
  readonly kept: KeptTexts;
  /** The news of the number, over its sockets. */
  readonly queue: NewsQueue;
  /** Called before the end is told. */
  onEnd(): void;
}

/** A session. */
export class Session {
  readonly #library: Library;
  readonly #link: Link;
  readonly #open: Open;
  readonly #creds: Creds;
  readonly #keys: Keys;
  readonly #socket: ChatSocket;
  readonly #raw: RawSocket;
  readonly #sends: Sends;
  readonly #onEnd: () => void;
  #leaseUntilMs = 0;
  #leaseTimer: NodeJS.Timeout | undefined;
  #isOpen = false;
  /** Whether a code has been given. */
  #hasCode = false;
  /** Whether the end is our own wish. */
  #isLeaving = false;
  #hasEnded = false;
  readonly #told = Promise.withResolvers<void>();
  readonly #queue: NewsQueue;

  /** Begins to connect. */
  constructor(library: Library, link: Link, open: Open, { server, kept, queue, onEnd }: SessionParts) {
    this.#library = library;
    this.#link = link;
    this.#open = open;
    this.#queue = queue;
    this.#onEnd = onEnd;
    this.#creds = readCreds(library, open.creds);
    this.#keys = openKeys(library, link, open.connectionId, () => this.#leave());
    this.#socket = this.#connect(server, kept);
    this.#sends = new Sends(this.#socket, this.#keys, kept, () => this.#leave());
    this.#raw = this.#socket.ws.socket;
    guardOutgoing(
      this.#raw,
      () => this.#keys.stored(),
      () => !this.#isShut(),
    );
    this.#listen();
    this.#lease(open.leaseMs);
  }

  /** Goes on for so long from now on. */
  renew(leaseMs: number): void {
    // A frame may have been held back already.
    if (this.#isShut()) this.#leave();
    else this.#lease(leaseMs);
  }

  #lease(leaseMs: number): void {
    this.#leaseUntilMs = performance.now() + leaseMs;
    clearTimeout(this.#leaseTimer);
    this.#leaseTimer = setTimeout(() => this.#leave(), leaseMs);
  }

  /** Sends a text. */
  async send(command: Extract<Command, { type: 'send' }>): Promise<Sent> {
    return this.#isOpen && !this.#isShut() ? this.#sends.send(command) : { kind: 'unsent' };
  }

  /** Has nothing of a text leave from now on. */
  cancel(messageId: string): void {
    this.#sends.cancel(messageId);
  }

  /** Asks the server for its limits. Null: no answer. */
  async limits(): Promise<ChatLimits | null> {
    if (!this.#isOpen) return null;
    const lock = await this.#socket.fetchAccountReachoutTimelock().catch(() => null);
    if (!lock) return null;
    const cap = await this.#socket.fetchNewChatMessageCap().catch(() => null);
    const { total_quota: total, used_quota: used, capping_status: status } = cap ?? {};
    // The server's word holds, whatever its numbers say: all of them are used.
    const isCapped = status === 'CAPPED';
    return {
      isLocked: lock.isActive,
      lockedUntilMs: (lock.isActive && lock.timeEnforcementEnds?.getTime()) || null,
      newChats: total ?? (isCapped ? 0 : null),
      newChatsUsed: isCapped ? Math.max(total ?? 0, used ?? 0) : (used ?? null),
      newChatsUntilMs: Number(cap?.cycle_end_timestamp ?? 0) * 1_000 || null,
    };
  }

  /** Closes the socket, and waits until that is told. @param unlink as of the command */
  close(unlink: boolean): Promise<void> {
    if (unlink && this.#isOpen) this.#unlink();
    else this.#leave();
    return this.#told.promise;
  }

  #unlink(): void {
    setTimeout(() => this.#leave(), GOODBYE_MS);
    this.#isOpen = false;
    this.#isLeaving = true;
    this.#socket.logout().catch(() => this.#leave());
  }

  #connect(server: string | undefined, kept: KeptTexts): ChatSocket {
    const library = this.#library;
    return library.makeWASocket({
      auth: { creds: this.#creds, keys: this.#keys },
      ...(server && { waWebSocketUrl: server }),
      logger: SILENT,
      browser: library.Browsers.ubuntu('Chrome'),
      syncFullHistory: false,
      markOnlineOnConnect: false,
      emitOwnEvents: false,
      defaultQueryTimeoutMs: QUERY_MS,
      // A refusal ends the socket: the number is opened anew from what is stored.
      transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
      shouldIgnoreJid: isCrowd,
      getMessage: async ({ id }: { id?: string | null }) => kept.get(id ?? ''),
      makeSignalRepository: storingAtOnce(library, this.#keys),
    });
  }

  #listen(): void {
    const { ev, ws } = this.#socket;
    ev.on('creds.update', () => this.#isSigned() && this.#keys.saveCreds(this.#creds));
    ev.on('connection.update', update => void this.#onConnection(update));
    ev.on('messages.update', updates => this.#report(this.#sends.takeUpdates(updates)));
    ev.on('messages.upsert', ({ messages }) => this.#queue.add(() => this.#receive(messages)));
    ws.on('CB:ack,class:message', ack => {
      const late = this.#sends.takeAck(ack);
      if (late) this.#report([late]);
    });
  }

  async #onConnection(update: SocketEvents['connection.update']): Promise<void> {
    const { connection, qr, isNewLogin, lastDisconnect } = update;
    const number = numberOf(this.#creds.me?.id);
    if (qr) await this.#giveCode(qr);
    if (isNewLogin && number) this.#onPaired(number);
    if (connection === 'open') this.#onOpen();
    if (connection === 'close') await this.#onClose(lastDisconnect?.error?.output?.statusCode ?? null);
  }

  /** An open socket without a number of its own is none. */
  #onOpen(): void {
    if (!this.#creds.me?.id) {
      this.#leave();
      return;
    }
    this.#isOpen = true;
    this.#link.tell({ type: 'opened', connectionId: this.#open.connectionId });
  }

  /** Whether the right phone has signed for the device. Nothing is kept of it before. */
  #isSigned(): boolean {
    const { link } = this.#open;
    return Boolean(this.#creds.account) && (!link || numberOf(this.#creds.me?.id) === link.number);
  }

  #onPaired(number: string): void {
    this.#link.tell({ type: 'paired', connectionId: this.#open.connectionId, number });
    // The device has not signed yet: without its signature no phone has it.
    if (!this.#isSigned()) this.#leave();
  }

  async #giveCode(qr: string): Promise<void> {
    const { link, connectionId } = this.#open;
    const isFirst = !this.#hasCode;
    this.#hasCode = true;
    // A number whose link is lost: nobody waits for a code.
    if (!link) return this.#leave();
    const { method, number } = link;
    const lastsMs = isFirst ? FIRST_QR_MS : NEXT_QR_MS;
    if (method === 'QR') return this.#link.tell({ type: 'code', connectionId, method, code: qr, lastsMs });
    if (!isFirst) return;
    const code = await this.#socket.requestPairingCode(number).catch(() => null);
    if (code) this.#link.tell({ type: 'code', connectionId, method, code, lastsMs: PAIRING_CODE_MS });
  }

  async #receive(messages: readonly ChatMessage[]): Promise<void> {
    const read: ChatInbound[] = [];
    for (const message of messages) {
      const inbound = readInbound(this.#library, message);
      if (inbound) read.push({ ...inbound, ...(await this.#personOf(message.key)) });
    }
    const { connectionId } = this.#open;
    if (read.length > 0) await this.#link.handOver({ type: 'inbound', connectionId, messages: read });
  }

  /** Reads the person of a chat, also where the keys cannot be read any more: a text must not be lost. */
  async #personOf(key: MessageKey): Promise<ChatRecipient> {
    const { lidMapping } = this.#socket.signalRepository;
    const person = await personOf(key, jid => lidMapping.getPNForLID(jid).catch(() => null));
    const address = person.number && addressOf(person);
    if (!address) return person;
    const ours = await recall(this.#keys, OUR_ADDRESS, address).catch(() => address);
    return { ...person, number: numberOf(ours) };
  }

  #report(reports: readonly ChatReport[]): void {
    const { connectionId } = this.#open;
    if (reports.length > 0) this.#queue.add(() => this.#link.handOver({ type: 'reports', connectionId, reports }));
  }

  #isShut(): boolean {
    return this.#hasEnded || performance.now() >= this.#leaseUntilMs;
  }

  /** Ends by our own wish, at once: a goodbye would wait for the server. */
  #leave(): void {
    if (this.#hasEnded) return;
    this.#isLeaving = true;
    void this.#socket.end(undefined);
    this.#raw.terminate();
    void this.#onClose(null);
  }

  async #onClose(code: number | null): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#isOpen = false;
    clearTimeout(this.#leaseTimer);
    // The library forgets what it has gathered and not told.
    this.#socket.ev.flush();
    this.#sends.end();
    // The next socket begins with what is stored.
    await this.#keys.stored().catch(() => undefined);
    await Promise.race([this.#queue.isEmpty(), wait(HAND_OVER_MS)]);
    this.#onEnd();
    this.#link.tell({ type: 'closed', connectionId: this.#open.connectionId, code: this.#isLeaving ? null : code });
    this.#told.resolve();
  }
}

/** Reads the credentials of a device, or makes new ones. */
function readCreds(library: Library, text: string | null): Creds {
  if (text !== null) return JSON.parse(text, library.BufferJSON.reviver);
  // The library holds all events back for 20 s to wait for a new device's history, unless it has been there.
  return { ...library.initAuthCreds(), accountSyncCounter: 1 };
}

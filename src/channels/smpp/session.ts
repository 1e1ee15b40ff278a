/**
 * One connection to an SMSC, from the bind to its end: what is asked, what it answers, and what it asks. Its end is final; `slot.ts` opens
 * another one. Every request ends: answered, or lost by the clock or with the connection.
 */
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { unreachable } from '../faults.ts';
import { AskedRequests, BindRefused, closed, type Lost, lateBind, type SubmitAnswer } from './answers.ts';
import { ANSWER_BIT, type Command, type FieldsOf } from './codec/commands.ts';
import { Framer } from './codec/framing.ts';
import { decodePdu, encodePdu, type Pdu, type PduExtras, type UnknownPdu } from './codec/pdu.ts';
import type { SmppConfig } from './config.ts';
import type { Delivery } from './receipt.ts';
import { closeSoon, openSocket, placeOf } from './socket.ts';
import { OWN_STATUS } from './statuses.ts';
import type { Submit } from './submits.ts';

/** The direction of a session: it submits messages, gets receipts and texts, or does both. */
export type BindKind = 'transceiver' | 'transmitter' | 'receiver';

/** SMPP 3.4. */
const INTERFACE_VERSION = 0x34;

/** How long connecting and binding may take together; the bind's answer alone may take as long as any. */
const BIND_MS = 10_000;

/** The most bytes that the SMSC leaves unread. Above it nothing more is read from the SMSC, since answers to its requests would pile up. */
const UNREAD_BYTES_MAX = 1_048_576;

/** Requests that have no answer (§4.1.7, §4.12): `outbind` and `alert_notification`. */
const WITHOUT_ANSWER = new Set([0x0b, 0x102]);

/** Whom a session tells; never while it is being made. */
export interface SessionEvents {
  /** The session is bound. */
  onBound(): void;
  /** A receipt or a text came. Answers whether it is stored, by which the SMSC is told that it is, or to send it again later; never rejects. */
  onDelivery(delivery: Delivery): Promise<boolean>;
  /** There is room for one more submit. */
  onRoom(): void;
  /** The SMSC unbinds the session: no submit is taken any more, and it ends when what was asked before is answered. */
  onLeave(error: Error): void;
  /** The session has ended, bound or not; called once, when every request has ended. */
  onEnd(error: Error): void;
}

/** A session. */
export class SmppSession {
  readonly #config: SmppConfig;
  readonly #events: SessionEvents;
  readonly #socket: Socket;
  readonly #framer = new Framer();
  readonly #asked: AskedRequests;
  readonly #bindTimer: NodeJS.Timeout;
  /** PDUs that are written when the present turn is over: many by one system call. */
  #outbox: Buffer[] = [];
  #room: number;
  #isBound = false;
  #isEnquiring = false;
  /** Runs while nothing comes. */
  #silence: NodeJS.Timeout | null = null;
  /** How many deliveries are being stored. */
  #storing = 0;
  /** Set once nothing new is taken. Resolves when every request is answered, both ways. */
  #answered: PromiseWithResolvers<void> | null = null;
  #hasEnded = false;

  /** Begins to connect, and binds. */
  constructor(config: SmppConfig, kind: BindKind, events: SessionEvents) {
    this.#config = config;
    this.#events = events;
    this.#room = config.window;
    this.#asked = new AskedRequests(config.responseTimeoutMs, isSilent => {
      // Whether the other side is there at all is not left to the next silence: what is sent meanwhile would be lost.
      if (isSilent) void this.#enquire();
      this.#checkAnswered();
    });
    this.#bindTimer = setTimeout(() => this.end(lateBind(placeOf(config), this.#socket.connecting)), BIND_MS);
    this.#socket = openSocket(config, () => void this.#bind(kind))
      .on('data', bytes => this.#read(bytes))
      .on('drain', () => this.#socket.resume())
      .on('error', error => this.end(new Error(unreachable(error, placeOf(config)))))
      .on('end', () => this.end(closed(this.#isBound)))
      .on('close', () => this.end(closed(this.#isBound)));
  }

  /** Whether it is bound, and neither ends nor has ended. */
  get isBound(): boolean {
    return this.#isBound && !this.#answered && !this.#hasEnded;
  }

  /** How many submits may be made now. */
  get room(): number {
    return this.#room;
  }

  /** Takes room for one submit. */
  takeRoom(): void {
    this.#room -= 1;
  }

  /** Gives it back, when it is known what the answer means for the submits that follow. */
  giveRoom(): void {
    this.#room += 1;
    if (!this.#hasEnded) this.#events.onRoom();
  }

  /** Submits a message, for which room was taken. Never rejects. */
  submit({ fields, tlvs }: Submit): Promise<SubmitAnswer> {
    if (this.#answered) return Promise.resolve({ command: null, code: 'not_bound' });
    return this.#ask('submit_sm', 'submit_sm_resp', fields, { tlvs }) as Promise<SubmitAnswer>;
  }

  /** Says goodbye when what was asked before is answered, and ends it whatever comes of that. */
  async unbind(): Promise<void> {
    if (this.#isBound) {
      await this.#finish();
      await this.#ask('unbind', 'unbind_resp', {});
    }
    this.end(new Error('The session was unbound.'));
  }

  /** Ends it at once: what has no answer by now has none for ever. */
  end(error: Error): void {
    if (this.#hasEnded) return;
    this.#flush();
    this.#hasEnded = true;
    clearTimeout(this.#bindTimer);
    if (this.#silence) clearTimeout(this.#silence);
    if (this.#isBound) closeSoon(this.#socket);
    else this.#socket.destroy();
    this.#asked.breakOff();
    this.#answered?.resolve();
    this.#events.onEnd(error);
  }

  /** Takes nothing new, and waits until what was asked before is answered, both ways, but no longer than for an answer. */
  async #finish(): Promise<void> {
    this.#answered ??= Promise.withResolvers();
    this.#checkAnswered();
    await Promise.race([this.#answered.promise, delay(this.#config.responseTimeoutMs, undefined, { ref: false })]);
  }

  #checkAnswered(): void {
    if (this.#asked.size === 0 && this.#storing === 0) this.#answered?.resolve();
  }

  /** Ends it as the SMSC wishes. */
  async #leave(sequence: number): Promise<void> {
    const error = new Error('The SMSC unbound the session.');
    // The SMSC waits for nothing where both unbind at once.
    if (this.isBound) {
      const finished = this.#finish();
      this.#events.onLeave(error);
      await finished;
    }
    this.#answer('unbind_resp', sequence, OWN_STATUS.ok);
    this.end(error);
  }

  async #bind(kind: BindKind): Promise<void> {
    const { systemId, password, systemType = '' } = this.#config;
    const fields = { system_id: systemId, password, system_type: systemType, interface_version: INTERFACE_VERSION };
    const answer = await this.#ask(`bind_${kind}`, `bind_${kind}_resp`, fields);
    if (answer.command === null) return;
    if (answer.status !== OWN_STATUS.ok || answer.command === 'generic_nack') this.end(new BindRefused(answer.status));
    else if (!this.#hasEnded) this.#becomeBound();
  }

  /** Asks something, and answers what comes of it; never rejects. */
  #ask<Of extends Command>(
    command: Of,
    answer: Command,
    fields: Partial<FieldsOf<Of>>,
    extras?: PduExtras,
  ): Promise<Pdu | Lost> {
    if (this.#hasEnded) return Promise.resolve({ command: null, code: 'not_bound' });
    const sequence = this.#asked.nextSequence();
    this.#write(encodePdu(command, sequence, fields, extras));
    return this.#asked.add(sequence, answer);
  }

  #read(bytes: Buffer): void {
    this.#silence?.refresh();
    try {
      this.#framer.push(bytes, pdu => {
        if (!this.#hasEnded) this.#take(decodePdu(pdu));
      });
    } catch (error) {
      // Nothing behind it can be believed.
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(pdu: Pdu | UnknownPdu): void {
    switch (pdu.command) {
      case 'deliver_sm':
      case 'data_sm':
        void this.#deliver(pdu as Delivery);
        break;
      case 'enquire_link':
        this.#answer('enquire_link_resp', pdu.sequence, OWN_STATUS.ok);
        break;
      case 'unbind':
        void this.#leave(pdu.sequence);
        break;
      case 'submit_sm':
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver':
        this.#refuse(pdu.sequence);
        break;
      case null:
        // An answer to what nobody asked is no request.
        if ((pdu.id & ANSWER_BIT) === 0 && !WITHOUT_ANSWER.has(pdu.id)) this.#refuse(pdu.sequence);
        break;
      default:
        this.#asked.settle(pdu);
        this.#checkAnswered();
    }
  }

  #becomeBound(): void {
    this.#isBound = true;
    clearTimeout(this.#bindTimer);
    this.#silence = setTimeout(() => void this.#enquire(), this.#config.enquireLinkMs).unref();
    this.#events.onBound();
  }

  /** Asks whether the other side is there; who does not answer is gone. */
  async #enquire(): Promise<void> {
    if (this.#isEnquiring) return;
    this.#isEnquiring = true;
    const answer = await this.#ask('enquire_link', 'enquire_link_resp', {});
    this.#isEnquiring = false;
    if (answer.command === null) this.end(new Error('The SMSC did not answer an enquire_link in time.'));
    else this.#silence?.refresh();
  }

  async #deliver(delivery: Delivery): Promise<void> {
    this.#storing += 1;
    const isStored = !this.#answered && (await this.#events.onDelivery(delivery));
    this.#storing -= 1;
    this.#answer(`${delivery.command}_resp`, delivery.sequence, isStored ? OWN_STATUS.ok : OWN_STATUS.tryLater);
    this.#checkAnswered();
  }

  #refuse(sequence: number): void {
    this.#answer('generic_nack', sequence, OWN_STATUS.invalidCommand);
  }

  #answer(command: Command, sequence: number, status: number): void {
    if (!this.#hasEnded) this.#write(encodePdu(command, sequence, {}, { status }));
  }

  #write(pdu: Buffer): void {
    // Behind every promise of this turn, so that what they write leaves together.
    if (this.#outbox.push(pdu) === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const [first, ...others] = this.#outbox;
    if (!first || this.#hasEnded) return;
    this.#outbox = [];
    this.#socket.write(others.length === 0 ? first : Buffer.concat([first, ...others]));
    if (this.#socket.writableLength > UNREAD_BYTES_MAX) this.#socket.pause();
  }
}

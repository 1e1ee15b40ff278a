/** Texts on their way to the server, and what became of each. */
import { CHAT_ADDRESS, OUR_ADDRESS, recall } from './addresses.ts';
import { addressOf } from './inbound.ts';
import type { KeptTexts } from './kept-texts.ts';
import type { ChatNode, ChatSocket, KeyStore, SocketEvents } from './library.ts';
import { type Departure, depart } from './outgoing.ts';
import type { ChatReport, Command, Sent } from './protocol.ts';

type Send = Extract<Command, { type: 'send' }>;

/** The statuses of the library that are told on. From the first of them the server has the text. */
const STATUSES: ReadonlyMap<number, ChatReport['status']> = new Map([
  [2, 'sent'],
  [3, 'delivered'],
  [4, 'read'],
  [5, 'read'],
]);

/** A text without the server's word. */
interface Waiting {
  readonly departure: Departure;
  readonly settle: (outcome: Sent) => void;
}

/** The address of a recipient, or why nothing is sent there. */
interface Place {
  readonly jid: string;
  readonly hindrance: 'absent' | 'unsent' | null;
}

/** The texts of one socket. */
export class Sends {
  readonly #socket: ChatSocket;
  readonly #keys: KeyStore;
  /** Shuts the gate for good: a text that is told to be unsent must not leave later. */
  readonly #abandon: () => void;
  readonly #waiting = new Map<string, Waiting>();
  readonly #kept: KeptTexts;
  /** The library leaves questions alone whose socket is closed. */
  readonly #ended = Promise.withResolvers<Place>();

  constructor(socket: ChatSocket, keys: KeyStore, kept: KeptTexts, abandon: () => void) {
    this.#socket = socket;
    this.#keys = keys;
    this.#kept = kept;
    this.#abandon = abandon;
  }

  /** Sends a text. Answers once the server has taken or refused it, or says nothing in time. */
  async send(command: Send): Promise<Sent> {
    const { to, text, messageId, ackMs } = command;
    const address = addressOf(to);
    if (!address) return { kind: 'unsent' };
    const isNew = !command.isKnown && to.number !== null;
    const { jid, hindrance } = await Promise.race([this.#lookUp(address, isNew), this.#ended.promise]);
    if (hindrance) return { kind: hindrance };
    const { promise, resolve } = Promise.withResolvers<Sent>();
    const { departure, sent } = depart(() => this.#socket.sendMessage(jid, { text, linkPreview: null }, { messageId }));
    this.#waiting.set(messageId, { departure, settle: resolve });
    sent.then(
      message => {
        if (message?.message) this.#kept.keep(messageId, message.message);
        setTimeout(() => resolve({ kind: 'unknown' }), ackMs);
      },
      () => {
        if (departure.isQueued && !departure.hasLeft) this.#abandon();
        resolve(outcomeOf(departure));
      },
    );
    return promise.finally(() => this.#waiting.delete(messageId));
  }

  /** Takes the server's acknowledgement. Answers a report where nothing waits for it any more. */
  takeAck({ attrs: { id = '', error } }: ChatNode): ChatReport | null {
    const waiting = this.#waiting.get(id);
    waiting?.settle(error ? { kind: 'refused', code: error } : { kind: 'acked' });
    if (waiting) return null;
    return { messageId: id, status: error ? 'failed' : 'sent', code: error ?? null };
  }

  /** Takes later statuses. A failure comes by the acknowledgement alone, which has its code. */
  takeUpdates(updates: SocketEvents['messages.update']): ChatReport[] {
    return updates.flatMap(({ key, update }) => {
      const status = STATUSES.get(update.status ?? 0);
      if (!key.fromMe || !key.id || !status) return [];
      this.#waiting.get(key.id)?.settle({ kind: 'acked' });
      return [{ messageId: key.id, status, code: null }];
    });
  }

  /** Ends what waits: the socket is closed. */
  end(): void {
    this.#ended.resolve({ jid: '', hindrance: 'unsent' });
    for (const { departure, settle } of this.#waiting.values()) settle(outcomeOf(departure));
  }

  /** Looks up a recipient and the devices: without any, the library would send a message to nobody. */
  async #lookUp(address: string, isNew: boolean): Promise<Place> {
    try {
      const jid = isNew ? await this.#find(address) : await recall(this.#keys, CHAT_ADDRESS, address);
      if (!jid) return { jid: address, hindrance: jid === null ? 'absent' : 'unsent' };
      const devices = await this.#socket.getUSyncDevices([jid], true, false);
      return { jid, hindrance: devices.length > 0 ? null : 'unsent' };
    } catch {
      return { jid: address, hindrance: 'unsent' };
    }
  }

  /** Asks the server for the address of a number. Null: nobody has it. Undefined: no answer. */
  async #find(address: string): Promise<string | null | undefined> {
    const found = await this.#socket.onWhatsApp(address);
    const jid = found?.find(({ exists }) => exists)?.jid;
    if (jid && jid !== address)
      await this.#keys.set({ [CHAT_ADDRESS]: { [address]: jid }, [OUR_ADDRESS]: { [jid]: address } });
    return found && (jid ?? null);
  }
}

function outcomeOf(departure: Departure): Sent {
  return { kind: departure.hasLeft ? 'unknown' : 'unsent' };
}

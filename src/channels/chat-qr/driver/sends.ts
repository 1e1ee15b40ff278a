/** Texts on their way to the server, and what became of each. */
import { CHAT_ADDRESS, OUR_ADDRESS, recall } from './addresses.ts';
import { addressOf } from './inbound.ts';
import type { KeptTexts } from './kept-texts.ts';
import type { ChatNode, ChatSocket, KeyStore, SocketEvents } from './library.ts';
import { type Departure, depart } from './outgoing.ts';
import type { ChatRecipient, ChatReport, Command, Sent } from './protocol.ts';

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
  /** Null: its recipient is being looked up. */
  departure: Departure | null;
  /** Nothing of it may leave from now on that has not left. */
  isOver: boolean;
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

  constructor(socket: ChatSocket, keys: KeyStore, kept: KeptTexts, abandon: () => void) {
    this.#socket = socket;
    this.#keys = keys;
    this.#kept = kept;
    this.#abandon = abandon;
  }

  /** Sends a text. Answers once the server has taken or refused it, says nothing in time, or nobody waits for it any more. */
  send(command: Send): Promise<Sent> {
    const { messageId } = command;
    const { promise, resolve } = Promise.withResolvers<Sent>();
    const waiting: Waiting = {
      departure: null,
      isOver: false,
      settle: outcome => {
        waiting.isOver = true;
        this.#waiting.delete(messageId);
        resolve(outcome);
      },
    };
    this.#waiting.set(messageId, waiting);
    void this.#begin(command, waiting);
    return promise;
  }

  async #begin({ to, text, messageId, isKnown, ackMs }: Send, waiting: Waiting): Promise<void> {
    const { settle } = waiting;
    const { jid, hindrance } = await this.#lookUp(to, isKnown);
    if (hindrance) return settle({ kind: hindrance });
    if (waiting.isOver) return;
    const { departure, sent } = depart(() => this.#socket.sendMessage(jid, { text, linkPreview: null }, { messageId }));
    waiting.departure = departure;
    sent.then(
      message => {
        if (message?.message) this.#kept.keep(messageId, message.message);
        setTimeout(() => settle({ kind: 'unknown' }), ackMs);
      },
      () => {
        if (departure.isQueued && !departure.hasLeft) this.#abandon();
        settle(outcomeOf(departure));
      },
    );
  }

  /** Nobody waits for a text any more. The word of the server is reported when it comes, if the text has left. */
  cancel(messageId: string): void {
    const waiting = this.#waiting.get(messageId);
    if (!waiting) return;
    const { departure } = waiting;
    if (departure) departure.isCancelled = true;
    // A sealed one leaves with the next frame: frames are numbered, and none can be taken out.
    waiting.settle({ kind: departure?.isSealing ? 'unknown' : 'unsent' });
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
    for (const { departure, settle } of this.#waiting.values()) settle(outcomeOf(departure));
  }

  /** Looks up a recipient and the devices: without any, the library would send a message to nobody. */
  async #lookUp(to: ChatRecipient, isKnown: boolean): Promise<Place> {
    const address = addressOf(to);
    if (!address) return { jid: '', hindrance: 'unsent' };
    try {
      if (isKnown || to.number === null) {
        const jid = await recall(this.#keys, CHAT_ADDRESS, address);
        if (await this.#hasDevices(jid)) return { jid, hindrance: null };
        if (to.number === null) return { jid, hindrance: 'unsent' };
      }
      // Somebody who was known may have left the chat. A number that was unlinked has forgotten how the chat writes others.
      const jid = await this.#find(address);
      if (jid && (await this.#hasDevices(jid))) return { jid, hindrance: null };
      return { jid: address, hindrance: jid === null ? 'absent' : 'unsent' };
    } catch {
      return { jid: address, hindrance: 'unsent' };
    }
  }

  async #hasDevices(jid: string): Promise<boolean> {
    return (await this.#socket.getUSyncDevices([jid], true, false)).length > 0;
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

function outcomeOf(departure: Departure | null): Sent {
  return { kind: departure?.hasLeft ? 'unknown' : 'unsent' };
}

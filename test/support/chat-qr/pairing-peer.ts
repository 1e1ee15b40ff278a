/**
 * A server of the chat for rehearsals: it links devices by picture or code, takes and decrypts texts, and tells what became of them. A
 * test can have it break. Like the real one, the server speaks to one device of a number at a time. Groups, media, history and several
 * devices of a recipient are missing. Nothing here proves that the real server would take the same.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { Watched } from '../smpp/watched.ts';
import { type Account, bundleOf, type Device, makeAccount, newDevice } from './accounts.ts';
import { answerTo, type Limits } from './answers.ts';
import { bytesOf, childOf, childrenOf, node, SERVER, userOf } from './nodes.ts';
import { NoiseServer } from './noise-server.ts';
import {
  type ClientPayload,
  loadPackages,
  type Node,
  type Packages,
  type PeerMessage,
  type PeerServer,
  type PeerSocket,
} from './peer-library.ts';
import { lidOf, Person } from './person.ts';
import { type CodeRequest, pairSuccess, readCodeRequest, readPicture, typeCode } from './phone.ts';

/** A text that came. */
export interface Taken {
  readonly id: string;
  readonly from: string;
  /** The number of the recipient. */
  readonly to: string;
  readonly text: string | null;
  /** The place of the text among the events of the peer. */
  readonly order: number;
}

/** How the server treats texts to somebody: acknowledges them, says nothing, or refuses them by a code. */
export type Acks = 'yes' | 'no' | { readonly refusedBy: string };

/** One connection. */
interface Line {
  readonly socket: PeerSocket;
  readonly noise: NoiseServer;
  readonly refs: readonly string[];
  registration: NonNullable<ClientPayload['devicePairingData']> | null;
  account: Account | null;
  device: Device | null;
  /** The device for which a phone has signed, and which has not signed yet: it is linked only then. */
  unsigned: { readonly account: Account; readonly device: Device } | null;
  code: CodeRequest | null;
  isOpen: boolean;
}

/** The codes that the server tells before a login, or in its place. */
const FAILURES: ReadonlySet<number> = new Set([401, 403, 405, 411, 500]);

/** The peer. */
export class PairingPeer implements AsyncDisposable {
  readonly #packages: Packages;
  readonly #server: PeerServer;
  readonly #root;
  readonly #lines = new Set<Line>();
  readonly #accounts = new Map<string, Account>();
  readonly #people = new Map<string, Person>();
  readonly #absent = new Set<string>();
  readonly #written = new Map<string, string>();
  readonly #acks = new Map<string, Acks>();
  readonly #refusedLogins = new Map<string, number>();
  readonly #heard = new Watched();
  #refs = 0;
  #order: () => number = () => 0;
  /** How often each number has logged in. */
  readonly logins = new Map<string, number>();
  /** The texts that came, in order. */
  readonly messages: Taken[] = [];
  /** The counters of the keys that sealed the texts, with the key of their chain. */
  readonly counters: string[] = [];
  /** Receipts of devices for what people wrote: their ids. */
  readonly receipts: string[] = [];
  /** The limits that the server tells. */
  limits: Limits | null = {
    isLocked: false,
    lockedUntilMs: null,
    newChats: 30,
    newChatsUsed: 2,
    newChatsUntilMs: null,
  };
  /** The numbers that logged in while a former socket of theirs was open, each time. */
  readonly doubled: string[] = [];
  /** Whether a login ends the former socket. The real server does; without it is seen what a process does by itself. */
  endsFormer = true;
  /** How many devices get no picture from now on. */
  stalls = 0;
  /** How many pictures a device gets before the server gives up. */
  pictures = 6;

  constructor(packages: Packages, server: PeerServer) {
    this.#packages = packages;
    this.#server = server;
    this.#root = packages.library.Curve.generateKeyPair();
    server.on('connection', socket => this.#connect(socket));
  }

  /** The environment by which a driver finds this server. */
  get env(): { readonly CHAT_QR_SERVER: string; readonly CHAT_QR_ROOT: string } {
    return {
      CHAT_QR_SERVER: `ws://127.0.0.1:${this.#server.address().port}/ws/chat`,
      CHAT_QR_ROOT: Buffer.from(this.#root.public).toString('hex'),
    };
  }

  /** Has the order of texts counted with the events of somebody else. */
  countBy(next: () => number): void {
    this.#order = next;
  }

  /** Whether a device shows a picture. */
  shows(qr: string): boolean {
    const { ref } = readPicture(qr);
    return [...this.#lines].some(({ refs }) => refs.includes(ref));
  }

  /** The phone of `number` scans a picture. @throws Error where no device shows the picture any more */
  scan(number: string, qr: string): void {
    const { ref, secret } = readPicture(qr);
    const line = [...this.#lines].find(({ refs }) => refs.includes(ref));
    if (!line) throw new Error('No device shows this picture');
    this.#pair(line, number, secret);
  }

  /** A code is typed into the phone of `number`. */
  async type(number: string, code: string): Promise<void> {
    const line = await this.#heard.until(() => [...this.#lines].find(one => one.code?.number === number) ?? null);
    if (!line.code) return;
    const account = this.#account(number);
    const { notification, secretOf } = await typeCode(this.#packages, account, line.code, code);
    this.#onFinish.set(line, finish => this.#pair(line, number, secretOf(finish)));
    this.#send(line, notification);
  }
  readonly #onFinish = new Map<Line, (finish: Node) => void>();

  /** Says that nobody has this number on the chat. */
  makeAbsent(number: string): void {
    this.#absent.add(number);
  }

  /** Says that the chat writes a number in another way, as some of Brazil and Mexico. */
  writeOtherwise(number: string, written: string): void {
    this.#written.set(number, written);
    this.makeAbsent(number);
  }

  /** Says what becomes of texts to a number. */
  acknowledge(number: string, acks: Acks): void {
    this.#acks.set(number, acks);
  }

  /** Acknowledges a text now: late, or once more. */
  acknowledgeLate(messageId: string, refusedBy?: string): void {
    const taken = this.#taken(messageId);
    this.#ack(this.#lineOf(taken.from), taken.id, `${taken.to}${SERVER}`, refusedBy);
  }

  /** The recipient's phone says that it has a text, or that it was read. */
  receipt(messageId: string, kind: 'delivered' | 'read'): void {
    const { from, to, id } = this.#taken(messageId);
    const attrs = { from: `${to}${SERVER}`, id, t: '1', ...(kind === 'read' && { type: 'read' }) };
    this.#send(this.#lineOf(from), node('receipt', attrs));
  }

  /** The recipient's phone could not read a text, and asks for it again with new keys. */
  askAgain(messageId: string): void {
    const { from, to, id } = this.#taken(messageId);
    const retry = node('retry', { count: '1', id, t: '1', v: '1' });
    const registration = node('registration', {}, this.#packages.library.encodeBigEndian(1));
    this.#send(
      this.#lineOf(from),
      node('receipt', { from: `${to}${SERVER}`, id, t: '1', type: 'retry' }, [retry, registration]),
    );
  }

  /** A message as the bytes of one that is not sealed. */
  encode(message: PeerMessage): Uint8Array {
    return this.#packages.library.proto.Message.encode(message).finish();
  }

  /** A person writes to a number. @param by `id`: the chat shows the person's id alone */
  async write(
    from: string,
    to: string,
    message: PeerMessage,
    { id = `IN${this.#refs++}`, by = 'number' }: { id?: string; by?: 'number' | 'id' | 'both' } = {},
  ): Promise<string> {
    const line = this.#lineOf(to);
    if (!line.device) throw new Error('No device');
    const sealed = await this.#person(from).encrypt(to, message, bundleOf(this.#packages, line.device));
    const addresses = {
      number: { from: `${from}${SERVER}`, sender_lid: `${lidOf(from)}@lid` },
      id: { from: `${lidOf(from)}@lid` },
      both: { from: `${lidOf(from)}@lid`, sender_pn: `${from}${SERVER}` },
    };
    const attrs = { ...addresses[by], id, t: '1', notify: `Person ${from}`, type: 'text' };
    this.#send(line, node('message', attrs, [node('enc', { v: '2', type: sealed.type }, sealed.bytes)]));
    return id;
  }

  /** Sends any element to a number. */
  send(number: string, element: Node): void {
    this.#send(this.#lineOf(number), element);
  }

  /** Ends a number's socket by a code; 428: it is cut. */
  close(number: string, code: number): void {
    this.#end(this.#lineOf(number), code);
  }

  /** Has the next logins of a number refused by a code; 0: no more. */
  refuseLogins(number: string, code: number): void {
    this.#refusedLogins.set(number, code);
  }

  /** How many sockets are open for a number, with those whose device has not signed yet. */
  socketsOf(number: string): number {
    const isOf = ({ account, unsigned }: Line) => (account ?? unsigned?.account)?.number === number;
    return [...this.#lines].filter(line => line.isOpen && isOf(line)).length;
  }

  /** How many devices are linked to a number. */
  devicesOf(number: string): number {
    return this.#accounts.get(number)?.devices.size ?? 0;
  }

  /** Waits until `read` answers something else than null. */
  until<Value>(read: () => Value | null): Promise<Value> {
    return this.#heard.until(read);
  }

  /** Waits for so many texts. */
  taken(count: number): Promise<readonly Taken[]> {
    return this.until(() => (this.messages.length >= count ? this.messages : null));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await turn();
  }

  #connect(socket: PeerSocket): void {
    const line: Line = {
      socket,
      noise: new NoiseServer(this.#packages.library, this.#root),
      refs: Array.from({ length: this.pictures }, () => `ref-${this.#refs++}`),
      registration: null,
      account: null,
      device: null,
      unsigned: null,
      code: null,
      isOpen: true,
    };
    this.#lines.add(line);
    let before = Promise.resolve();
    socket.on('message', data => {
      before = before.then(() => this.#read(line, data)).catch(() => socket.terminate());
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      line.isOpen = false;
      this.#lines.delete(line);
      this.#heard.touch();
    });
  }

  async #read(line: Line, data: Buffer): Promise<void> {
    const { answer, login, nodes } = await line.noise.take(data);
    if (answer) line.socket.send(answer);
    if (login) this.#login(line, login);
    for (const element of nodes) await this.#take(line, element);
    this.#heard.touch();
  }

  #login(line: Line, { username, device: id, devicePairingData }: ClientPayload): void {
    if (devicePairingData) this.#offerPictures(line, devicePairingData);
    else this.#welcome(line, String(username), id ?? 0);
  }

  #offerPictures(line: Line, registration: NonNullable<ClientPayload['devicePairingData']>): void {
    line.registration = registration;
    if (this.stalls-- > 0) return;
    const refs = line.refs.map(ref => node('ref', {}, Buffer.from(ref)));
    this.#send(line, node('iq', { from: SERVER, type: 'set', id: 'pair' }, [node('pair-device', {}, refs)]));
  }

  #welcome(line: Line, number: string, id: number): void {
    const account = this.#account(number);
    const device = account.devices.get(id) ?? null;
    const refused = this.#refusedLogins.get(number) || (device ? 0 : 401);
    if (refused) {
      this.#end(line, refused);
      return;
    }
    for (const other of this.#lines) {
      if (other.device !== device || !other.isOpen) continue;
      this.doubled.push(number);
      if (this.endsFormer) this.#end(other, 440);
    }
    this.logins.set(number, (this.logins.get(number) ?? 0) + 1);
    [line.account, line.device] = [account, device];
    this.#send(line, node('success', { t: '1', lid: `${lidOf(number)}:${id}@lid` }));
    this.#send(line, node('ib', {}, [node('offline', { count: '0' })]));
  }

  async #take(line: Line, element: Node): Promise<void> {
    const { account, device } = line;
    if (element.tag === 'iq') return this.#takeIq(line, element);
    if (element.tag === 'receipt') this.receipts.push(element.attrs.id ?? '');
    if (element.tag === 'message' && account && device) await this.#takeMessage(line, account, element);
  }

  #takeIq(line: Line, iq: Node): void {
    const child = childOf(iq);
    const request = readCodeRequest(iq);
    if (request) line.code = request;
    else if (child?.tag === 'link_code_companion_reg') {
      this.#send(line, node('iq', { from: SERVER, type: 'result', id: iq.attrs.id ?? '' }, []));
      this.#onFinish.get(line)?.(iq);
    } else if (child?.tag === 'pair-device-sign') this.#link(line);
    else if (child?.tag === 'remove-companion-device') {
      if (line.device) line.account?.devices.delete(line.device.id);
    } else if (line.account && line.device && iq.attrs.type !== 'result') {
      const world = {
        limits: this.limits,
        find: (jid: string) => this.#find(jid),
        written: (number: string) => this.#written.get(number) ?? number,
      };
      const answer = answerTo(iq, line.account, line.device, world);
      if (answer) this.#send(line, answer);
    }
  }

  async #takeMessage(line: Line, account: Account, message: Node): Promise<void> {
    const { id = '', to = '' } = message.attrs;
    const person = this.#find(to);
    if (!person) return this.#ack(line, id, to, '404');
    const parts = childrenOf(childOf(message, 'participants'), 'to');
    const own = parts.find(part => this.#find(part.attrs.jid ?? '') === person) ?? message;
    const sealed = childOf(own, 'enc');
    if (!sealed || !this.#isSigned(account, message, sealed)) return this.#ack(line, id, to, '479');
    this.counters.push(`${person.number} ${counterOf(bytesOf(sealed), sealed.attrs.type ?? '')}`);
    const read = await person.decrypt(account.number, sealed.attrs.type ?? '', bytesOf(sealed));
    const text = read.conversation || read.extendedTextMessage?.text || null;
    this.messages.push({ id, from: account.number, to: person.number, text, order: this.#order() });
    const acks = this.#acks.get(person.number) ?? 'yes';
    if (acks !== 'no') this.#ack(line, id, to, acks === 'yes' ? undefined : acks.refusedBy);
  }

  /** The first texts of a conversation bring the phone's signature for the device. */
  #isSigned(account: Account, message: Node, sealed: Node): boolean {
    if (sealed.attrs.type !== 'pkmsg') return true;
    const identity = childOf(message, 'device-identity');
    const { ADVSignedDeviceIdentity } = this.#packages.library.proto;
    const key = identity && ADVSignedDeviceIdentity.decode(bytesOf(identity)).accountSignatureKey;
    return key !== undefined && Buffer.from(account.keys.public).equals(key);
  }

  #pair(line: Line, number: string, secret: Buffer): void {
    if (!line.registration) throw new Error('Nothing to link');
    const account = this.#account(number);
    line.unsigned = { account, device: newDevice(account, line.registration) };
    this.#send(line, pairSuccess(this.#packages, account, line.unsigned.device, secret));
  }

  #link(line: Line): void {
    const { account, device } = line.unsigned ?? {};
    if (account && device) {
      account.devices.set(device.id, device);
      for (const person of this.#people.values()) person.forget(account.number);
    }
    this.#end(line, 515);
  }

  #ack(line: Line, id: string, from: string, error?: string): void {
    this.#send(line, node('ack', { class: 'message', id, from, t: '1', ...(error && { error }) }));
  }

  #end(line: Line, code: number): void {
    line.isOpen = false;
    if (code === 428) line.socket.terminate();
    else if (code === 440) this.#send(line, node('stream:error', {}, [node('conflict', { type: 'replaced' })]));
    else if (FAILURES.has(code)) this.#send(line, node('failure', { reason: String(code) }));
    else this.#send(line, node('stream:error', { code: String(code) }));
    line.socket.close();
  }

  #send(line: Line, element: Node): void {
    line.socket.send(line.noise.encode(element));
  }

  #lineOf(number: string): Line {
    const line = [...this.#lines].find(one => one.isOpen && one.account?.number === number);
    if (!line) throw new Error(`${number} has no open socket`);
    return line;
  }

  #taken(messageId: string): Taken {
    const taken = this.messages.find(({ id }) => id === messageId);
    if (!taken) throw new Error(`${messageId} has not come`);
    return taken;
  }

  #account(number: string): Account {
    const account = this.#accounts.get(number) ?? makeAccount(this.#packages, number);
    this.#accounts.set(number, account);
    this.#people.set(number, account.person);
    return account;
  }

  #person(number: string): Person {
    const person = this.#people.get(number) ?? new Person(this.#packages, number);
    this.#people.set(number, person);
    return person;
  }

  #find(jid: string): Person | null {
    const user = userOf(jid);
    const number = jid.endsWith('@lid') ? [...user.slice(1)].reverse().join('') : user;
    return this.#absent.has(number) ? null : this.#person(number);
  }
}

/** The key of the chain and the counter in a sealed message: the two that must never come together again. */
function counterOf(sealed: Buffer, type: string): string {
  const fields = fieldsOf(sealed.subarray(1, type === 'pkmsg' ? undefined : -8));
  const inner = fields.get(4);
  if (type === 'pkmsg' && inner instanceof Buffer) return counterOf(inner, 'msg');
  const key = fields.get(1);
  return `${key instanceof Buffer ? key.toString('base64') : ''} ${String(fields.get(2))}`;
}

/** The fields of a protobuf message: numbers and bytes, the last of each. */
function fieldsOf(bytes: Buffer): Map<number, Buffer | number> {
  const fields = new Map<number, Buffer | number>();
  let at = 0;
  const varint = (): number => {
    let [value, shift] = [0, 1];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
      shift *= 128;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    if ((tag & 7) === 0) fields.set(tag >>> 3, value);
    else {
      fields.set(tag >>> 3, bytes.subarray(at, at + value));
      at += value;
    }
  }
  return fields;
}

/** Starts the peer. */
export async function startPairingPeer(): Promise<PairingPeer> {
  const packages = await loadPackages();
  const server = new packages.Server({ host: '127.0.0.1', port: 0 });
  await new Promise<void>(resolve => server.once('listening', resolve));
  return new PairingPeer(packages, server);
}

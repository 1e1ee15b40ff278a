/** The gateway's side of the driver, for tests: forks it, keeps its keys in memory, and remembers in which order things came. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Command, LinkMethod, News, Sent } from '../../../src/channels/chat-qr/driver/protocol.ts';
import { DRIVER_FLAGS } from '../../../src/channels/chat-qr/driver-process.ts';
import { REPOSITORY } from '../repository.ts';
import { residentBytes } from '../resident-memory.ts';
import { Watched } from '../smpp/watched.ts';
import type { PairingPeer } from './pairing-peer.ts';
import { BAILEYS_DIR } from './peer-library.ts';

const DRIVER = join(REPOSITORY, 'src/channels/chat-qr/driver/main.ts');

/** How long a lease lasts where a test has none in mind. */
const LEASE_MS = 120_000;

type OfType<Type extends News['type']> = Extract<News, { type: Type }>;

type Question = OfType<'get' | 'set' | 'reports' | 'inbound'>;

/** How a driver is started. */
export interface ParentOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Another file than the driver's own. */
  readonly file?: string;
  /** Another folder than that with the library. */
  readonly folder?: string;
  /** Both outputs are read. */
  readonly isHeard?: boolean;
}

/** A driver with its parent. */
export class Parent implements AsyncDisposable {
  readonly child: ChildProcess;
  /** The news of the driver, in order. */
  readonly news: News[] = [];
  /** The keys of each number: `kind/id` to value. */
  readonly keys = new Map<string, Map<string, string>>();
  /** The credentials of each number, as they were stored last. */
  readonly creds = new Map<string, string>();
  /** The events of parent and peer: which sets were answered, and when. */
  readonly sets: { readonly order: number; readonly kinds: readonly string[] }[] = [];
  /** The text of both outputs. */
  output = '';
  /** Whether a question is refused. */
  refuses: (question: Question) => boolean = () => false;
  readonly #heard = new Watched();
  #holds: (question: Question) => boolean = () => false;
  #held: Question[] = [];
  readonly #exit: Promise<unknown>;
  #calls = 0;
  #order = 0;

  constructor({ env, file = DRIVER, folder = BAILEYS_DIR, isHeard = false }: ParentOptions) {
    const output = isHeard ? 'pipe' : 'ignore';
    this.child = fork(file, [folder], {
      env: { ...process.env, ...env },
      execArgv: DRIVER_FLAGS,
      stdio: ['ignore', output, output, 'ipc'],
    });
    this.#exit = once(this.child, 'exit');
    this.child.on('message', (news: News) => this.#take(news));
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', data => {
        this.output += data;
      });
  }

  /** The next number in the order of events. */
  next(): number {
    return ++this.#order;
  }

  /** Tells the driver something. */
  tell(command: Command): void {
    this.child.send(command);
  }

  /** Waits until the driver has told something of a number: the first time, or the one that follows `after` news of the kind. */
  heard<Type extends News['type']>(type: Type, connectionId?: string, after = 0): Promise<OfType<Type>> {
    return this.#heard.until(() => this.of(type, connectionId)[after] ?? null);
  }

  /** Waits until `read` answers something else than null. */
  until<Value>(read: () => Value | null): Promise<Value> {
    return this.#heard.until(read);
  }

  /** The news of a kind that the driver has told. */
  of<Type extends News['type']>(type: Type, connectionId?: string): OfType<Type>[] {
    return this.news.filter(
      (one): one is OfType<Type> =>
        one.type === type && (!connectionId || !('connectionId' in one) || one.connectionId === connectionId),
    );
  }

  /** Opens a number by what is stored. */
  open(connectionId: string, { leaseMs = LEASE_MS }: { leaseMs?: number } = {}): Promise<OfType<'opened'>> {
    const after = this.of('opened', connectionId).length;
    this.tell({ type: 'open', connectionId, creds: this.creds.get(connectionId) ?? null, link: null, leaseMs });
    return this.heard('opened', connectionId, after);
  }

  /** Begins to link a number. Answers the first code. */
  async link(connectionId: string, method: LinkMethod, number: string): Promise<OfType<'code'>> {
    const after = this.of('code', connectionId).length;
    this.tell({ type: 'open', connectionId, creds: null, link: { method, number }, leaseMs: LEASE_MS });
    return this.heard('code', connectionId, after);
  }

  /** Links a number by its picture, and opens it. */
  async linkByPicture(peer: PairingPeer, connectionId: string, number: string): Promise<void> {
    const after = this.of('closed', connectionId).length;
    peer.scan(number, (await this.link(connectionId, 'QR', number)).code);
    await this.heard('closed', connectionId, after);
    await this.open(connectionId);
  }

  /** Sends a text. */
  async send(
    connectionId: string,
    to: string,
    text: string,
    how: { messageId?: string; isKnown?: boolean; ackMs?: number; userId?: string | null; number?: string | null } = {},
  ): Promise<Sent> {
    const { messageId = `3EB0${this.#calls}`, isKnown = false, ackMs = 20_000, userId = null, number = to } = how;
    const call = ++this.#calls;
    this.tell({ type: 'send', connectionId, call, to: { number, userId }, text, messageId, isKnown, ackMs });
    return (await this.#heard.until(() => this.of('sent').find(news => news.call === call) ?? null)).outcome;
  }

  /** Asks for the limits of a number. */
  async askLimits(connectionId: string): Promise<OfType<'limits'>['limits']> {
    const call = ++this.#calls;
    this.tell({ type: 'askLimits', connectionId, call });
    return (await this.#heard.until(() => this.of('limits').find(news => news.call === call) ?? null)).limits;
  }

  /** Takes over what another parent has stored. */
  takeOver({ keys, creds }: Parent): void {
    for (const [id, kept] of keys) this.keys.set(id, new Map(kept));
    for (const [id, kept] of creds) this.creds.set(id, kept);
  }

  /** Leaves questions without an answer until what it answers is called. */
  hold(which: (question: Question) => boolean): () => void {
    this.#holds = which;
    return () => {
      this.#holds = () => false;
      for (const question of this.#held.splice(0)) this.#settle(question);
    };
  }

  /** Waits until a question is held. */
  held(): Promise<Question> {
    return this.#heard.until(() => this.#held[0] ?? null);
  }

  /** The memory of the process. */
  residentMegabytes(): number {
    return residentBytes(this.child.pid) / (1_024 * 1_024);
  }

  /** Waits until the process has ended. */
  async ended(): Promise<void> {
    await this.#exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#exit;
  }

  #take(news: News): void {
    this.news.push(news);
    if (news.type === 'get' || news.type === 'set' || news.type === 'reports' || news.type === 'inbound') {
      if (this.#holds(news)) this.#held.push(news);
      else this.#settle(news);
    }
    this.#heard.touch();
  }

  #settle(question: Question): void {
    if (this.refuses(question)) this.tell({ type: 'refusal', call: question.call, isUnheard: false });
    else this.tell({ type: 'answer', call: question.call, values: this.#answer(question) });
  }

  #answer(news: Question): Record<string, string> | null {
    const kept = this.keys.get(news.connectionId) ?? new Map<string, string>();
    this.keys.set(news.connectionId, kept);
    if (news.type === 'get')
      return Object.fromEntries(
        news.ids.flatMap(id => {
          const value = kept.get(`${news.kind}/${id}`);
          return value === undefined ? [] : [[id, value]];
        }),
      );
    if (news.type !== 'set') return null;
    for (const [kind, id, value] of news.keys)
      if (value === null) kept.delete(`${kind}/${id}`);
      else kept.set(`${kind}/${id}`, value);
    if (news.creds !== null) this.creds.set(news.connectionId, news.creds);
    this.sets.push({ order: this.next(), kinds: news.keys.map(([kind]) => kind) });
    return null;
  }
}

/** Starts a driver, and waits until it takes commands. */
export async function startParent(options: ParentOptions): Promise<Parent> {
  const parent = new Parent(options);
  await Promise.race([
    parent.heard('ready'),
    parent.ended().then(() => {
      throw new Error(`The driver ended: ${parent.output}`);
    }),
  ]);
  return parent;
}

/** The number that a driver holds where a test has none in mind, its connection, and somebody to write to. */
export const ID = 'connection';
export const NUMBER = '4915550001111';
export const TO = '4915550002222';

/** Starts a driver whose number is linked and open. The order of the server's texts is counted with the parent's events. */
export async function startLinked(peer: PairingPeer, options: Partial<ParentOptions> = {}): Promise<Parent> {
  const parent = await startParent({ env: peer.env, ...options });
  peer.countBy(() => parent.next());
  await parent.linkByPicture(peer, ID, NUMBER);
  return parent;
}

/** A fake of Meta's Graph API, as far as a gateway uses it. Requests come over a real socket, are checked as strictly as by Meta, and lead to callbacks. */
import { onTestFinished } from 'vitest';
import { HttpPeer, json, type Misdeed, type Received, type Reply } from '../providers/http-peer.ts';
import { Caller, type Deliver, shakeHands } from './caller.ts';
import { DEFAULTS } from './defaults.ts';
import { errorReply, GraphFault, invalid } from './errors.ts';
import { readMessageBody } from './message-body.ts';
import { listTemplates, readNewTemplate, type StoredTemplate, showAccount, showNumber } from './nodes.ts';
import {
  type GraphNumber,
  type GraphOptions,
  type GraphTemplate,
  type GraphUser,
  type ReportedStatus,
  userIdOf,
} from './options.ts';
import { Pace } from './pace.ts';
import {
  type Change,
  callOf,
  messageChange,
  newWamid,
  type SentMessage,
  statusChange,
  templateChange,
} from './payloads.ts';
import { rehearsalOf, WITHOUT_PHONE } from './rehearsals.ts';
import type { Said } from './said.ts';
import { checkTemplate } from './template-rules.ts';

/** How long after a word of the person free texts are taken. */
const WINDOW_MS = 86_400_000;

/** Meta asks for it: a name and a version of three numbers, and maybe more. */
const USER_AGENT = /^[a-zA-Z0-9\-_]+\/[0-9]+\.[0-9]+\.[0-9]+(;[a-zA-Z0-9\-=.]+)?(\s+[a-zA-Z0-9\-_]+\/[0-9\-.]+)?$/;

/** Codes that Meta mostly tells by a later status. */
const LATE_CODES: readonly number[] = [131026, 131047];

/** The fake. Make it by `startGraph`. */
export class Graph {
  /** The messages that were taken, in order. */
  readonly sent: SentMessage[] = [];
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly #options: Required<Omit<GraphOptions, 'users'>> & Pick<GraphOptions, 'users'>;
  readonly #peer = new HttpPeer({
    check: received => this.#answer(received),
    recipientOf: () => '',
    accept: () => json(200, {}),
    reject: () => json(400, {}),
    throttle: () => json(429, {}),
  });
  readonly #pace: Pace;
  readonly #caller: Caller;
  readonly #templates: StoredTemplate[];
  readonly #refusedOnce = new Set<string>();
  readonly #wrote = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: GraphOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { appSecret, verifyToken, rates, clock, templates, windows } = this.#options;
    this.appSecret = appSecret;
    this.verifyToken = verifyToken;
    this.#pace = new Pace(rates, clock);
    this.#caller = new Caller(appSecret);
    this.#templates = templates.map((template, index) => ({ ...template, id: String(1_192_339_204_654_487 + index) }));
    if (windows !== 'open') for (const [person, atMs] of Object.entries(windows)) this.#wrote.set(person, atMs);
  }

  /** Scheme, host and port. */
  get url(): string {
    return this.#peer.origin;
  }

  /** The numbers that it serves. */
  get numbers(): readonly GraphNumber[] {
    return this.#options.numbers;
  }

  /** Every request, in order, whatever became of it. */
  get requests(): readonly Received[] {
    return this.#peer.received;
  }

  /** The calls to the address of callbacks, with their answers. */
  get calls() {
    return this.#caller.calls;
  }

  /** Listens until `close`. */
  async open(): Promise<this> {
    await this.#peer.open();
    return this;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#peer.close();
    await this.#caller.idle();
  }

  /** From now on every request has this, whatever it asks. Null: as usual again. */
  say(said: Reply | Misdeed | null): void {
    this.#peer.say(said);
  }

  /** The requests that hand over a message to this recipient, a number or a user id. */
  requestsTo(recipient: string): Received[] {
    return this.requests.filter(({ method, body }) => method === 'POST' && body.includes(`"${recipient}"`));
  }

  /** From now on calls go there: to an address, or to a function. */
  callTo(target: string | Deliver): void {
    this.#caller.callTo(target);
  }

  /** Proves an address as Meta does: whether it repeats the challenge. */
  shakeHands(url: string, verifyToken: string = this.verifyToken) {
    return shakeHands(url, verifyToken);
  }

  /** Resolves when all that was to be told is told. */
  idle(): Promise<void> {
    return this.#caller.idle();
  }

  /** Reports a status of a message that was taken. */
  tell(wamid: string, reported: ReportedStatus | ReportedStatus['status']) {
    const sent = this.sent.find(one => one.wamid === wamid);
    if (!sent) throw new Error(`no message has the id ${wamid}`);
    const status = typeof reported === 'string' ? { status: reported } : reported;
    return this.call(sent.number, statusChange(sent, status, this.#options.clock()));
  }

  /** Lets a person write, which opens the window for free texts. Answers the id of the message. */
  async write(user: GraphUser, said: Said, more: { quotes?: string; to?: GraphNumber; id?: string } = {}) {
    const { to = this.#numberOf(this.numbers[0]?.phoneNumberId), id = newWamid(), ...quoted } = more;
    const atMs = this.#options.clock();
    for (const person of [user.number, user.userId]) if (person !== null) this.#wrote.set(person, atMs);
    this.#pace.count(to.phoneNumberId);
    await this.call(to, messageChange(to, user, said, { id, atMs, ...quoted }));
    return id;
  }

  /** Ends the review of a template otherwise, and tells it. */
  review(name: string, language: string, status: GraphTemplate['status'], rejectedReason?: string) {
    const index = this.#templates.findIndex(one => one.name === name && one.language === language);
    const before = this.#templates[index];
    if (!before) throw new Error(`there is no template ${name} in ${language}`);
    const after = { ...before, status, ...(rejectedReason === undefined ? {} : { rejectedReason }) };
    this.#templates[index] = after;
    const { businessAccountId: id } = this.#numberOf(this.numbers[0]?.phoneNumberId);
    const time = Math.floor(this.#options.clock() / 1_000);
    return this.post(callOf({ id, time, changes: [templateChange(after)] }));
  }

  /** Tells changes of the account of a number, in one call. */
  call({ businessAccountId }: GraphNumber, ...changes: readonly Change[]) {
    return this.post(callOf({ id: businessAccountId, changes }));
  }

  /** Tells a body as it is, after what is under way. */
  post(body: object) {
    return this.#caller.post(JSON.stringify(body));
  }

  #answer(received: Received): Reply | Misdeed {
    try {
      return this.#route(received);
    } catch (error) {
      if (error instanceof GraphFault) return errorReply(error, this.#options.httpStatuses[error.code]);
      throw error;
    }
  }

  #route(received: Received): Reply | Misdeed {
    const [, version = '', node = '', edge = '', more] = received.path.split('/');
    if (!/^v[0-9]+\.0$/.test(version)) throw new GraphFault(2500, `Unknown path components: ${received.path}`);
    if (!this.#options.versions.includes(version)) throw new GraphFault(2635);
    if (!USER_AGENT.test(received.headers['user-agent'] ?? ''))
      throw invalid('The User-Agent has not the form a/1.0.0');
    const token = tokenOf(received);
    const isPost = received.method === 'POST';
    if (isPost && !/^application\/json\s*(;|$)/.test(received.headers['content-type'] ?? ''))
      throw invalid('The content type is not application/json.');
    const way = `${received.method} ${edge}`;
    if (more === undefined && way === 'POST messages')
      return this.#take(received, this.#numberOf(node, token), Number(version.slice(1)));
    const ofAccount = this.numbers.find(one => one.businessAccountId === node && one.accessToken === token);
    if (more === undefined && way === 'GET ')
      return ofAccount ? showAccount(received, ofAccount) : showNumber(received, this.#numberOf(node, token));
    if (more !== undefined || !way.endsWith(' message_templates') || !ofAccount) throw noSuchObject(node);
    if (!isPost) return listTemplates(received, this.#templates, this.url);
    const created = {
      ...readNewTemplate(received, this.#templates),
      id: String(9_000_000_001 + this.#templates.length),
    };
    this.#templates.push(created);
    return json(200, { id: created.id, status: created.status, category: created.category });
  }

  #numberOf(phoneNumberId: string | undefined, token?: string): GraphNumber {
    if (token !== undefined && !this.numbers.some(one => one.accessToken === token)) throw new GraphFault(190);
    const found = this.numbers.find(one => one.phoneNumberId === phoneNumberId);
    if (!found || (token ?? found.accessToken) !== found.accessToken) throw noSuchObject(phoneNumberId ?? '');
    return found;
  }

  #take(received: Received, number: GraphNumber, version: number): Reply | Misdeed {
    const body = readMessageBody(received.body);
    const { to = null, recipient = '' } = body;
    const address = to ?? recipient;
    const user = this.#userOf(to, recipient);
    if (to === number.displayNumber) throw new GraphFault(131021);
    const template = body.type === 'template' ? checkTemplate(this.#templates, body.template, to !== null) : null;
    const rehearsal = rehearsalOf(address);
    if (rehearsal && 'code' in rehearsal && this.#isRefused(rehearsal.kind, number, address))
      throw new GraphFault(rehearsal.code);
    this.#pace.take(number.phoneNumberId, user?.userId ?? address);
    const late = this.#lateCodeOf(user, address, template);
    if (late !== null && !(this.#options.isLate && LATE_CODES.includes(late))) throw new GraphFault(late);
    const { clock, statuses: usual, slowMs } = this.#options;
    const sent = { wamid: newWamid(), number, version, to, user, body, template, atMs: clock(), told: [] };
    this.sent.push(sent);
    const failed = late === null ? null : [{ status: 'failed', code: late } as const];
    const statuses = failed ?? (rehearsal?.kind === 'reported' ? rehearsal.statuses : usual);
    const report = () => {
      for (const status of statuses) if (this.#caller.isCalling) void this.tell(sent.wamid, status);
    };
    return response => {
      const answer = () => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(acceptedOf(sent));
      };
      if (rehearsal?.kind !== 'dropped' && rehearsal?.kind !== 'slow') {
        response.once('finish', report);
        return answer();
      }
      if (rehearsal.kind === 'dropped') response.socket?.resetAndDestroy();
      else this.#timers.add(setTimeout(answer, slowMs).unref());
      report();
    };
  }

  #isRefused(kind: 'refused' | 'refused once', { phoneNumberId }: GraphNumber, address: string): boolean {
    const key = `${phoneNumberId} ${address}`;
    if (kind === 'refused once' && this.#refusedOnce.has(key)) return false;
    this.#refusedOnce.add(key);
    return true;
  }

  #userOf(to: string | null, userId: string): GraphUser | null {
    const { users } = this.#options;
    if (users) return users.find(one => (to === null ? one.userId === userId : one.number === to)) ?? null;
    if (to !== null) return { number: to, userId: userIdOf(to) };
    if (userId === WITHOUT_PHONE) return { number: null, userId, username: '@nobody' };
    return { number: null, userId };
  }

  #lateCodeOf(user: GraphUser | null, address: string, template: GraphTemplate | null): number | null {
    if (!user) return 131026;
    if (template || this.#options.windows === 'open') return null;
    const wrote = [address, user.number ?? '', user.userId].map(person => this.#wrote.get(person) ?? -Infinity);
    return this.#options.clock() - Math.max(...wrote) > WINDOW_MS ? 131047 : null;
  }
}

/** Starts a fake that is closed at the end of the test. */
export async function startGraph(options: GraphOptions = {}): Promise<Graph> {
  const graph = await new Graph(options).open();
  onTestFinished(() => graph.close());
  return graph;
}

function tokenOf({ headers }: Received): string {
  const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
  if (token === undefined) throw new GraphFault(0);
  return token;
}

function noSuchObject(id: string): GraphFault {
  const words = `Unsupported request. Object with ID '${id}' does not exist or cannot be loaded.`;
  return new GraphFault(100, words, words, 33);
}

function acceptedOf({ wamid, to, user, body }: SentMessage): string {
  const contact = to === null ? { input: body.recipient, user_id: user?.userId } : { input: to, wa_id: user?.number };
  const messages = [{ id: wamid, message_status: 'accepted' }];
  return JSON.stringify({ messaging_product: 'whatsapp', contacts: [contact], messages });
}

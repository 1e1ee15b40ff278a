/**
 * The sessions of numbers that one process connects at a time. Each process looks every few seconds: it goes on with those that it owns, and takes those
 * that nobody owns. Texts for others are handed over.
 */
import { randomUUID } from 'node:crypto';
import type { LinkMethod } from '../../channels/chat-qr/driver/protocol.ts';
import type { Inbound, SendRequest } from '../../channels/contract.ts';
import type { SendOutcome } from '../../channels/outcome.ts';
import {
  failedLink,
  type LinkStep,
  type SessionChange,
  type SessionFace,
  type SessionLinks,
  type SessionStart,
} from '../../channels/session.ts';
import type { Ctx } from '../../context.ts';
import { LiveReading } from '../../db/feeds/live-reading.ts';
import type { Database } from '../../db/orm.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import type { Logger } from '../../observability/logger.ts';
import type { ConnectionTable } from '../connections/live/connection-table.ts';
import { ChatSession } from './chat-session.entity.ts';
import { Goodbyes } from './goodbyes.ts';
import { Handovers } from './handovers/handovers.ts';
import { openKey } from './keys/key-store.ts';
import { resealSessions } from './keys/reseal-sessions.ts';
import { SESSION_CHANNEL, TAKE_SESSIONS } from './lease.sql.ts';
import { LEASE_SECONDS, LOOK_MS, leftOf } from './lease-time.ts';
import { LineStates } from './line-states.ts';
import { LINK_ENDED, Links, OTHER_LINK } from './linking/links.ts';
import { makeSender } from './linking/make-sender.ts';
import { otherHolder } from './linking/other-holder.ts';
import { noteRelink, takeToLink, unlinkSession } from './locked-number.ts';
import { Owned } from './owned-session.ts';
import { readHold } from './pace/read-pace.ts';
import { NOTE_WRITERS } from './pace/turn.sql.ts';

const OTHER_NUMBER = 'The number of the connection was changed. Link its phone.';
const KEY_LOST = 'The secret key that opens the session is lost. Link the number again.';

interface ChatSessionsParts {
  readonly database: Database;
  readonly keys: KeyRing;
  readonly log: Logger;
  readonly table: Pick<ConnectionTable, 'get' | 'usable' | 'isRemoved'>;
  /** A context for what is handed over, as a job has one. */
  makeCtx(): Ctx;
}

/** A session that this process has just taken. */
interface Taken extends Omit<SessionStart, 'leaseMs'> {
  readonly owner: string;
  /** When the statement began by which it was taken. */
  readonly beganMs: number;
}

/** The sessions of a process. */
export class ChatSessions implements SessionLinks {
  readonly #parts: ChatSessionsParts;
  readonly #owned = new Map<string, Owned>();
  readonly #goodbyes = new Goodbyes();
  readonly #handovers: Handovers;
  readonly #reading: LiveReading;
  readonly #lines = new LineStates();
  readonly #links = new Links();
  /** Those whose version of the protocol was refused to this process. */
  readonly #outdated = new Set<string>();
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: ChatSessionsParts) {
    this.#parts = parts;
    const { database, log } = parts;
    this.#handovers = new Handovers({
      database,
      log,
      makeCtx: parts.makeCtx,
      owned: this.#owned,
    });
    this.#reading = new LiveReading({
      database,
      channel: SESSION_CHANNEL,
      read: () => this.#read(),
      onError: error => log.warn({ err: error }, 'the sessions could not be read; what was known of them holds'),
    });
  }

  /** Listens, and looks after sessions from now on. @throws errors of the database */
  async begin(): Promise<void> {
    const { database, keys } = this.#parts;
    await resealSessions(database, keys);
    await this.#handovers.open();
    await this.#reading.open();
    const look = (): void => {
      this.#looking = this.#look()
        .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'the sessions could not be looked after'))
        .then(() => {
          if (!this.#isClosed) this.#timer = setTimeout(look, LOOK_MS).unref();
        });
    };
    look();
  }

  /** Ends the links under way, whose followers would wait for a process that stops. */
  endLinks(): void {
    this.#links.failAll('The gateway is about to stop. Begin anew in a moment.');
  }

  /** Ends the sessions of this process, so that another takes them at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#looking;
    await this.#handovers.close();
    await Promise.all([...this.#owned.values()].map(owned => owned.end()));
    await this.#goodbyes.allOver();
    await this.#reading.close();
  }

  /** Sends by the session of a connection, whichever process owns it. */
  async send(connectionId: string, request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const own = this.#owned.get(connectionId)?.send(request, signal);
    return own ?? this.#handovers.handOver(connectionId, request, signal);
  }

  /** Notes who wrote to a number: nobody of them is new to it. @throws errors of the database */
  async noteWriters(connectionId: string, messages: readonly Inbound[]): Promise<void> {
    if (this.#faceOf(connectionId) === null) return;
    const people = messages.flatMap(({ from, userId }) => (userId === undefined ? [from] : [from, userId]));
    await NOTE_WRITERS.run(this.#parts.database.sql(), { connection: toUuid(connectionId), people });
  }

  async *link(connectionId: string, method: LinkMethod, signal: AbortSignal): AsyncGenerator<LinkStep, void> {
    const face = this.#faceOf(connectionId);
    const fault = face?.fault() ?? null;
    if (!face || fault !== null) return yield failedLink(fault ?? 'The connection cannot be used.');
    const { database } = this.#parts;
    const steps = await this.#links.inTurn(connectionId, signal, async () => {
      const holder = await otherHolder(this.#parts, connectionId, face.number);
      if (holder !== null) return holder;
      await this.#goodbyes.over(connectionId);
      const [owner, beganMs] = [randomUUID(), performance.now()];
      if (!(await takeToLink(database, toUuid(connectionId), owner))) return 'The number is linked.';
      return this.#links.follow(
        { connectionId, clock: database.clock, signal },
        tell => this.#own(connectionId, face, { owner, creds: null, link: method, beganMs }, tell),
        owned => this.#giveUpLink(connectionId, owned),
      );
    });
    yield* typeof steps === 'string' ? [failedLink(steps)] : (steps ?? []);
  }

  tellUnlinked(connectionId: string): void {
    const owned = this.#owned.get(connectionId);
    if (!owned) return;
    this.#forget(connectionId, owned);
    this.#goodbyes.say(connectionId, owned);
  }

  async holdOf(connectionId: string, person: string): Promise<string | null> {
    const face = this.#faceOf(connectionId);
    return face && readHold(this.#parts.database, connectionId, face, person);
  }

  #faceOf(connectionId: string): SessionFace | null {
    return this.#parts.table.get(connectionId)?.line?.provider.session ?? null;
  }

  /** Goes on with what it owns, takes what is free, and ends what is another's, was removed, or has another config. */
  async #look(): Promise<void> {
    const { database, table, keys } = this.#parts;
    const wanted = new Map(
      table.usable().flatMap(connection => {
        // A paused one stays linked: what is in flight is reported, and people write to it.
        const { session } = connection.line.provider;
        return session && !table.isRemoved(connection) ? [[connection.id, session] as const] : [];
      }),
    );
    // All at a time: those that stay wait for their lease.
    await Promise.all(
      [...this.#owned].map(async ([id, owned]) => {
        const known = table.get(id);
        if (known && table.isRemoved(known)) {
          await database.fork().transactional(em => unlinkSession(em, toUuid(id)));
          this.tellUnlinked(id);
        } else if (wanted.get(id) !== owned.face || owned.face.fault() !== null) await this.#giveUp(id, owned);
      }),
    );
    if (wanted.size === 0 && this.#owned.size === 0) return;
    const held = [...this.#owned];
    const free = [...wanted].filter(([id, face]) => !this.#owned.has(id) && face.fault() === null);
    const beganMs = performance.now();
    const rows = await TAKE_SESSIONS.run(database.sql(), {
      held: held.map(([id]) => toUuid(id)),
      owners: held.map(([, { owner }]) => owner),
      wanted: free.map(([id]) => toUuid(id)),
      outdated: [...this.#outdated].map(toUuid),
      leaseSeconds: LEASE_SECONDS,
    });
    const ours = new Map(rows.map(row => [fromUuid('con', row.connection_id), row]));
    for (const [id, owned] of held) if (ours.has(id)) owned.extend(leftOf(beganMs));
    // The reading tells the phones of those that were unlinked.
    if (held.some(([id]) => !ours.has(id))) await this.#reading.refresh();
    for (const [id, owned] of held) {
      if (ours.has(id) || this.#owned.get(id) !== owned) continue;
      this.#forget(id, owned);
      await owned.lose({ unlinks: false });
    }
    for (const [id, face] of free) {
      const row = ours.get(id);
      const owner = row?.new_owner;
      // One that was unlinked meanwhile is being linked anew.
      if (!row || owner == null || this.#owned.has(id)) continue;
      const place = { connection: row.connection_id, kind: '', id: '' };
      const creds = openKey(keys, { ...place, value: row.creds ?? '', keyId: row.creds_key_id ?? '' });
      if (row.number !== face.number) await noteRelink(database, owner, row.connection_id, OTHER_NUMBER);
      else if (creds === null) await noteRelink(database, owner, row.connection_id, KEY_LOST);
      else this.#own(id, face, { owner, creds, link: null, beganMs });
    }
    await this.#reading.refresh();
    await this.#handovers.take();
  }

  #own(
    connectionId: string,
    face: SessionFace,
    { owner, beganMs, ...how }: Taken,
    tell?: (change: SessionChange) => void,
  ): Owned {
    const { database, keys, log, table, makeCtx } = this.#parts;
    const accountId = table.get(connectionId)?.accountId;
    const onChange = (change: SessionChange): void => {
      // Whoever is told that a number is linked may send by it. Each opening sees to that: the process that linked it may have died before.
      if (change.kind === 'open') {
        const sender = accountId != null && makeSender(makeCtx, accountId, face.number);
        void Promise.allSettled([sender, this.#reading.refresh()]).then(() => tell?.(change));
      } else tell?.(change);
      if (change.kind === 'ended' && change.state === 'outdated') this.#outdated.add(connectionId);
      if (change.kind === 'ended' || change.kind === 'unlinked') this.#forget(connectionId, owned);
    };
    const owned = new Owned(
      { connectionId, face, database, keys, log, owner, onChange },
      { ...how, leaseMs: leftOf(beganMs) },
    );
    this.#owned.set(connectionId, owned);
    return owned;
  }

  #forget(connectionId: string, owned: Owned, why = LINK_ENDED): void {
    if (this.#owned.get(connectionId) !== owned) return;
    this.#owned.delete(connectionId);
    // Whoever links it hears of that.
    this.#links.fail(connectionId, why);
  }

  async #giveUp(connectionId: string, owned: Owned): Promise<void> {
    this.#forget(connectionId, owned, owned.face.fault() ?? LINK_ENDED);
    await owned.end();
  }

  /** Ends a link, unless a phone has just taken its code: then the number stays linked. */
  async #giveUpLink(connectionId: string, owned: Owned): Promise<void> {
    if (!(await owned.giveUpLink(null))) return;
    this.#forget(connectionId, owned);
    await owned.lose({ unlinks: false });
  }

  /** Tells the lines how their sessions are, whoever owns them. */
  async #read(): Promise<void> {
    const { database, table } = this.#parts;
    const lines = table.usable().filter(({ line }) => line.provider.session);
    if (lines.length === 0) return;
    const ids = lines.map(({ id }) => id);
    const before = new Map(this.#owned);
    const rows = await database.fork().find(ChatSession, { connectionId: { $in: ids } }, { disableIdentityMap: true });
    const byId = new Map(rows.map(row => [row.connectionId, row]));
    for (const { id, line } of lines) {
      const [owned, session] = [this.#owned.get(id), byId.get(id)];
      const isOthers = session?.owner != null && session.owner !== owned?.owner;
      // Another process has unlinked it: the one with the socket tells the phone.
      const isUnlinked = session?.state === 'unlinked' && session.owner == null;
      if (owned && before.get(id) === owned && (isOthers || isUnlinked)) {
        this.#forget(id, owned, isOthers ? OTHER_LINK : LINK_ENDED);
        if (session?.state === 'unlinked') this.#goodbyes.say(id, owned);
        else void owned.lose({ unlinks: false });
      }
      this.#lines.tell(line, session ?? null, database.clock.now());
    }
  }
}

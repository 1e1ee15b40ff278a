/** A session that this process owns: its keys, its pace, and what is stored of it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ChatLimits } from '../../channels/chat-qr/driver/protocol.ts';
import { NOT_CONNECTED } from '../../channels/chat-qr/outcomes.ts';
import type { SendRequest } from '../../channels/contract.ts';
import type { SendOutcome } from '../../channels/outcome.ts';
import type { OwnedSession, SessionChange, SessionFace, SessionStart } from '../../channels/session.ts';
import type { Database } from '../../db/orm.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { Logger } from '../../observability/logger.ts';
import { KeyStore } from './keys/key-store.ts';
import { claimTurn, type Note, noteSession } from './locked-number.ts';
import { FORGET_CONTACT, KEEP_LIMITS, NOTE_ACK, READ_HOLD } from './pace/turn.sql.ts';
import { refusalOf } from './pace/turn-refusal.ts';

/** How long a turn is waited for: the rest of the deadline is for the server. */
const PATIENCE_MS = 4_000;

/** Texts of a number are so far apart: nobody types at even distances. */
const GAP_MS = { min: 1_000, max: 3_500 } as const;

/** How often the server is asked what it lets a number do. */
const LIMITS_MS = 3_600_000;

/** When a change that could not be stored is stored again. */
const NOTE_AGAIN_MS = 2_000;

interface OwnedParts {
  readonly connectionId: string;
  readonly face: SessionFace;
  readonly database: Database;
  readonly keys: KeyRing;
  readonly log: Logger;
  /** The owner, as the row knows it: this process, for this time. */
  readonly owner: string;
  /** Told of what happens, after it is stored. */
  onChange(change: SessionChange): void;
}

/** A text that goes by a session. */
export interface SessionMessage extends Pick<SendRequest, 'attemptId' | 'refuse'> {
  /** A number in digits, or the chat's own id of a person. */
  readonly to: string;
  readonly text: string;
}

/** A session of this process. */
export class Owned {
  readonly face: SessionFace;
  /** As of the parts. */
  readonly owner: string;
  readonly #parts: OwnedParts;
  readonly #session: OwnedSession;
  readonly #limits: NodeJS.Timeout;
  /** Its changes are stored one after the other. */
  #noted: Promise<boolean> = Promise.resolve(true);
  #newest: Noted | null = null;
  #locked: Promise<void> = Promise.resolve();
  #isOver = false;
  /** Its keys are forgotten, and its phone is being told. */
  #isUnlinked = false;

  constructor(parts: OwnedParts, start: SessionStart) {
    const { connectionId, face, database, keys, owner } = parts;
    this.#parts = parts;
    this.face = face;
    this.owner = owner;
    const isLinked = start.creds !== null;
    const store = new KeyStore(database, keys, { connectionId, owner, number: face.number, isLinked });
    this.#limits = setInterval(() => void this.#readLimits(), LIMITS_MS).unref();
    this.#session = face.begin(
      {
        get: (kind, ids) => store.get(kind, ids),
        // Nobody has its row: refused, its goodbye could not leave.
        keep: async (rows, creds) => (this.#isUnlinked ? undefined : store.keep(rows, creds)),
        onChange: change => this.#onChange(change),
      },
      start,
    );
  }

  /** Goes on for so long. */
  extend(leaseMs: number): void {
    this.#session.extend(leaseMs);
  }

  /** Sends a text at its turn, to those whom the number may write to. */
  async send({ attemptId, to, text, refuse }: SessionMessage, signal: AbortSignal): Promise<SendOutcome> {
    const { connectionId, owner, database, face, log } = this.#parts;
    const connection = toUuid(connectionId);
    // Nothing has left: the next connection may be asked.
    const onUnread = (error: unknown): SendOutcome => {
      log.warn({ connectionId, err: error }, 'what a number may do could not be read');
      return NOT_CONNECTED;
    };
    const claim = await claimTurn(database, {
      connection,
      owner,
      person: to,
      perMinute: face.perMinute,
      newPeople: face.newPeoplePerDay,
      gapMs: GAP_MS.min + Math.random() * (GAP_MS.max - GAP_MS.min),
      patienceMs: PATIENCE_MS,
    }).catch(onUnread);
    if (!claim) return NOT_CONNECTED;
    if ('kind' in claim) return claim;
    if (claim.fault !== null) return refusalOf(claim.fault, claim.until);
    // Nothing is sent after an abort.
    await wait(Math.max(0, claim.wait_ms), undefined, { signal }).catch(() => undefined);
    const hasWaited = claim.wait_ms > 0 && !claim.is_known;
    const refusal = refuse?.() ?? (hasWaited ? await this.#heldSince(to).catch(onUnread) : null);
    const isNumber = /^[0-9]+$/.test(to);
    const recipient = { number: isNumber ? to : null, userId: isNumber ? null : to };
    const isKnown = claim.is_known || !isNumber;
    const outcome = refusal ?? (await this.#session.send({ attemptId, to: recipient, text, isKnown }, signal));
    this.#noteOutcome(connection, to, outcome);
    return outcome;
  }

  /** Ends it, and gives it up. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#limits);
    // A socket that may be open still is left with its lease.
    const ends = await this.#session.end(false);
    await this.#locked;
    await this.#note({ ...UNCHANGED, ends });
  }

  /**
   * Gives its link up, unless a phone has taken a code: the row knows who was first. Answers whether nobody can link it any more: it is to be lost then.
   * @param error why; null: its follower has left
   */
  async giveUpLink(error: string | null): Promise<boolean> {
    if (this.#isOver) return false;
    const state = error === null ? null : 'unlinked';
    return this.#note({ ...UNCHANGED, state, error, ends: true, wipes: true, ifUntaken: true });
  }

  /** Ends it and stores nothing: it is another process's, or nobody's. @param how.unlinks its phone is told */
  async lose({ unlinks }: { readonly unlinks: boolean }): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isUnlinked = unlinks;
    clearInterval(this.#limits);
    await this.#session.end(unlinks);
  }

  #onChange(change: SessionChange): void {
    // A refusal counts also while the session ends: the next owner goes by the lock.
    if (change.kind === 'restricted') return void this.#lock();
    // A socket that opens to say goodbye is nobody's news.
    if (this.#isOver) return;
    if (change.kind === 'unlinked') return void this.#onUnlinked(change);
    if (change.kind === 'open') void this.#readLimits();
    const noted = notedOf(change);
    if (noted === null) {
      this.#parts.onChange(change);
      return;
    }
    if (noted.ends) {
      this.#isOver = true;
      clearInterval(this.#limits);
    }
    // One that the row does not take is of a session that is another's already.
    void this.#note(noted).then(isNoted => isNoted && this.#parts.onChange(change));
  }

  async #onUnlinked(change: Extract<SessionChange, { kind: 'unlinked' }>): Promise<void> {
    if (!(await this.giveUpLink(change.error))) return;
    this.#parts.onChange(change);
    await this.lose({ unlinks: false });
  }

  /**
   * Stores a change, and answers whether the row took it. While the database is away, which takes no phone's credentials either, the newest one is tried
   * again: others go by what is stored.
   */
  #note(noted: Noted): Promise<boolean> {
    const { database, connectionId, owner, log } = this.#parts;
    this.#newest = noted;
    this.#noted = this.#noted
      .then(() => noteSession(database, { connection: toUuid(connectionId), owner, ...noted }))
      .catch((error: unknown) => {
        log.warn({ connectionId, err: error }, 'the state of a session could not be stored');
        setTimeout(() => {
          if (this.#newest === noted) void this.#noteAgain(noted);
        }, NOTE_AGAIN_MS).unref();
        return true;
      });
    return this.#noted;
  }

  async #noteAgain(noted: Noted): Promise<void> {
    const isNoted = await this.#note(noted);
    // Its phone was first, and nobody holds it any more: the next look takes it, and finds out how it is.
    if (!isNoted && noted.ifUntaken) await this.#note({ ...UNCHANGED, ends: true });
  }

  #noteOutcome(connection: string, person: string, outcome: SendOutcome): void {
    const { database, log, connectionId } = this.#parts;
    const sql = database.sql();
    const work = async (): Promise<unknown> => {
      if (outcome.kind === 'accepted') return NOTE_ACK.run(sql, { connection, person });
      // A text whose fate nobody knows may have left.
      return outcome.kind === 'unknown' ? null : FORGET_CONTACT.run(sql, { connection, person });
    };
    work().catch((error: unknown) =>
      log.warn({ connectionId, err: error }, 'what a session learned of a recipient could not be stored'),
    );
  }

  /** Why a person who is met by now may not be written to any more: the number was locked since. Null: they may. */
  async #heldSince(person: string): Promise<SendOutcome | null> {
    const { connectionId, database, face } = this.#parts;
    const wish = { connection: toUuid(connectionId), person, newPeople: face.newPeoplePerDay };
    const held = await READ_HOLD.first(database.sql(), wish);
    return held ? refusalOf(held.hold, held.until) : null;
  }

  /** Locks the number at once, as the server has refused somebody new. The server says later until when, or never. */
  async #lock(): Promise<void> {
    this.#locked = this.#keepLimits(LOCKED, 0);
    await this.#locked;
    await this.#readLimits();
  }

  async #readLimits(): Promise<void> {
    const askedMs = performance.now();
    const limits = await this.#session.askLimits();
    if (limits) await this.#keepLimits(limits, performance.now() - askedMs);
  }

  /** @param tookMs how long ago the server was asked */
  async #keepLimits(limits: ChatLimits, tookMs: number): Promise<void> {
    const { database, connectionId, owner, log } = this.#parts;
    const { isLocked, lockedUntilMs, newChats, newChatsUsed, newChatsUntilMs } = limits;
    await KEEP_LIMITS.run(database.sql(), {
      connection: toUuid(connectionId),
      owner,
      isLocked,
      lockedUntil: timeOf(lockedUntilMs),
      newChats,
      newChatsUsed,
      newChatsUntil: timeOf(newChatsUntilMs),
      tookMs,
    }).catch((error: unknown) => log.warn({ connectionId, err: error }, 'the limits of a number could not be stored'));
  }
}

/** The limits that a refusal tells. */
const LOCKED: ChatLimits = {
  isLocked: true,
  lockedUntilMs: null,
  newChats: null,
  newChatsUsed: null,
  newChatsUntilMs: null,
};

function timeOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

/** The part of a change that is stored. */
type Noted = Omit<Note, 'connection' | 'owner'>;

const UNCHANGED: Noted = { state: null, isOpen: false, error: null, ends: false, wipes: false, ifUntaken: false };

/** Null: nothing is. A link is stored with its credentials. */
function notedOf(change: Exclude<SessionChange, { kind: 'unlinked' | 'restricted' }>): Noted | null {
  switch (change.kind) {
    case 'code':
    case 'linked':
      return null;
    case 'open':
      return { ...UNCHANGED, isOpen: true };
    case 'down':
      return { ...UNCHANGED, error: change.error };
    case 'ended':
      return { ...UNCHANGED, state: change.state, error: change.error, ends: true, wipes: change.wipes };
  }
}

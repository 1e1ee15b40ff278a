/** Request bodies on their way in: each is read whole before its request begins, and the memory of all of them is bounded. */
import type { IncomingMessage } from 'node:http';
import { InFlight } from '../../kernel/process/in-flight.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { bodyBytesMax } from '../json-body.ts';

/** The most memory for the bodies of a process, in bytes. */
export interface BodyBounds {
  /** Those of clients who have not shown a live token to this process, together. */
  readonly strangers: number;
  /** All of them. */
  readonly all: number;
}

const BOUNDS: BodyBounds = { strangers: 32 * 1024 * 1024, all: 64 * 1024 * 1024 };

/** Memory of a piece of a body beside its bytes: a body that comes byte by byte weighs hundreds of times its length. */
const PIECE_BYTES = 512;

/** Memory of a request beside its head and its body. */
const REQUEST_BYTES = 4_096;

/** The most pieces of a body: a network makes fifty of the largest one. */
const PIECES_MAX = 1_024;

/** A body that is there. */
export interface WholeBody {
  /** Its bytes, which are given away once; of one that is too large more than may be, or none. */
  take(): Buffer;
  /** Gives back the memory, which is counted until then. */
  release(): void;
}

/** The ends of a body, of which one is called, once; none where its caller is gone before. */
interface BodyEnd {
  /** The body is there, or too large, which its reader will find. */
  whole(body: WholeBody): void;
  /** There is no room for it. */
  noRoom(): void;
  /** The body comes in too many pieces. */
  tooManyPieces(): void;
}

const NO_BODY: WholeBody = { take: () => Buffer.alloc(0), release: () => undefined };

interface Body {
  readonly isStranger: boolean;
  /** Memory of the body, with its request. */
  bytes: number;
  /** Gives it up, since there is no room. */
  drop(): void;
}

/** The bodies that a process holds. */
export class RequestBodies {
  readonly #metrics: Metrics;
  readonly #bounds: BodyBounds;
  #all = 0;
  #strangers = 0;
  /** Those that have not come whole, the oldest first. */
  readonly #unfinished = { strangers: new InFlight<Body>(), known: new InFlight<Body>() };

  constructor(metrics: Metrics, bounds: BodyBounds = BOUNDS) {
    this.#metrics = metrics;
    this.#bounds = bounds;
  }

  /**
   * Reads the body of a request. Without room the oldest unfinished bodies are given up, strangers' first. An honest client sends a
   * body in one go; one that only holds room has held it the longest.
   */
  read(request: IncomingMessage, isStranger: boolean, end: BodyEnd): void {
    const length = request.headers['content-length'];
    const max = bodyBytesMax(request.url);
    const isTooLarge = Number(length ?? 0) > max;
    const hasBody = length === undefined ? request.headers['transfer-encoding'] !== undefined : length !== '0';
    if (!hasBody || isTooLarge) {
      request.resume();
      end.whole(NO_BODY);
      return;
    }
    const pieces: Buffer[] = [];
    let size = 0;
    let isUnfinished = true;
    const stop = (): void => {
      isUnfinished = false;
      leave();
      request.off('data', take).off('end', finish);
    };
    const release = (): void => {
      stop();
      pieces.length = 0;
      this.#count(body, -body.bytes);
    };
    const giveUp = (tell: () => void): void => {
      release();
      request.resume();
      tell();
    };
    const body: Body = { isStranger, bytes: 0, drop: () => giveUp(end.noRoom) };
    const leave = this.#unfinished[isStranger ? 'strangers' : 'known'].begin(body);
    const finish = (): void => {
      stop();
      // Bytes that still come are read by nobody, and would block the connection.
      request.resume();
      end.whole({ take: () => Buffer.concat(pieces.splice(0)), release });
    };
    const take = (piece: Buffer): void => {
      pieces.push(piece);
      size += piece.byteLength;
      this.#count(body, piece.byteLength + PIECE_BYTES);
      if (pieces.length > PIECES_MAX) giveUp(end.tooManyPieces);
      else if (size > max) finish();
      else this.#makeRoom();
    };
    this.#count(body, REQUEST_BYTES + request.rawHeaders.reduce((bytes, text) => bytes + text.length, 0));
    request.on('data', take).on('end', finish);
    request.once('close', () => {
      if (isUnfinished) release();
    });
    this.#makeRoom();
  }

  #count(body: Body, bytes: number): void {
    body.bytes += bytes;
    this.#all += bytes;
    if (body.isStranger) this.#strangers += bytes;
    this.#metrics.bufferedBytes.set(this.#all);
  }

  #makeRoom(): void {
    const { strangers, known } = this.#unfinished;
    for (const body of strangers) {
      if (this.#strangers <= this.#bounds.strangers && this.#all <= this.#bounds.all) return;
      body.drop();
    }
    for (const body of known) {
      if (this.#all <= this.#bounds.all) return;
      body.drop();
    }
  }
}

/** Reads the body of an answer as far as it is of use. An endpoint may send whatever it likes, for as long as it likes, packed or not. */
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EXCERPT_BYTES, excerptOf } from './excerpt.ts';

/** How much of a body is read: of the bytes that come, and of what they unpack to. */
export const BODY_BYTES_MAX = 65_536;

/** The ways of packing that are understood, though none is asked for. */
const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** A body that is being read. `onOver` is called once at most: the body is over, or as much of it was read as ever is. */
export class BodyReader {
  readonly #onOver: () => void;
  readonly #unpacker: Transform | null;
  #pieces: Uint8Array[] = [];
  #received = 0;
  #kept = 0;
  #isReadable = true;
  /** Whether there is more than is read. */
  #isCut = false;
  #isOver = false;

  constructor(encoding: string | null, onOver: () => void) {
    this.#onOver = onOver;
    const name = encoding?.trim().toLowerCase() ?? '';
    this.#unpacker = UNPACKERS.get(name)?.() ?? null;
    if (this.#unpacker) this.#unpack(this.#unpacker);
    // Packed in a way that is not understood: there is nothing to show, and the answer is one all the same.
    else this.#isReadable = name === '' || name === 'identity';
  }

  /** The beginning as a person reads it; empty if it could not be unpacked. */
  get excerpt(): string {
    return this.#isReadable ? excerptOf(this.#pieces) : '';
  }

  /** Takes what has come, and answers whether it wants more. `chunk` is kept as it is: it must not change. */
  add(chunk: Uint8Array): boolean {
    if (this.#isCut || this.#isOver) return false;
    this.#received += chunk.byteLength;
    this.#isCut = this.#received >= BODY_BYTES_MAX;
    if (this.#unpacker) this.#unpacker.write(chunk);
    else this.#keep(chunk);
    if (this.#isCut) this.end();
    return !this.#isCut;
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#isOver) return;
    if (this.#unpacker) this.#unpacker.end();
    else this.#end();
  }

  /** Frees what it holds. `onOver` is not called any more. */
  close(): void {
    this.#isOver = true;
    this.#unpacker?.destroy();
  }

  #unpack(unpacker: Transform): void {
    let unpacked = 0;
    unpacker.on('data', (piece: Buffer) => {
      this.#keep(piece);
      unpacked += piece.byteLength;
      if (unpacked >= BODY_BYTES_MAX) this.#end();
    });
    unpacker.on('end', () => this.#end());
    unpacker.on('error', () => {
      // The end is missing where it was cut off here, which says nothing about what came before.
      this.#isReadable = this.#isCut;
      this.#end();
    });
  }

  #keep(piece: Uint8Array): void {
    // One byte more than is shown tells where the last character ends.
    if (this.#kept > EXCERPT_BYTES) return;
    this.#pieces.push(piece);
    this.#kept += piece.byteLength;
  }

  #end(): void {
    if (this.#isOver) return;
    this.close();
    this.#onOver();
  }
}

/** Cuts a stream of bytes into PDUs. Strict: a length that cannot be ends the session, since nothing behind it can be believed. */
import { HEAD_BYTES, PDU_BYTES_MAX } from './commands.ts';

/** The stream is not one of PDUs. */
export class FramingError extends Error {
  constructor(length: number) {
    super(`the SMSC sent a PDU that says that it has ${length} bytes`);
    this.name = 'FramingError';
  }
}

/** Bytes of `command_length`, by which a PDU begins. */
const LENGTH_BYTES = 4;

/** Collects bytes, and hands over each PDU as soon as it is whole. At most one is held. */
export class Framer {
  /** The PDU that has begun: as many bytes as it says, or those of its length while that has not come whole. */
  #pdu = Buffer.alloc(LENGTH_BYTES);
  #filled = 0;

  /**
   * Hands over the PDUs that are whole now, in order; each is only valid during its call.
   * @throws FramingError where one says that it is shorter than its head, or too long; what was whole before it has been handed over
   */
  push(bytes: Buffer, take: (pdu: Buffer) => void): void {
    for (let at = 0; at < bytes.length; ) {
      const left = bytes.length - at;
      // Most PDUs are whole in what was read, and are handed over as they lie.
      const length = this.#filled === 0 && left >= LENGTH_BYTES ? checked(bytes.readUInt32BE(at)) : Infinity;
      if (length <= left) {
        take(bytes.subarray(at, at + length));
        at += length;
      } else {
        at += this.#collect(bytes, at, take);
      }
    }
  }

  #collect(bytes: Buffer, at: number, take: (pdu: Buffer) => void): number {
    const copied = bytes.copy(this.#pdu, this.#filled, at);
    this.#filled += copied;
    if (this.#filled < this.#pdu.length) return copied;
    const pdu = this.#pdu;
    if (pdu.length === LENGTH_BYTES) {
      this.#pdu = Buffer.alloc(checked(pdu.readUInt32BE(0)));
      pdu.copy(this.#pdu);
    } else {
      this.#pdu = Buffer.alloc(LENGTH_BYTES);
      this.#filled = 0;
      take(pdu);
    }
    return copied;
  }
}

function checked(length: number): number {
  if (length < HEAD_BYTES || length > PDU_BYTES_MAX) throw new FramingError(length);
  return length;
}

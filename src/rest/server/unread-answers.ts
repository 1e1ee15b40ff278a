/** What answers take up that their callers do not read: bounded for an address and in all, since a caller costs no memory by not reading. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitKey } from '../../kernel/network/address.ts';
import type { Metrics } from '../../observability/metrics.ts';

/** What unread answers take up at most, in bytes. */
export interface UnreadBounds {
  /** Those of the callers of one address, of IPv6 a /64: of a proxy all that ask by it. */
  readonly address: number;
  /** All of them. */
  readonly all: number;
}

const BOUNDS: UnreadBounds = { address: 32 * 1024 * 1024, all: 64 * 1024 * 1024 };

/** How often they are counted at most while requests come, in milliseconds. */
const COUNT_EVERY_MS = 50;

/** How much may be written between two counts: each looks at all connections, so that one for each answer would take all of the time. */
const COUNT_EVERY_BYTES = 4 * 1024 * 1024;

/** The unread answers of a connection. */
export interface UnreadAnswers {
  readonly socket: Socket;
  readonly bytes: number;
}

/** What waits in a connection: what the system has not taken of the answer that is sent, and the answers behind it. */
export function unreadOf(socket: Socket, answers: Iterable<ServerResponse>): UnreadAnswers {
  let bytes = socket.writableLength;
  // An answer in turn has given its bytes to the connection.
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength;
  return { socket, bytes };
}

/** What the system has taken of all that was written to a connection. Node's own count has in it what still waits. */
export function takenBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** Counts what is unread, and cuts what is beyond the bounds. @param all the unread answers of every connection */
export function boundUnread(all: () => readonly UnreadAnswers[], metrics?: Pick<Metrics, 'unreadBytes'>) {
  let countedMs = 0;
  let writtenBytes = 0;
  const count = (): void => {
    countedMs = performance.now();
    writtenBytes = 0;
    const unread = all().filter(({ bytes }) => bytes > 0);
    // A reset, since who does not read hears of no other end, and the system keeps until then what it took.
    for (const socket of beyondBounds(unread, BOUNDS)) socket.resetAndDestroy();
    metrics?.unreadBytes.set(unread.reduce((sum, { socket, bytes }) => sum + (socket.destroyed ? 0 : bytes), 0));
  };
  return {
    count,
    /** Counts, unless that was done a moment ago. */
    countAgain(): void {
      if (performance.now() - countedMs >= COUNT_EVERY_MS) count();
    },
    /** Counts, where much was written since. Many may be answered in one turn. @param bytes what waits in the connection of an answer */
    countWritten(bytes: number): void {
      writtenBytes += bytes;
      if (writtenBytes >= COUNT_EVERY_BYTES) count();
    },
  };
}

/** Those that are to be cut, so that the others fit the bounds: who makes the most wait, first. One alone is never too many: it may be read. */
export function beyondBounds(unread: readonly UnreadAnswers[], bounds: UnreadBounds): Socket[] {
  const byAddress = Map.groupBy(unread, ({ socket }) => limitKey(socket.remoteAddress ?? '') ?? '');
  const cut = new Set([...byAddress.values()].flatMap(own => largestBeyond(own, bounds.address)));
  const others = unread.filter(one => !cut.has(one));
  return [...cut, ...largestBeyond(others, bounds.all)].map(({ socket }) => socket);
}

function largestBeyond(unread: readonly UnreadAnswers[], most: number): UnreadAnswers[] {
  let sum = unread.reduce((bytes, one) => bytes + one.bytes, 0);
  if (sum <= most) return [];
  const cut: UnreadAnswers[] = [];
  const waiting = unread.toSorted((a, b) => b.bytes - a.bytes);
  for (const one of waiting.slice(0, -1)) {
    if (sum <= most) break;
    cut.push(one);
    sum -= one.bytes;
  }
  return cut;
}

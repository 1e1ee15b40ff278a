/** Bounds the memory of answers that their callers do not read, for an address and in all: not reading costs a caller nothing. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitKey } from '../../kernel/network/address.ts';
import type { Metrics } from '../../observability/metrics.ts';

/** The most memory for the unread answers of one address, of IPv6 a /64, in bytes. A proxy's are those of all that ask by it. */
const ADDRESS_BYTES_MAX = 32 * 1024 * 1024;

/** The most memory for all unread answers, in bytes. */
const ALL_BYTES_MAX = 64 * 1024 * 1024;

/** The shortest time between two counts while requests come, in milliseconds. */
const COUNT_EVERY_MS = 50;

/** How much may be written between two counts: each looks at all connections, so that one for each answer would take all of the time. */
const COUNT_EVERY_BYTES = 4 * 1024 * 1024;

interface UnreadAnswers {
  readonly socket: Socket;
  readonly bytes: number;
}

/** The bytes that wait in a connection: those of the answer in turn that the system has not taken, and the answers behind it. */
export function unreadOf(socket: Socket, answers: Iterable<ServerResponse>): UnreadAnswers {
  let bytes = socket.writableLength;
  // An answer in turn has given its bytes to the connection.
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength;
  return { socket, bytes };
}

/** The bytes written to a connection that the system has taken. Node's own count includes those that still wait. */
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
    // A reset, since a client that does not read hears of no other end, and the system keeps until then what it took.
    for (const socket of beyondBounds(unread)) socket.resetAndDestroy();
    metrics?.unreadBytes.set(unread.reduce((sum, { socket, bytes }) => sum + (socket.destroyed ? 0 : bytes), 0));
  };
  return {
    count,
    /** Counts, unless that was done a moment ago. */
    countAgain(): void {
      if (performance.now() - countedMs >= COUNT_EVERY_MS) count();
    },
    /** Counts, where much was written since. Many may be answered in one turn. @param bytes those that wait in the connection of an answer */
    countWritten(bytes: number): void {
      writtenBytes += bytes;
      if (writtenBytes >= COUNT_EVERY_BYTES) count();
    },
  };
}

/** The connections to cut, so that the others fit the bounds: the one with the most bytes first. One alone is never cut: it may be read. */
function beyondBounds(unread: readonly UnreadAnswers[]): Socket[] {
  const byAddress = Map.groupBy(unread, ({ socket }) => limitKey(socket.remoteAddress ?? '') ?? '');
  const cut = new Set([...byAddress.values()].flatMap(own => largestBeyond(own, ADDRESS_BYTES_MAX)));
  const others = unread.filter(one => !cut.has(one));
  return [...cut, ...largestBeyond(others, ALL_BYTES_MAX)].map(({ socket }) => socket);
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

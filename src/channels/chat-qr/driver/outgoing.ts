/**
 * The gate in front of a number's WebSocket. No byte leaves before all keys that were set until then are stored, none after the lease is
 * over, and none once it is shut.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RawSocket } from './library.ts';

/** How far a text has come on its way out. */
export interface Departure {
  /** Its ciphertext is being made. */
  isSealing: boolean;
  /** Its ciphertext is made: the next frame carries it. */
  isSealed: boolean;
  /** The gate holds its frame. */
  isQueued: boolean;
  hasLeft: boolean;
  /** Nobody waits for it: no ciphertext is made of it any more. */
  isCancelled: boolean;
}

const departures = new AsyncLocalStorage<Departure>();

/** Notes that the text that is being sent gets its ciphertext. @throws Error for a text that nobody waits for, and that has none yet */
export function beginSealing(): void {
  const departure = departures.getStore();
  if (departure?.isCancelled && !departure.isSealing) throw new Error('Cancelled');
  if (departure) departure.isSealing = true;
}

/** Notes that the text that is being sent has its ciphertext. */
export function markSealed(): void {
  const departure = departures.getStore();
  if (departure) departure.isSealed = true;
}

/** Sends a text, and says how far it came, by `departure`, also where it fails. */
export function depart<Result>(send: () => Promise<Result>): {
  readonly departure: Departure;
  readonly sent: Promise<Result>;
} {
  const departure: Departure = {
    isSealing: false,
    isSealed: false,
    isQueued: false,
    hasLeft: false,
    isCancelled: false,
  };
  return { departure, sent: departures.run(departure, send) };
}

/** Puts the gate in front of a socket. @param stored as of the keys @param mayLeave whether a byte may leave now */
export function guardOutgoing(socket: RawSocket, stored: () => Promise<void>, mayLeave: () => boolean): void {
  const send = socket.send.bind(socket);
  let before: Promise<unknown> = Promise.resolve();
  socket.send = (data, done) => {
    const departure = departures.getStore();
    if (departure?.isSealed) departure.isQueued = true;
    const leaving = Promise.all([before, stored()]).then(() => {
      if (!mayLeave()) throw new Error('Closed');
      if (departure?.isQueued) departure.hasLeft = true;
      send(data, done);
    });
    // One that is held back holds back all that follow: the frames are numbered.
    before = leaving;
    leaving.catch(done ?? (() => undefined));
  };
}

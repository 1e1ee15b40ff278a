/** The time by which a process dates ids and rows: that of its database, so that processes with different clocks agree. */

/** A clock, in milliseconds since 1970. */
type Source = () => number;

// biome-ignore lint/plugin: Without a database nothing else is known.
const ownClock: Source = () => Date.now();

/** A process has one time, as it has one database. */
let source = ownClock;

/** The time of the gateway. A step of this machine's clock leaves it alone. */
export function gatewayTime(): Date {
  return new Date(source());
}

/** Takes the time from another clock, until the returned function is called. */
export function followTime(clock: Source): () => void {
  source = clock;
  return () => {
    if (source === clock) source = ownClock;
  };
}

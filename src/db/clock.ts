/** The database's clock in this process, for times that other processes compare: one clock for all. */

/** A column expression: seconds since 1970. */
export const CLOCK_SQL = 'extract(epoch from clock_timestamp())::float8';

/** A clock that shows the time of the database. */
export interface DatabaseClock {
  now(): Date;
}

/** Advances a reading by this process's monotonic clock. Late by the time that the answer took. */
export function clockFrom(epochSeconds: number): DatabaseClock {
  const readAtMs = performance.now();
  return { now: () => new Date(epochSeconds * 1_000 + performance.now() - readAtMs) };
}

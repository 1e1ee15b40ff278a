/** The database's clock in this process: what others compare with their own clocks must not depend on the clock of one machine. */

/** What reads it, as a column of a statement: seconds since 1970. */
export const CLOCK_SQL = 'extract(epoch from clock_timestamp())::float8';

/** The time, by the database. */
export interface DatabaseClock {
  now(): Date;
}

/** Carries a reading on by the steady clock of this process, which nobody sets. Behind the database by as long as the answer took. */
export function clockFrom(epochSeconds: number): DatabaseClock {
  const readAtMs = performance.now();
  return { now: () => new Date(epochSeconds * 1_000 + performance.now() - readAtMs) };
}

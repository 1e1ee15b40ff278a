/** The times of leases: by them a session is taken over within 35 s after its process died. */

/** How long a session stays with a process that is not heard of: with the look it is taken over within 35 s. */
export const LEASE_SECONDS = 25;

/** How often a process looks after sessions. */
export const LOOK_MS = 4_000;

/** The end of a lease that is not used: the socket is closed before another process may open one. */
const MARGIN_MS = 5_000;

/** The part of a lease that is used, when its statement began then. */
export function leftOf(beganMs: number): number {
  return LEASE_SECONDS * 1_000 - MARGIN_MS - (performance.now() - beganMs);
}

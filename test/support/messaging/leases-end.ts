/** Ends the leases of messages of a dead process, as time would, in tests of other things than how long that takes. */
export const LEASES_END = "update messages set lease_until = now() - interval '1 second' where lease_until is not null";

/** A UUIDv7 (RFC 9562) of an instant as SQL, a new one for each row: PostgreSQL has a function for it from 18 on. */
export const uuid7Of = (instant: string): string => `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
  substring(int8send(floor(extract(epoch from ${instant}) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`;

/** A UUIDv7 of now. */
export const UUID7 = uuid7Of('clock_timestamp()');

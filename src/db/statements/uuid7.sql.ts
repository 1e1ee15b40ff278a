/** A UUIDv7 (RFC 9562) as SQL, a new one for each row: PostgreSQL has a function for it from 18 on. */
export const UUID7 = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
  substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`;

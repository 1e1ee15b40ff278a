/** A UUIDv7 (RFC 9562) of an instant as SQL, a new one for each row: PostgreSQL has a function for it from 18 on. */
export const uuid7Of = (instant: string): string => `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
  substring(int8send(floor(extract(epoch from ${instant}) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`;

/** The time of a UUIDv7 of now, read once by whoever makes many: for `uuid7Like`. */
export const UUID7_TIME = `substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)`;

/** A UUIDv7 of a time with the chance of another one as SQL, at a tenth of what a new one costs: for what is made once of that other. */
export const uuid7Like = (id: string, time: string): string =>
  `encode(overlay(uuid_send(${id}) placing ${time} from 1 for 6), 'hex')::uuid`;

/** A UUIDv7 of now. */
export const UUID7 = uuid7Of('clock_timestamp()');

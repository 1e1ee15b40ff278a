/** The 48 bits of a UUIDv7 (RFC 9562) that say when, as SQL. */
const timeOf = (instant: string): string =>
  `substring(int8send(floor(extract(epoch from ${instant}) * 1000)::bigint) from 3)`;

/** The instant of a UUIDv7 as SQL, to the millisecond. */
export const uuid7InstantOf = (id: string): string =>
  `to_timestamp(('x' || left(replace((${id})::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;

/** The lowest UUIDv7 of an instant as SQL: what `uuidFloor` makes of a date. */
export const uuid7FloorOf = (instant: string): string => `rpad(encode(${timeOf(instant)}, 'hex'), 32, '0')::uuid`;

/** A UUIDv7 of an instant as SQL, a new one for each row: PostgreSQL has a function for it from 18 on. */
export const uuid7Of = (instant: string): string => `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
  ${timeOf(instant)} from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`;

/** The instant `at` of now, and the `time` of its UUIDv7 for `uuid7Like`: an item of a FROM clause. */
export const UUID7_NOW = `(select at, ${timeOf('at')} as time from (select clock_timestamp() as at) clock offset 0)`;

/** A UUIDv7 of a time with the random bits of another one, as SQL, which is cheaper than new bits. For a row that is made once for that other row. */
export const uuid7Like = (id: string, time: string): string =>
  `encode(overlay(uuid_send(${id}) placing ${time} from 1 for 6), 'hex')::uuid`;

/** A UUIDv7 of now. */
export const UUID7 = uuid7Of('clock_timestamp()');

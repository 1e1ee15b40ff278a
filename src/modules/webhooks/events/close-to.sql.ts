/** The way from an event to its deliveries: no index has the event. */

/** The uuid with which ids begin so many milliseconds after that of `id`, as SQL. */
const idAfter = (id: string, ms: number): string =>
  `rpad(lpad(to_hex(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint + ${ms}), 12, '0'), 32, '0')::uuid`;

/** The condition that a delivery may be of an event, as SQL. One statement writes an event and its deliveries, so their ids are close behind. */
export const isCloseTo = (delivery: string, event: string): string =>
  `${delivery} between ${idAfter(event, -1_000)} and ${idAfter(event, 60_000)}`;

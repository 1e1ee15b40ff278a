/** The order of a statement's parts, as conditions that are always true. The planner keeps no other order. */

/** For the WHERE of a part that must run after a CTE. */
export function after(cte: string): string {
  return `(select count(*) from ${cte}) >= 0`;
}

/** For the WHERE of the last part: tells who listens on a channel, when the transaction commits. @param payloads a parameter `toldIds` */
export function telling(channel: string, payloads: string): string {
  return `(select count(pg_notify('${channel}', payload)) from json_array_elements_text(${payloads}) as r(payload)) >= 0`;
}

/** The CTE `timely`, whose `is_timely` is read last: the statement fails where `by` is over when `cte` has run, whatever it waited for. */
export function timelyCte(cte: string, by: string): string {
  return `timely as materialized (
    select in_time(${by}) as is_timely from (select count(*) from ${cte}) s
  )`;
}

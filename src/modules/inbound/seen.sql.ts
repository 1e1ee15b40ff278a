/** The part of statements that knows repeats: each id of a provider is taken once, by whichever process comes first. */

/**
 * The CTEs `seen` and `news`: those of `given` that did not come before. A row without a `seen_id` is news always.
 * @param order the column that decides between two of one id
 */
export const newsCtes = (order: string): string => `seen as (
    -- In one order, since another process may take the same ones.
    insert into inbound_seen (connection_id, provider_message_id, seen_at)
    select distinct connection_id, seen_id, clock_timestamp() from given where seen_id is not null order by 1, 2
    on conflict do nothing returning connection_id, provider_message_id
  ), news as materialized (
    select * from given where seen_id is null
    union all
    select * from (select distinct on (g.connection_id, g.seen_id) g.* from given g
      join seen s on s.connection_id = g.connection_id and s.provider_message_id = g.seen_id
      order by g.connection_id, g.seen_id, g.${order}) once
  )`;

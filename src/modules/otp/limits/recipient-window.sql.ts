/** The windows in which sends to a recipient are counted, as SQL. */

/** How long, in seconds, until a window of the recipient `r` has room for one more send, as SQL; null: it has. */
export const windowWait = (limit: string, span: string): string =>
  `extract(epoch from (select s from unnest(r.sends) s order by s desc offset ${limit} - 1 limit 1)
    + interval '${span}' - clock_timestamp())::float8`;

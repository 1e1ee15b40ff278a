/** The statements of texts that come in parts: in any order, to any process. */
import { records } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { newsCtes } from '../seen.sql.ts';

/** How long the parts of a text wait for each other, from the first (contract §15). */
const PATIENCE = "interval '10 minutes'";

const countOf = (parts: string): string => `(select count(*) from jsonb_object_keys(${parts}))`;

/** Whether a text got a part with an id of the provider. Such a part is new: `news` has left out the repeats. */
const HAS_ID = '(select has_id from texts x where x.connection_id = excluded.connection_id and x.key = excluded.key)';

/** Whether new parts of a text that was told are parts of it once more, and not of another text with the same reference. */
const IS_REPEAT = `t.told_at is not null and t.due_at > now() and t.parts @> excluded.parts and not ${HAS_ID}`;

const MERGED = `case when t.told_at is null then t.parts || excluded.parts when ${IS_REPEAT} then t.parts else excluded.parts end`;

/** A text, as far as it has come. */
const TEXT = {
  head: typed<object>('jsonb'),
  total: 'int',
  parts: typed<Readonly<Record<string, string>>>('jsonb'),
} as const;

/**
 * Puts parts to those of their texts that have come, and answers each text that got any: it is whole with the last one, once. A part whose id of
 * the provider has come before is passed over. The row of a text is the lock: who comes later sees what came earlier.
 */
export const ADD_PARTS = statement('add parts', {
  takes: {
    parts: records(
      'ord int, connection_id uuid, seen_id text?, key text, head jsonb, total int, number int, text text',
    ),
  },
  gives: { ords: 'text[]', isWhole: 'boolean', ...TEXT },
  sql: p => `
  with given as materialized (
    select * from ${p.parts('g')}
  ), ${newsCtes('ord')}, texts as materialized (
    select connection_id, key, array_agg(ord::text) as ords, (array_agg(head order by number))[1] as head, max(total) as total,
      jsonb_object_agg(number::text, text) as parts, bool_or(seen_id is not null) as has_id
    from news group by connection_id, key order by connection_id, key
  ), kept as (
    insert into inbound_partials as t (connection_id, key, head, total, parts, due_at, told_at)
    select connection_id, key, head, total, parts, now() + ${PATIENCE}, case when ${countOf('parts')} >= total then now() end from texts
    on conflict (connection_id, key) do update set
      parts = ${MERGED},
      told_at = case when ${IS_REPEAT} then t.told_at when ${countOf(MERGED)} >= t.total then now() end,
      due_at = case when t.told_at is null or ${IS_REPEAT} then t.due_at else excluded.due_at end
    returning connection_id, key, head, total, parts, told_at is not distinct from now() as is_whole
  )
  select x.ords, k.is_whole as "isWhole", k.head, k.total, k.parts from kept k join texts x using (connection_id, key)`,
});

/** Takes texts whose parts have waited for long enough: each once, whichever process looks. */
export const TAKE_LATE = statement('take late texts', {
  takes: { limit: 'int' },
  gives: TEXT,
  sql: p => `
  with due as materialized (
    select connection_id, key from inbound_partials where told_at is null and due_at <= now()
    order by due_at limit ${p.limit} for update skip locked
  )
  update inbound_partials t set told_at = now() from due d where t.connection_id = d.connection_id and t.key = d.key
  returning t.head, t.total, t.parts`,
});

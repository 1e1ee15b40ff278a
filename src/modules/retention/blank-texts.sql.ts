/** The statements of the verb *blank texts*. Ids hold their time, so that a range of them is a range of time. */
import { records } from '../../db/statements/records.ts';
import { statement } from '../../db/statements/statement.ts';

/** How far a table is blanked. */
export const BLANKED_UNTIL = statement('blanked until', {
  takes: { name: 'text' },
  gives: { until: 'uuid' },
  sql: p => `select until from blanked where name = ${p.name}`,
});

/** The codes of what failed in a range. */
export const CODES_IN = statement('codes of attempts', {
  takes: { after: 'uuid', last: 'uuid' },
  gives: { code: 'text' },
  sql: p => `select distinct coalesce(error_code, '') as code from attempts
    where id > ${p.after} and id <= ${p.last} and error_message is not null`,
});

/** Notes with a change that it was made, so that both are or neither. Another process may have come further. */
const marked = (name: string, last: string): string => `marked as (
    insert into blanked (name, until) values ('${name}', ${last})
    on conflict (name) do update set until = excluded.until where blanked.until < excluded.until
  )`;

/** The id of a table that is so many rows on. @param key the column that holds a row's time, or that of what it belongs to */
const chunkEnd = (name: string, key: string, table = name) =>
  statement(`end of a chunk of ${name}`, {
    takes: { after: 'uuid', before: 'uuid', skipped: 'int' },
    gives: { id: 'uuid' },
    sql: p => `select ${key} as id from ${table} where ${key} > ${p.after} and ${key} < ${p.before}
      order by ${key} offset ${p.skipped} limit 1`,
  });

/** How a table is blanked: a range of its rows, where `needed` holds. @param name names its mark, unlike the table where that has two */
function defineBlanking(table: string, key: string, change: string, needed: string, name = table) {
  const blank = statement(`blank ${name}`, {
    takes: { after: 'uuid', last: 'uuid' },
    gives: { count: 'int' },
    sql: p => `
    with changed as (
      update ${table} set ${change} where ${key} > ${p.after} and ${key} <= ${p.last} and (${needed}) returning 1
    ), ${marked(name, p.last)}
    select count(*)::int as count from changed`,
  });
  return { name, end: chunkEnd(name, key, table), blank };
}

/** A member of JSON whose value is a text; a text that repeats it has its quotes escaped. */
const memberOf = (name: string): string => String.raw`"${name}" ?: ?"([^"\\]|\\.)*"`;

const MEMBER = memberOf('errorMessage');

/** The members of an event in the words of a provider or a person. */
const WORDS = memberOf('(errorMessage|text)');

/** How long a reference is kept, with what was first answered. */
const REFERENCE_KEPT = `interval '30 days'`;

/** Blanks the error messages in old first answers: a reference may be kept for longer than texts. The reference and the rest of its answer stay. */
export const BLANK_ANSWERS = statement('blank answers', {
  takes: { days: 'int', limit: 'int' },
  gives: { count: 'int' },
  sql: p => `
  with old as materialized (
    select account_id, area, reference from idempotency_keys
    where expires_at < now() + ${REFERENCE_KEPT} - make_interval(days => ${p.days}) and answer::text ~ '${MEMBER}'
    limit ${p.limit} for update skip locked
  ), changed as (
    update idempotency_keys k set answer = regexp_replace(answer::text, '${MEMBER}', '"errorMessage": null', 'g')::jsonb
    from old o where k.account_id = o.account_id and k.area = o.area and k.reference = o.reference
    returning 1
  )
  select count(*)::int as count from changed`,
});

/** The tables that are blanked without looking at codes of errors. Components of a template hold the text, and an endpoint may echo its event. */
export const BLANKINGS = [
  defineBlanking(
    'messages',
    'id',
    `text = '', cloud_template = cloud_template - 'components'`,
    `text <> '' or cloud_template -> 'components' is not null`,
  ),
  defineBlanking(
    'webhook_events',
    'id',
    String.raw`data = regexp_replace(data, '${WORDS}', '"\1" : null', 'g')`,
    `data ~ '${WORDS}'`,
  ),
  defineBlanking('inbound_messages', 'id', `text = ''`, `text <> ''`),
  defineBlanking('person_notes', 'id', `text = ''`, `text <> ''`),
  defineBlanking('webhook_tries', 'delivery_id', 'response = null', 'response is not null'),
  // A delivery that is made again long after its event has tries behind that mark.
  defineBlanking('webhook_tries', 'id', 'response = null', 'response is not null', 'webhook_tries by id'),
];

/** The end of a chunk of attempts, in which the gateway's sentence for each code replaces the provider's words. */
export const ATTEMPTS_END = chunkEnd('attempts', 'id');

/** Puts the sentences of these codes into a range of attempts. */
export const BLANK_ATTEMPTS = statement('blank attempts', {
  takes: { after: 'uuid', last: 'uuid', sentences: records('code text, sentence text') },
  gives: { count: 'int' },
  sql: p => `
  with changed as (
    update attempts a set error_message = s.sentence from ${p.sentences('s')}
    where a.id > ${p.after} and a.id <= ${p.last} and a.error_message <> s.sentence and coalesce(a.error_code, '') = s.code
    returning 1
  ), ${marked('attempts', p.last)}
  select count(*)::int as count from changed`,
});

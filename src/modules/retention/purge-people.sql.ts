/** The statements that forget people whose messages were dropped. A suppression outlives them: it stands for each address by itself. */
import { statement } from '../../db/statements/statement.ts';

/** Deletes people of whom nothing was heard since, with their addresses, their notes, and those who turned out to be them. */
export const PURGE_PEOPLE = statement('purge people', {
  takes: { before: 'uuid', days: 'int', limit: 'int' },
  gives: { count: 'int' },
  sql: p => `
  with over as materialized (
    select id from people p
    where merged_into is null and (newest < ${p.before} or newest is null and not exists (
        select from person_addresses a where a.person_id = p.id and a.learned_at >= clock_timestamp() - make_interval(days => ${p.days})))
      and not exists (select from person_notes n where n.person_id = p.id and n.id >= ${p.before})
    limit ${p.limit} for update skip locked
  ), addresses as (
    delete from person_addresses where person_id in (select id from over)
  ), notes as (
    delete from person_notes where person_id in (select id from over)
  ), marks as (
    delete from auto_reply_marks where person_id in (select id from over)
  ), gone as (
    delete from people where id in (select id from over) or merged_into in (select id from over) returning id
  )
  select (select count(*)::int from over) as count from (select count(*) from gone) g`,
});

/** Forgets the last message of people who are kept for a note about them: nobody can read it any more. */
export const FORGET_LAST_MESSAGES = statement('forget last messages', {
  takes: { before: 'uuid', limit: 'int' },
  gives: { count: 'int' },
  sql: p => `
  with over as materialized (
    select id from people where last_message_id < ${p.before} limit ${p.limit} for update skip locked
  ), forgotten as (
    update people set last_message_id = null, read_until = null where id in (select id from over) returning id
  )
  select count(*)::int as count from forgotten`,
});

/** The statement that decides which keywords of people are answered: one to a person and keyword in an hour, whichever process takes the message. */
import { records } from '../../db/statements/records.ts';
import { statement } from '../../db/statements/statement.ts';
import { markedCte } from '../suppressions/answer-marks.sql.ts';
import { IS_RESERVED } from '../suppressions/suppressions.sql.ts';

/** The condition of a message `m` that its word may be answered or heeded: it stops, starts, helps, or is a keyword. For the statement that stores it. */
export const isHeededSql = (m: string): string => `(${m}.word is not null and (
      (select ${IS_RESERVED} from accounts a where a.id = ${m}.account_id)
      or (select r.keyword from auto_replies r where r.account_id = ${m}.account_id and r.keyword = ${m}.word) is not null))`;

/**
 * Takes messages that were stored in this transaction, whose people are known, and answers those whose word is a keyword that is to be answered. Words that stop, start or help are no keywords,
 * whatever the account has made of them since. A suppressed person gets nothing.
 */
export const KEYWORD_ANSWERS = statement('keyword answers', {
  takes: { messages: records('id uuid, account_id uuid, person text, word text') },
  gives: { id: 'uuid', account_id: 'uuid', keyword: 'text' },
  sql: p => `
  with due as materialized (
    select distinct on (w.person_id, m.word) w.person_id, m.word, m.id, m.account_id
    from ${p.messages('m')} join auto_replies r on r.account_id = m.account_id and r.keyword = m.word
    cross join lateral (select person_id from person_addresses where account_id = m.account_id and value = m.person limit 1) w
    where not exists (select from accounts a where a.id = m.account_id and ${IS_RESERVED})
      and not exists (select from suppressions s where s.account_id = m.account_id and s.person = m.person)
    order by w.person_id, m.word, m.id
  ), ${markedCte('due', 'word')}
  select d.id, d.account_id, d.word as keyword from due d join marked k on k.person_id = d.person_id and k.keyword = d.word`,
});

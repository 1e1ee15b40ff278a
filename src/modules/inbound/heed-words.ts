/** The verb *heed words*: STOP, START, HELP and their like, and keywords of the account, of people whose messages are stored (contract §15). */
import type { Sql } from '../../db/statements/sql.ts';
import { fromUuid } from '../../kernel/ids.ts';
import type { Jobs } from '../../queue/kit.ts';
import { KEYWORD_ANSWERS } from '../auto-replies/keyword-answers.sql.ts';
import { APPLY_WORDS, type SuppressionChange } from '../suppressions/suppressions.sql.ts';
import { ANSWER_WORD, type AnswerWordPayload } from './answer-word.ts';
import type { StoredRow } from './inbound-row.ts';

/** Heeds words as a part of the transaction that stored them, with the jobs that answer them. Answers what changed on the lists. */
export async function heedWords(
  sql: Sql,
  jobs: Jobs,
  stored: readonly StoredRow[],
): Promise<readonly SuppressionChange[]> {
  const messages = stored.flatMap(({ id, account_id, from_number, from_user_id, type, word, is_answered }) => {
    const person = from_number ?? from_user_id;
    return word === null || person === null ? [] : [{ id, account_id, person, type, word, is_answered }];
  });
  if (messages.length === 0) return [];
  const accounts = [...new Set(messages.map(({ account_id }) => account_id))];
  const rows = await APPLY_WORDS.run(sql, { messages, accounts });
  const answers = rows.flatMap(({ id, account_id, answer }): AnswerWordPayload[] =>
    id && answer ? [{ accountId: fromUuid('acc', account_id), messageId: fromUuid('msg', id), answer }] : [],
  );
  // Behind the stops: who has stopped by then is not answered. A label of the account is no question to it.
  const asking = messages.filter(({ type, is_answered }) => type === 'text' && !is_answered);
  const keywords = await KEYWORD_ANSWERS.run(sql, { messages: asking });
  for (const { id, account_id, keyword } of keywords)
    answers.push({
      accountId: fromUuid('acc', account_id),
      messageId: fromUuid('msg', id),
      answer: 'keyword',
      keyword,
    });
  if (answers.length > 0) await jobs.enqueue({ getKysely: () => sql }, ANSWER_WORD, answers);
  return rows.flatMap(({ account_id, person, is_suppressed, number }) =>
    person === null || is_suppressed === null || number === null ? [] : [{ account_id, person, is_suppressed, number }],
  );
}

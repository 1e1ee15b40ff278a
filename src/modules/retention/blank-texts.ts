/** The verb *blank texts*: what people wrote, and what was said about it, is kept for `TEXT_RETENTION_DAYS` (contract §16). */
import type { Ctx } from '../../context.ts';
import { inChunks } from '../../db/statements/purge.sql.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { OWN_CODES, sentenceOf } from '../../kernel/attempt-errors.ts';
import { fromUuid, idTime, LEAST_UUID, uuidFloor } from '../../kernel/ids.ts';
import { OLDEST_UNDER_WAY } from '../figures/roll-up.sql.ts';
import { ATTEMPTS_END, BLANK_ANSWERS, BLANK_ATTEMPTS, BLANKED_UNTIL, BLANKINGS, CODES_IN } from './blank-texts.sql.ts';

/** Rows of a step, which is a commit of its own. */
const CHUNK_SIZE = 5_000;

const DAY_MS = 86_400_000;

/** The rows of a step: behind the first id, up to the second. */
interface Range {
  readonly after: string;
  readonly last: string;
}

/** A table and its statements. */
interface Table {
  readonly name: string;
  readonly end: typeof ATTEMPTS_END;
  blank(sql: Sql, range: Range): Promise<{ readonly count: number } | undefined>;
}

const TABLES: readonly Table[] = [
  ...BLANKINGS.map(({ name, end, blank }): Table => ({ name, end, blank: (sql, range) => blank.first(sql, range) })),
  { name: 'attempts', end: ATTEMPTS_END, blank: blankAttempts },
];

/**
 * Blanks texts, words of providers and answers of endpoints that are older than `TEXT_RETENTION_DAYS` by the database's clock. The next run goes on
 * where one broke off; two at once do no harm. @returns the number of changed rows
 */
export async function blankTexts({ services: { database, settings } }: Ctx, chunk = CHUNK_SIZE): Promise<number> {
  const sql = database.sql();
  const days = settings.textRetentionDays;
  const bound = await OLDEST_UNDER_WAY.first(sql);
  if (!bound) throw new Error('the database told no time');
  // A text that is still to be sent, after a long stop, is kept until it was.
  const underWay = [bound.message, bound.otp].flatMap(uuid => (uuid === null ? [] : [+idTime(fromUuid('msg', uuid))]));
  const before = uuidFloor(new Date(Math.min(bound.nowMs - days * DAY_MS, ...underWay)));
  let total = await inChunks(limit => BLANK_ANSWERS.first(sql, { days, limit }));
  for (const table of TABLES) total += await blankTable(sql, table, before, chunk);
  return total;
}

async function blankTable(sql: Sql, { name, end, blank }: Table, before: string, chunk: number): Promise<number> {
  let after = (await BLANKED_UNTIL.first(sql, { name }))?.until ?? LEAST_UUID;
  let total = 0;
  while (after < before) {
    const last = (await end.first(sql, { after, before, skipped: chunk - 1 }))?.id ?? before;
    total += (await blank(sql, { after, last }))?.count ?? 0;
    after = last;
  }
  return total;
}

async function blankAttempts(sql: Sql, range: Range) {
  const codes = await CODES_IN.run(sql, range);
  // The messages of the gateway's own codes are its sentences already.
  const foreign = codes.filter(({ code }) => !OWN_CODES.includes(code));
  const sentences = foreign.map(({ code }) => ({ code, sentence: sentenceOf(code) }));
  return BLANK_ATTEMPTS.first(sql, { ...range, sentences });
}

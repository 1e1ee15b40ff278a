/** The lock that a statement of a migration takes, and how long its work is, by PostgreSQL's own tables of locks. */

/** How long a statement works: a moment, a look at each row, a new copy of each row, or nobody knows. */
export type Work = 'moment' | 'scan' | 'rewrite' | 'unknown';

/** The work of others that a lock keeps waiting. */
export type Lock = 'none' | 'writes' | 'everything' | 'changes of the table' | 'unknown';

/** One statement: the table that it locks, null for none, or `of` an index. */
export interface Locking {
  readonly table: string | null;
  readonly isIndex: boolean;
  readonly lock: Lock;
  readonly work: Work;
}

type Kind = readonly [pattern: RegExp, lock: Lock, work: Work];

const NAME = String.raw`(?:if (?:not )?exists )?(?:only )?"?([\w.]+)"?`;

/** The first that matches counts. The group of a pattern is the name of the table. */
const STATEMENTS: readonly Kind[] = [
  [
    /^(set|select|comment on|create (sequence|type|domain|extension)|create (or replace )?function|drop (sequence|function|type|domain)) /,
    'none',
    'moment',
  ],
  [new RegExp(`^create table .* partition of ${NAME}`), 'everything', 'moment'],
  [new RegExp(`^create table .* references ${NAME}`), 'writes', 'moment'],
  [/^create table /, 'none', 'moment'],
  [new RegExp(`^create (?:unique )?index concurrently .* ?on ${NAME}`), 'changes of the table', 'scan'],
  [new RegExp(`^create (?:unique )?index .*? ?on ${NAME}`), 'writes', 'scan'],
  [new RegExp(`^create (?:or replace )?(?:constraint )?trigger .*? on ${NAME}`), 'writes', 'moment'],
  [new RegExp(`^drop trigger .*? on ${NAME}`), 'everything', 'moment'],
  [new RegExp(`^drop index concurrently ${NAME}`), 'changes of the table', 'moment'],
  [new RegExp(`^drop (?:table|index) ${NAME}`), 'everything', 'moment'],
  [new RegExp(`^lock table ${NAME} in exclusive mode`), 'writes', 'moment'],
  // Rows that they change wait for each other alone; a lock of the table they take none that anybody meets.
  [new RegExp(`^(?:update|delete from) ${NAME}`), 'changes of the table', 'scan'],
  [new RegExp(`^insert into ${NAME}`), 'changes of the table', 'unknown'],
];

/** Parts of `alter table`, each by its own words; what none matches is unknown. */
const ALTERATIONS: readonly Kind[] = [
  [/^validate constraint /, 'changes of the table', 'scan'],
  [/^attach partition /, 'changes of the table', 'scan'],
  [/^set \(/, 'changes of the table', 'moment'],
  [/^add (constraint \S+ )?foreign key .* not valid$/, 'writes', 'moment'],
  [/^add (constraint \S+ )?foreign key /, 'writes', 'scan'],
  [/^add (constraint \S+ )?(check .* not valid|(unique|primary key) using index .*)$/, 'everything', 'moment'],
  [/^add (constraint \S+ )?(check|unique|primary key|exclude)\b/, 'everything', 'scan'],
  [/^alter (column )?\S+ set not null$/, 'everything', 'scan'],
  [/^alter (column )?\S+ (set data )?type /, 'everything', 'rewrite'],
  [/^alter (column )?\S+ ((set|drop) default|drop not null|set (statistics|storage))/, 'everything', 'moment'],
  [/^(drop|rename|detach partition) /, 'everything', 'moment'],
  [/^add .*\b(generated|serial|bigserial)\b/, 'everything', 'rewrite'],
  [/^add .* default (now\(\)|current_timestamp|[^()]+)( |$)/, 'everything', 'moment'],
  // A function may answer something else for each row.
  [/^add .* default .*\(/, 'everything', 'rewrite'],
  [/^add (column )?\S+ /, 'everything', 'moment'],
];

const STRONGEST: readonly Lock[] = ['unknown', 'everything', 'writes', 'changes of the table', 'none'];
const LONGEST: readonly Work[] = ['unknown', 'rewrite', 'scan', 'moment'];

const firstOf = <Word>(order: readonly Word[], words: readonly Word[]): Word =>
  order.find(word => words.includes(word)) as Word;

/** The lock of one statement. A statement that is none of the known kinds is `unknown`, and never called harmless. */
export function lockOf(statement: string): Locking {
  const sql = statement.replaceAll(/\s+/g, ' ').trim().toLowerCase().replace(/;$/, '');
  const alter = new RegExp(`^alter table ${NAME} (.*)$`).exec(sql);
  if (alter) {
    const kinds = partsOf(alter[2] ?? '').map(part => ALTERATIONS.find(([pattern]) => pattern.test(part)));
    return {
      table: alter[1] ?? null,
      isIndex: false,
      lock: firstOf(
        STRONGEST,
        kinds.map(kind => kind?.[1] ?? 'unknown'),
      ),
      work: firstOf(
        LONGEST,
        kinds.map(kind => kind?.[2] ?? 'unknown'),
      ),
    };
  }
  for (const [pattern, lock, work] of STATEMENTS) {
    const found = pattern.exec(sql);
    if (found)
      return { table: lock === 'none' ? null : (found[1] ?? null), isIndex: sql.startsWith('drop index'), lock, work };
  }
  return { table: null, isIndex: false, lock: 'unknown', work: 'unknown' };
}

/** The parts of `alter table`: commas within parentheses or quotes part nothing. */
function partsOf(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const piece of text.match(/'(?:[^']|'')*'|[(),]|[^(),']+/g) ?? []) {
    if (piece === '(') depth += 1;
    if (piece === ')') depth -= 1;
    if (piece === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts.map(part => part.trim());
}

/** The statements of the rows of a recipient, made of their table: each table is exported by one, and erased by one. */
import { type Statement, statement } from '../../db/statements/statement.ts';
import { FOUND_BY, type Found, RECIPIENT_ROWS, type RecipientRows } from './recipient-rows.ts';

/** A table of rows. */
export type RecipientTable = keyof typeof RECIPIENT_ROWS;

/** The tables, in the order of an erasure. */
export const TABLES = Object.keys(RECIPIENT_ROWS) as RecipientTable[];

const rowsOf = (table: RecipientTable): RecipientRows => RECIPIENT_ROWS[table];

/** The parameters that a text names: the driver is given no other ones. */
function namedIn(text: (p: Found) => string): typeof FOUND_BY {
  const named = new Set<string>();
  const noting = new Proxy({} as Found, {
    get(_none, name) {
      named.add(String(name));
      return '';
    },
  });
  text(noting);
  return Object.fromEntries(Object.entries(FOUND_BY).filter(([name]) => named.has(name))) as typeof FOUND_BY;
}

function eraseRows(table: RecipientTable) {
  const { where, erasure } = rowsOf(table);
  if (erasure === null) return null;
  const text = (p: Found): string => {
    if (erasure === 'deleted') return `delete from ${table} t where ${where(p)}`;
    const set = Object.entries(erasure.set).map(([column, value]) => `${column} = ${value(p)}`);
    const which = erasure.where ? ` and ${erasure.where(p)}` : '';
    return `update ${table} t set ${set.join(', ')} where (${where(p)})${which}`;
  };
  return statement(`erase ${table} of a recipient`, {
    takes: namedIn(text),
    gives: { count: 'int' },
    sql: p => `with erased as (${text(p)} returning 1) select count(*)::int as count from erased`,
  });
}

const EXPORT_PAGE = { after: 'text', limit: 'int' } as const;

function exportRows(table: RecipientTable) {
  const { where, key, hidden = [] } = rowsOf(table);
  const without = hidden.length === 0 ? '' : ` - array[${hidden.map(column => `'${column}'`).join(', ')}]`;
  return statement(`export ${table} of a recipient`, {
    takes: { ...namedIn(where), ...EXPORT_PAGE },
    gives: { key: 'text', row: 'jsonb' },
    // In the order of bytes, in which the key of the row before is compared too.
    sql: p => `
    select ${key} collate "C" as key, to_jsonb(t)${without} as row from ${table} t
    where (${where(p)}) and (${key}) collate "C" > ${p.after} order by 1 limit ${p.limit}`,
  });
}

const byTable = <Made>(make: (table: RecipientTable) => Made) =>
  Object.fromEntries(TABLES.map(table => [table, make(table)])) as Record<RecipientTable, Made>;

/** Erases the rows of a table, and answers how many; null: nothing personal is in them. */
export const ERASE_ROWS: Readonly<Record<RecipientTable, Statement<typeof FOUND_BY, { count: 'int' }> | null>> =
  byTable(eraseRows);

/** Reads the rows of a table behind a key, in the order of keys. */
export const EXPORT_ROWS = byTable(exportRows);

/** Lets what is append-only be blanked in this transaction. */
export const BEGIN_ERASURE = statement('begin erasure', {
  gives: { is_on: 'text' },
  sql: () => `select set_config('heliograph.erases', 'on', true) as is_on`,
});

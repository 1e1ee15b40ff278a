import { expect, test } from 'vitest';
import { HELD_COLUMNS } from '../../../src/modules/recipients/held-columns.ts';
import { setUpServices } from '../../support/fixtures.ts';

const on = setUpServices();

/** The columns of words of every table, and the ids of people; a partition is read through its table. */
const COLUMNS = `
  select c.relname || '.' || a.attname as "column"
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'm') and not c.relispartition and a.attnum > 0 and not a.attisdropped
    and (coalesce(e.typname, t.typname) not in ('uuid', 'timestamptz', 'timestamp', 'date', 'interval', 'bool', 'int2', 'int4', 'int8', 'float8')
      or a.attname = 'person_id')
  order by 1`;

test('the table of what is held of recipients has every column of words', async () => {
  const columns = (await on.sql<{ column: string }>(COLUMNS)).map(({ column }) => column);
  const known = Object.entries(HELD_COLUMNS).flatMap(([table, held]) =>
    Object.values(held).flatMap(columns => columns.split(' ').map(column => `${table}.${column}`)),
  );
  expect(known.sort()).toEqual(columns.sort());
});

/** What callers are shown of a row: its zod schema, and the SQL that puts it together. */
import { z } from 'zod';
import { idSql, timeSql } from './json.sql.ts';
import { columnsOf } from './records.ts';

/**
 * The schema of what REST and events show of a row. It does not compile until each column of the entity is a member or `hidden`.
 * @param hidden columns that are not shown, or under another name
 */
export function defineShown<
  Entity extends object,
  const Hidden extends keyof Entity,
  const Shape extends z.ZodRawShape,
>(
  _entity: new () => Entity,
  _hidden: readonly Hidden[],
  shape: Shape & Readonly<Record<Exclude<keyof Entity & string, Hidden>, z.ZodType>>,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape);
}

/**
 * The members that callers are shown of a row, as arguments of `json_build_object`: those of `data`, in its order, from the columns of
 * the same names.
 * @param members SQL of those that are no column, or are shown in another form
 */
export function shownSql<
  Shape extends z.core.$ZodShape,
  Members extends { readonly [Name in keyof Shape]?: string },
  Entity extends object & Record<Exclude<keyof Shape, keyof Members>, unknown>,
>({ shape }: z.ZodObject<Shape>, entity: new () => Entity, row: string, members: Members): string {
  const columns = new Map(columnsOf(entity).map(({ property, ...column }) => [property, column]));
  const shown = (name: string): string => {
    const { column, prefix, isTime } = columns.get(name) ?? {};
    const value = `${row}.${column}`;
    return prefix ? idSql(prefix, value) : isTime ? timeSql(value) : value;
  };
  return Object.keys(shape)
    .map(name => `'${name}', ${members[name] ?? shown(name)}`)
    .join(', ');
}

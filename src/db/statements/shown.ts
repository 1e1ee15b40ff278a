/** The members of a row that callers are shown, as SQL. */
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { z } from 'zod';
import { timeSql } from './json.sql.ts';

const naming = new UnderscoreNamingStrategy();

/**
 * The members of `data`, in its order, as arguments of `json_build_object`: each from the column of its name.
 * @param members SQL of those that are no column, or are shown in another form
 */
export function shownSql<Shape extends z.core.$ZodShape>(
  { shape }: z.ZodObject<Shape>,
  row: string,
  members: { readonly [Name in keyof Shape]?: string },
): string {
  return Object.entries(shape)
    .map(([name, member]) => {
      const column = `${row}.${naming.propertyToColumnName(name)}`;
      return `'${name}', ${members[name] ?? (isTime(member) ? timeSql(column) : column)}`;
    })
    .join(', ');
}

function isTime(member: z.core.$ZodType): boolean {
  return member instanceof z.ZodNullable ? isTime(member.unwrap()) : member instanceof z.ZodISODateTime;
}

/** Parameters that hold any number of rows, so that one prepared text takes any number of them. */
import {
  ArrayType,
  BooleanType,
  DateTimeType,
  DateType,
  type EntityProperty,
  EntitySchema,
  IntegerType,
  JsonType,
  UnderscoreNamingStrategy,
  UuidType,
} from '@mikro-orm/core';
import { IdType } from '../id-type.ts';
import { AGAIN, idPayloads } from './id-payloads.ts';
import type { GivenAs } from './sql-types.ts';
import type { ParameterKind } from './statement.ts';

/** The inside of a FROM clause, under an alias. */
type From = (alias: string) => string;

type Trimmed<Text extends string> = Text extends `${' ' | '\n'}${infer Rest}` ? Trimmed<Rest> : Text;

type FieldOf<Text extends string> = Text extends `${infer Name} ${infer Type}`
  ? { readonly [Key in Name]: GivenAs<Type> }
  : never;

/** A row of columns that are written as PostgreSQL writes them: `id uuid, lease text?`. */
type Fields<List extends string> = List extends `${infer First},${infer Rest}`
  ? FieldOf<First> & Fields<Trimmed<Rest>>
  : FieldOf<List>;

/** A column of such rows: its name and type, and what is stored of a value. */
interface RowColumn {
  readonly column: string;
  readonly sqlType: string;
  read(row: object): unknown;
}

/**
 * Rows as one array for each column. PostgreSQL reads them at half the cost of the same rows as JSON. Rows of
 * a table as JSON cost three times as much.
 */
function columnArrays<Row extends object>(columns: readonly RowColumn[]): ParameterKind<readonly Row[], From> {
  const names = columns.map(({ column }) => column).join(', ');
  // An array of arrays is not a column of arrays: they come as text.
  const isNested = columns.some(({ sqlType }) => sqlType.endsWith('[]'));
  const shown = columns.map(({ column, sqlType }) =>
    sqlType.endsWith('[]') ? `${column}::${sqlType} as ${column}` : column,
  );
  return {
    sqlTypes: columns.map(({ sqlType }) => `${sqlType.endsWith('[]') ? 'text' : sqlType}[]`),
    encode: rows => columns.map(({ read }) => arrayText(rows.map(read))),
    place: parameters => alias =>
      isNested
        ? `(select ${shown.join(', ')} from unnest(${parameters.join(', ')}) as u(${names})) ${alias}`
        : `unnest(${parameters.join(', ')}) as ${alias}(${names})`,
  };
}

/** An array as PostgreSQL reads it from text. */
function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  const text = Array.isArray(value) ? arrayText(value) : String(value);
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`;
}

/** Rows of these columns, with `?` behind those that may be null: `records('id uuid, lease text?')`, in the text `from ${p.steps('s')}`. */
export function records<const List extends string>(list: List): ParameterKind<readonly Fields<List>[], From> {
  const columns = list.split(',').map((declared): RowColumn => {
    const [column = '', type = ''] = declared.trim().split(/\s+/);
    const sqlType = type.replace('?', '');
    const read = (row: object): unknown => row[column as never];
    return { column, sqlType, read: sqlType.startsWith('json') ? row => jsonText(read(row)) : read };
  });
  return columnArrays<Fields<List> & object>(columns);
}

const jsonText = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));

/** Ids of rows that processes tell each other of, as the payloads that `telling` sends. */
export const toldIds: ParameterKind<readonly string[], string> = {
  sqlTypes: ['json'],
  encode: ids => [JSON.stringify(idPayloads(ids))],
  place: ([parameter = '']) => parameter,
};

/** The same of rows that they were told of before, and are to hand over once more. */
export const retoldIds: ParameterKind<readonly string[], string> = {
  ...toldIds,
  encode: ids => [JSON.stringify(idPayloads(ids).map(payload => `${AGAIN}${payload}`))],
};

/** Some of the columns of an entity, as statements take and give them: what they are called and how they are stored, the entity says. */
interface EntityRows<Entity extends object, Property extends keyof Entity>
  extends ParameterKind<readonly Pick<Entity, Property>[], From> {
  /** Their names, joined by commas. */
  readonly columns: string;
  /** Of a row, as PostgreSQL writes it into JSON, plain data. */
  fromRow(row: Readonly<Record<string, unknown>>): Pick<Entity, Property>;
}

/** All columns of an entity but these: what the statement itself decides. A column that is added is among them. */
export function rowsWithout<Entity extends object, const But extends keyof Entity = never>(
  entity: new () => Entity,
  ...but: readonly But[]
): EntityRows<Entity, Exclude<keyof Entity, But>> {
  return entityRows(entity, property => !(but as readonly string[]).includes(property));
}

/** These columns of an entity. */
export function rowsWith<Entity extends object, const Property extends keyof Entity>(
  entity: new () => Entity,
  ...properties: readonly Property[]
): EntityRows<Entity, Property> {
  return entityRows(entity, property => (properties as readonly string[]).includes(property));
}

function entityRows<Entity extends object, Property extends keyof Entity>(
  entity: new () => Entity,
  isMeant: (property: string) => boolean,
): EntityRows<Entity, Property> {
  const schema = EntitySchema.REGISTRY.get(entity);
  if (!schema) throw new Error(`${entity.name} is no entity`);
  const meant = Object.entries(schema.meta.properties).flatMap(([name, property]) =>
    isMeant(name) ? [columnOf(name, property)] : [],
  );
  return {
    ...columnArrays<Entity>(meant),
    columns: meant.map(({ column }) => column).join(', '),
    fromRow: row =>
      Object.fromEntries(meant.map(({ property, column, load }) => [property, load(row[column])])) as Entity,
  };
}

const naming = new UnderscoreNamingStrategy();

/** How a property is stored: as the ORM does it. */
function columnOf(name: string, { type, customType }: Pick<EntityProperty, 'type' | 'customType'>) {
  // Before and after the ORM has discovered the entity.
  const kind: unknown = customType ?? type;
  const isOf = (Type: abstract new (...args: never[]) => unknown): boolean => kind === Type || kind instanceof Type;
  const [, sqlType] = SQL_TYPES.find(([Type]) => isOf(Type)) ?? [];
  const convert = (into: (text: string) => unknown) => (value: unknown) =>
    typeof value === 'string' ? into(value) : value;
  const store = kind instanceof IdType ? convert(id => kind.convertToDatabaseValue(id)) : (value: unknown) => value;
  return {
    property: name,
    column: naming.propertyToColumnName(name),
    sqlType: sqlType ?? 'text',
    read: (of: object): unknown => (sqlType === 'jsonb' ? jsonText(of[name as never]) : store(of[name as never])),
    load: convert(text =>
      kind instanceof IdType ? kind.convertToJSValue(text) : isOf(DateTimeType) ? new Date(text) : text,
    ),
  };
}

/** The types of columns that are not text. */
const SQL_TYPES = [
  [IdType, 'uuid'],
  [UuidType, 'uuid'],
  [IntegerType, 'int'],
  [BooleanType, 'boolean'],
  [DateTimeType, 'timestamptz'],
  [DateType, 'date'],
  [JsonType, 'jsonb'],
  [ArrayType, 'text[]'],
] as const;

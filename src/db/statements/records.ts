/** Parameters that hold any number of rows, as one JSON, so that one prepared text takes any number of them. */
import { DateTimeType, type EntityProperty, EntitySchema, UnderscoreNamingStrategy } from '@mikro-orm/core';
import { IdType } from '../id-type.ts';
import { idPayloads } from './id-payloads.ts';
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

/** Rows of these columns, with `?` behind those that may be null: `records('id uuid, lease text?')`, in the text `from ${p.steps('s')}`. */
export function records<const List extends string>(list: List): ParameterKind<readonly Fields<List>[], From> {
  const columns = list.replaceAll('?', '').replaceAll(/\s+/g, ' ');
  return {
    sqlType: 'json',
    encode: JSON.stringify,
    place: parameter => alias => `json_to_recordset(${parameter}) as ${alias}(${columns})`,
  };
}

/** Ids of rows that processes tell each other of, as the payloads that `telling` sends. */
export const toldIds: ParameterKind<readonly string[], string> = {
  sqlType: 'json',
  encode: ids => JSON.stringify(idPayloads(ids)),
  place: parameter => parameter,
};

/** Some of the columns of an entity, as statements take and give them: what they are called and how they are stored, the entity says. */
export interface EntityRows<Entity extends object, Property extends keyof Entity>
  extends ParameterKind<readonly Pick<Entity, Property>[], From> {
  /** Their names, joined by commas. */
  readonly columns: string;
  /** `a = r.a, b = r.b`, but for the id: for an UPDATE from rows of this alias. */
  assign(alias: string): string;
  /** Of an entity the row as JSON has it. */
  toRow(entity: Pick<Entity, Property>): Readonly<Record<string, unknown>>;
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
  const { tableName, properties } = schema.meta;
  const meant = Object.entries(properties).flatMap(([name, property]) =>
    isMeant(name) ? [columnOf(name, property)] : [],
  );
  const toRow = (of: object): Record<string, unknown> =>
    Object.fromEntries(meant.map(({ property, column, store }) => [column, store(of[property as never])]));
  return {
    sqlType: 'json',
    encode: entities => JSON.stringify(entities.map(toRow)),
    place: parameter => alias => `json_populate_recordset(null::${tableName}, ${parameter}) ${alias}`,
    columns: meant.map(({ column }) => column).join(', '),
    assign: alias =>
      meant.flatMap(({ column }) => (column === 'id' ? [] : [`${column} = ${alias}.${column}`])).join(', '),
    toRow,
    fromRow: row =>
      Object.fromEntries(meant.map(({ property, column, load }) => [property, load(row[column])])) as Entity,
  };
}

const naming = new UnderscoreNamingStrategy();

/** How a property is stored: as the ORM does it, but for what JSON has in another form than the driver. */
function columnOf(name: string, { type, customType }: Pick<EntityProperty, 'type' | 'customType'>) {
  // Before and after the ORM has discovered the entity.
  const kind: unknown = customType ?? type;
  const isTime = kind === DateTimeType || kind instanceof DateTimeType;
  const asText = (convert: (text: string) => unknown) => (value: unknown) =>
    typeof value === 'string' ? convert(value) : value;
  return {
    property: name,
    column: naming.propertyToColumnName(name),
    store: asText(text => (kind instanceof IdType ? kind.convertToDatabaseValue(text) : text)),
    load: asText(text => (kind instanceof IdType ? kind.convertToJSValue(text) : isTime ? new Date(text) : text)),
  };
}

/** The types of SQL that statements declare, with those of TypeScript: for the driver's parameters, and for rows. */

/** The parameters of each type. A `json` is put into text by the kit. */
export interface Given {
  readonly uuid: string;
  readonly text: string;
  readonly varchar: string;
  readonly int: number;
  readonly float8: number;
  readonly boolean: boolean;
  readonly timestamptz: Date | string;
  readonly json: unknown;
  readonly jsonb: unknown;
  readonly 'uuid[]': readonly string[];
  readonly 'text[]': readonly string[];
}

type SqlType = keyof Given;

/** The values of each type in a row. */
interface Answered extends Given {
  readonly timestamptz: Date;
}

/** A column or a parameter with a narrower type than its SQL tells. */
interface Typed<Value> {
  readonly sqlType: SqlType;
  /** Never there: it carries the type. */
  readonly value?: Value;
}

/** How a column or a parameter is declared: its type, with `?` behind it where it may be null. */
export type Column = SqlType | `${SqlType}?` | Typed<unknown>;

type TypeIn<Types, Declared> =
  Declared extends Typed<infer Value>
    ? Value
    : Declared extends `${infer Name extends SqlType}?`
      ? Types[Name & keyof Types] | null
      : Declared extends SqlType
        ? Types[Declared & keyof Types]
        : never;

/** The value of a parameter that is declared so. */
export type GivenAs<Declared> = TypeIn<Given, Declared>;

/** A row whose columns are declared so. */
export type RowOf<Columns> = { readonly [Name in keyof Columns]: TypeIn<Answered, Columns[Name]> };

/** Says that a column has certain values only, or null: `typed<Status | null>('text')`. */
export function typed<Value>(sqlType: SqlType): Typed<Value> {
  return { sqlType };
}

/** The type of a declared column or parameter, as SQL. */
export function sqlTypeOf(declared: Column): SqlType {
  return typeof declared === 'string' ? (declared.replace('?', '') as SqlType) : declared.sqlType;
}

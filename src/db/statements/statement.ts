/**
 * Statements as values: the text, its parameters by name, and its row. A parameter that is misspelt, missing or too much does not compile.
 * One that the text does not use throws as the file is imported. A test compares the declared types with what the database says.
 */
import { CompiledQuery } from 'kysely';
import type { Sql } from './sql.ts';
import { type Column, type GivenAs, type RowOf, sqlTypeOf } from './sql-types.ts';

/** A kind of parameter with a form of its own, for the driver and in the text. One may be several parameters of the driver. */
export interface ParameterKind<Value, Placed> {
  /** The types of what the driver is given. */
  readonly sqlTypes: readonly string[];
  encode(value: Value): readonly unknown[];
  /** @param parameters those of the driver with their types, such as `$1::uuid[]` */
  place(parameters: readonly string[]): Placed;
}

// `never` and `unknown`: any kind fits.
type Parameter = Column | ParameterKind<never, unknown>;
type Parameters = Readonly<Record<string, Parameter>>;
type Columns = Readonly<Record<string, Column>>;

/** The parameters in the text: each as `$1::uuid`, or as its kind makes it. */
type Placed<Takes> = {
  readonly [Name in keyof Takes]: Takes[Name] extends ParameterKind<never, infer As> ? As : string;
};

type Values<Takes> = {
  readonly [Name in keyof Takes]: Takes[Name] extends ParameterKind<infer Value, unknown>
    ? Value
    : GivenAs<Takes[Name]>;
};

/** The declaration of a statement. */
interface Definition<Takes extends Parameters, Gives extends Columns> {
  /** Its parameters. */
  readonly takes?: Takes;
  /** The columns of its rows, in any order. */
  readonly gives?: Gives;
  /** Its text, made once. */
  sql(parameters: Placed<Takes>): string;
}

// biome-ignore lint/complexity/noBannedTypes: no keys at all.
type None = {};

/** Every statement that was defined, by its name: what the test prepares. */
export const statements = new Map<string, Pick<Statement<Parameters, Columns>, 'text' | 'parameters' | 'columns'>>();

/** A statement. */
export class Statement<Takes extends Parameters, Gives extends Columns> {
  /** The text with `$1`, `$2`, … in the order in which it first names its parameters. */
  readonly text: string;
  /** The declared types of what the driver is given, in its order. */
  readonly parameters: readonly string[];
  /** The declared columns of its rows. */
  readonly columns: Gives;
  readonly #encoders: readonly ((values: Values<Takes>) => readonly unknown[])[];
  readonly #times: readonly string[];

  constructor(name: string, { takes, gives, sql }: Definition<Takes, Gives>) {
    const { text, order } = bind(takes ?? {}, parameters => sql(parameters as Placed<Takes>));
    const unused = Object.keys(takes ?? {}).filter(parameter => !order.includes(parameter));
    if (unused.length > 0) throw new Error(`the statement ${name} does not use ${unused.join(', ')}`);
    this.text = text;
    const declared = order.map(parameter => (takes as Parameters)[parameter] as Parameter);
    this.parameters = declared.flatMap(typesOf);
    this.columns = gives ?? ({} as Gives);
    this.#encoders = order.map((parameter, index) => encoder(parameter, declared[index] as Parameter));
    this.#times = Object.keys(this.columns).filter(
      column => sqlTypeOf(this.columns[column] as Column) === 'timestamptz',
    );
    if (statements.has(name)) throw new Error(`there are two statements ${name}`);
    statements.set(name, this);
  }

  /** Runs it, and answers its rows. @throws the driver's error, with its SQLSTATE in `code`. */
  async run(sql: Sql, ...[values]: keyof Takes extends never ? [] : [Values<Takes>]): Promise<RowOf<Gives>[]> {
    const parameters = this.#encoders.flatMap(encode => encode(values as Values<Takes>));
    const { rows } = await sql.executeQuery<RowOf<Gives>>({ ...CompiledQuery.raw(this.text, parameters) });
    return this.#times.length === 0 ? rows : rows.map(row => this.#withDates(row));
  }

  /** Runs it, and answers its first row. @throws as `run`. */
  async first(
    sql: Sql,
    ...values: keyof Takes extends never ? [] : [Values<Takes>]
  ): Promise<RowOf<Gives> | undefined> {
    const [row] = await this.run(sql, ...values);
    return row;
  }

  /** The drivers answer instants as text, or as a `Date`. */
  #withDates(row: RowOf<Gives>): RowOf<Gives> {
    const dated: Record<string, unknown> = { ...row };
    for (const column of this.#times) {
      const time = dated[column];
      // As text a `Date` has no milliseconds.
      if (typeof time === 'string') dated[column] = new Date(time);
    }
    return dated as RowOf<Gives>;
  }
}

/** A row of a statement. */
export type Answer<Of extends { readonly columns: Columns }> = RowOf<Of['columns']>;

/** Defines a statement. Its name is for messages and the test. */
export function statement<const Takes extends Parameters = None, const Gives extends Columns = None>(
  name: string,
  definition: Definition<Takes, Gives>,
): Statement<Takes, Gives> {
  return new Statement(name, definition);
}

function isKind(parameter: Parameter): parameter is ParameterKind<never, unknown> {
  return typeof parameter === 'object' && 'place' in parameter;
}

function typesOf(parameter: Parameter): readonly string[] {
  return isKind(parameter) ? parameter.sqlTypes : [sqlTypeOf(parameter)];
}

/** Makes the text; its parameters are numbered as they are named. */
function bind(takes: Parameters, sql: (parameters: object) => string): { text: string; order: readonly string[] } {
  const order: string[] = [];
  const placed = {};
  let count = 0;
  for (const [parameter, kind] of Object.entries(takes)) {
    const places: string[] = [];
    Object.defineProperty(placed, parameter, {
      get() {
        if (!order.includes(parameter)) {
          order.push(parameter);
          for (const type of typesOf(kind)) places.push(`$${++count}::${type}`);
        }
        return isKind(kind) ? kind.place(places) : places[0];
      },
    });
  }
  return { text: sql(placed), order };
}

function encoder(name: string, parameter: Parameter): (values: object) => readonly unknown[] {
  const read = (values: object): unknown => (values as Record<string, unknown>)[name];
  if (isKind(parameter)) return values => parameter.encode(read(values) as never);
  if (!sqlTypeOf(parameter).startsWith('json')) return values => [read(values)];
  return values => {
    const value = read(values);
    return [value === null ? null : JSON.stringify(value)];
  };
}

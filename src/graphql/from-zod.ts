/** Arguments, inputs and fields from the zod schemas that check and document the same data: each member is described once, there. */
import type { ArgumentRef, EnumRef, InputObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { Ctx } from '../context.ts';
import { unlessChecked } from '../kernel/input.ts';
import { builder, type Types } from './builder.ts';

/** An enum; its values are the words of a list, as inside, and their names are those in upper case. */
type WordEnum = EnumRef<Types, string>;

type Scalar = 'String' | 'Int' | 'Boolean' | 'BigInt' | 'DateTime' | 'JSONObject' | 'NonNegativeInt' | WebhookScalar;
type WebhookScalar = 'WebhookEventName';

/** The type of each list of words that a schema may name by `z.enum(list)`. */
const typesOfWords = new Map<string, WordEnum | WebhookScalar>();
const enumWords = new Set<string>();

/** Defines an enum: each word with what it means. Members that zod checks with `z.enum(words)` have this type. */
export function defineEnum<Word extends string>(
  name: string,
  words: readonly Word[],
  description: string,
  meanings: Record<Word, string>,
) {
  const values = Object.fromEntries(
    words.map(word => [word.toUpperCase(), { value: word, description: meanings[word] }]),
  ) as Record<Uppercase<Word>, { value: Word; description: string }>;
  const type = builder.enumType(name, { description, values });
  typesOfWords.set(words.join(), type);
  for (const word of words) enumWords.add(word);
  return type;
}

/** Says that members which zod checks with `z.enum(words)` have this scalar. */
export function nameScalar(words: readonly string[], scalar: WebhookScalar): void {
  typesOfWords.set(words.join(), scalar);
}

/** A member of a schema without its wrappers: its type, whether it is required, and its description. */
interface Member {
  readonly core: z.core.$ZodTypes;
  readonly isRequired: boolean;
  readonly description: string;
  /** The `id` and the description of the type itself, where it has an `id`. */
  readonly named: { readonly id?: string | undefined; readonly description?: string | undefined } | undefined;
}

/** Takes off what a member may be wrapped in; the outermost description counts. */
function readMember(schema: z.core.$ZodType): Member {
  const core = schema as z.core.$ZodTypes;
  const meta = z.globalRegistry.get(schema);
  const { def } = core._zod;
  const isAround = def.type === 'optional' || def.type === 'nullable' || def.type === 'default';
  const inner = isAround ? readMember(def.innerType) : def.type === 'pipe' ? readMember(def.in) : null;
  return {
    core: inner?.core ?? core,
    isRequired: isAround ? false : (inner?.isRequired ?? true),
    description: meta?.description ?? inner?.description ?? '',
    named: inner?.named ?? (meta?.id ? meta : undefined),
  };
}

/** The type of a member. @throws at start, where a schema has a kind that no type is named for */
function typeOf(core: z.core.$ZodTypes): Scalar | WordEnum {
  const { def } = core._zod;
  switch (def.type) {
    case 'string':
      return 'format' in def && def.format === 'datetime' ? 'DateTime' : 'String';
    case 'number':
      return 'Int';
    case 'boolean':
      return 'Boolean';
    case 'bigint':
      return 'BigInt';
    case 'date':
      return 'DateTime';
    case 'record':
      return 'JSONObject';
    case 'enum': {
      const type = typesOfWords.get(Object.values(def.entries).join());
      if (type) return type;
    }
  }
  throw new Error(`no type of the schema is a zod ${def.type}`);
}

/** A description of OpenAPI as one of the schema: with a full stop, and its words in upper case. */
function sentence(text: string): string {
  const named = text.replaceAll(/`([a-z_]+)`/g, (quoted, word) =>
    enumWords.has(word) ? quoted.toUpperCase() : quoted,
  );
  return /[.!?]$/.test(named) ? named : `${named}.`;
}

function mapMembers<Made>(shape: z.core.$ZodShape, make: (member: z.core.$ZodType, name: string) => Made) {
  return Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, make(member, name)]));
}

type InputType = Scalar | WordEnum | InputObjectRef<Types, unknown>;

/** The options of an argument or of the field of an input. */
function inputOptions(schema: z.core.$ZodType) {
  const member = readMember(schema);
  const { def } = member.core._zod;
  const type: InputType | [InputType] = def.type === 'array' ? [inputOf(readMember(def.element))] : inputOf(member);
  return { type, required: member.isRequired, description: sentence(member.description) };
}

function inputOf(member: Member): InputType {
  return member.core._zod.def.type === 'object' ? inputType(member) : typeOf(member.core);
}

/** The input types by name, each with the schema that arguments of it are checked by. */
const inputs = new Map<string, { readonly made: InputObjectRef<Types, unknown>; readonly checked: unknown }>();

/** The input type of an object schema, named by its `id`. One that stands in another is checked with it. */
function inputType({ core, named }: Member, checked?: z.ZodType<Record<string, unknown>>) {
  const { def } = core._zod;
  if (def.type !== 'object' || !named?.id) throw new Error('an input needs a zod object with an id');
  const known = inputs.get(named.id);
  if (known && known.checked !== checked) throw new Error(`${named.id} would be checked in one place only`);
  const made =
    known?.made ??
    builder.inputType(named.id, {
      description: sentence(named.description ?? ''),
      fields: t => mapMembers(def.shape, member => t.field(inputOptions(member))),
    });
  inputs.set(named.id, { made, checked });
  return made;
}

/** The argument `input` of a mutation: what its schema takes, checked by it. The schema has an `id` and a description. */
export function inputArg<Schema extends z.ZodType<Record<string, unknown>>>(schema: Schema, description: string) {
  const type = inputType(readMember(schema), schema);
  return builder.args(t => ({
    input: t.field({ type, required: true, description, validate: { schema: unlessChecked(schema) } }),
  })) as { input: ArgumentRef<Types, z.output<Schema>> };
}

/** The arguments of a field, checked by this schema: those of a list are `first`, `after`, `filter`. */
export function argsFrom<Shape extends z.core.$ZodShape>(schema: z.ZodObject<Shape>) {
  const args = builder.args(t => mapMembers(schema.shape, member => t.field(inputOptions(member)))) as {
    [Name in keyof Shape]: ArgumentRef<Types, z.output<Shape[Name]>>;
  };
  return { args, validate: { schema } };
}

/** A field that hands its checked `input` to a verb. */
export function byInput<Schema extends z.ZodType<Record<string, unknown>>, Result>(
  schema: Schema,
  description: string,
  verb: (ctx: Ctx, input: z.output<Schema>) => Result,
) {
  const resolve = (_root: unknown, { input }: { input: z.output<Schema> }, ctx: Ctx) => verb(ctx, input);
  return { args: inputArg(schema, description), resolve };
}

/** A field that hands its checked arguments to a verb. */
export function byArgs<Shape extends z.core.$ZodShape, Result>(
  schema: z.ZodObject<Shape>,
  verb: (ctx: Ctx, args: z.output<z.ZodObject<Shape>>) => Result,
) {
  const resolve = (_root: unknown, args: z.output<z.ZodObject<Shape>>, ctx: Ctx) => verb(ctx, args);
  return { ...argsFrom(schema), resolve };
}

/** The types of a row's value where a schema shows one: a `Date` may stand for a text. */
type Held<Shown> = (string extends Shown ? Date : never) | Shown | undefined;

/** A row that holds what a schema shows, under the same names. */
type RowOf<Shape extends z.core.$ZodShape, Sourced extends PropertyKey> = {
  [Name in Exclude<keyof Shape, Sourced>]-?: Held<z.output<Shape[Name]>>;
};

/** The words of a text, parted by blanks or lines. */
type Words<Text extends string> = Text extends `${infer Before}${' ' | '\n'}${infer After}`
  ? Words<Before> | Words<After>
  : Text extends ''
    ? never
    : Text;

/** Says which columns of a row are neither shown nor named as others, and which others are no columns. */
type AllNamed<Wrong> = [Wrong] extends [never] ? unknown : { readonly isNotNamedOrNoColumn: Wrong };

/**
 * The fields of an object, from the schema of what callers are answered of it. Counts are `NonNegativeInt`.
 * @param sources readers of the members that the row computes, or holds under another name
 * @param others the other columns, in words: for fields of GraphQL alone, or shown to nobody. A column that is named nowhere does not compile
 */
export function fieldsFrom<
  Shape extends z.core.$ZodShape,
  Row extends RowOf<Shape, keyof Sources>,
  Sources extends { readonly [Name in keyof Shape]?: (row: Row) => Held<z.output<Shape[Name]>> },
  const Others extends string,
>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Row>,
  { shape }: z.ZodObject<Shape>,
  sources: Sources,
  _others: Others &
    AllNamed<Exclude<keyof Row & string, keyof Shape | Words<Others>> | Exclude<Words<Others>, keyof Row>>,
) {
  return mapMembers(shape, (member, name) => {
    const { core, isRequired, description } = readMember(member);
    const type = typeOf(core);
    const held = sources[name] ?? ((row: Row): unknown => Reflect.get(row, name));
    return t.field({
      type: type === 'Int' ? 'NonNegativeInt' : type,
      nullable: !isRequired,
      description: sentence(description),
      // The type of `Row` has made sure that the value fits its schema.
      resolve: row => held(row) as never,
    });
  });
}

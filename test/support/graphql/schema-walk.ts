/** Walks the schema for the values that a caller can give: each leaf of the arguments of each field, with a call that holds it. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

/** One value that a caller can give. */
export interface Leaf {
  /** Such as `Query.logs(filter.messageId)`. */
  readonly name: string;
  /** Its own name, such as `messageId`. */
  readonly member: string;
  /** The scalar or enum. */
  readonly type: string;
  readonly operation: 'query' | 'mutation' | 'subscription';
  readonly field: string;
  /** A document that takes every argument as a variable, and shows the rows of a list by their `__typename`. */
  readonly document: string;
  /** Variables with this value in its place, and fit ones wherever else one is required. */
  variables(value: unknown): Record<string, unknown>;
}

/** Fit values for what is required beside the leaf, by the name of the member or of its type. */
export type FitValues = Readonly<Record<string, unknown>>;

/** The fields below the root that take arguments. Each has tests of its own that give it what does not fit. */
const BELOW: ReadonlySet<string> = new Set(['CloudTemplateEntry.preview']);

/** Every leaf of the arguments of the fields at the root. @throws Error where a field elsewhere takes arguments, since no test would find them */
export function leavesOf(schema: GraphQLSchema, fit: FitValues): Leaf[] {
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || Object.values(roots).includes(type)) continue;
    for (const field of Object.values(type.getFields()))
      if (field.args.length > 0 && !BELOW.has(`${type.name}.${field.name}`))
        throw new Error(`${type.name}.${field.name} takes arguments, and is not looked at`);
  }
  return Object.entries(roots).flatMap(([operation, root]) =>
    Object.values(root?.getFields() ?? {}).flatMap(field => leavesOfField(operation as Leaf['operation'], field, fit)),
  );
}

function leavesOfField(operation: Leaf['operation'], field: GraphQLField<unknown, unknown>, fit: FitValues): Leaf[] {
  const document = documentOf(operation, field);
  const inside = (
    member: GraphQLArgument | GraphQLInputField,
    path: readonly string[],
    put: (value: unknown) => Record<string, unknown>,
  ): Leaf[] => {
    const type = getNamedType(member.type);
    const wrapped = (value: unknown): unknown => (isList(member.type) ? [value] : value);
    if (!isInputObjectType(type)) {
      const name = `${operation}.${field.name}(${path.join('.')})`;
      const variables = (value: unknown) => put(wrapped(value));
      return [{ name, member: member.name, type: type.name, operation, field: field.name, document, variables }];
    }
    const members = Object.values(type.getFields());
    return members.flatMap(inner =>
      inside(inner, [...path, inner.name], value =>
        put(wrapped({ ...required(members, inner.name, fit), [inner.name]: value })),
      ),
    );
  };
  return field.args.flatMap(argument =>
    inside(argument, [argument.name], value => ({
      ...required(field.args, argument.name, fit),
      [argument.name]: value,
    })),
  );
}

/** Fit values for the members that must be there, but for one. */
function required(
  members: readonly (GraphQLArgument | GraphQLInputField)[],
  except: string,
  fit: FitValues,
): Record<string, unknown> {
  return Object.fromEntries(
    members
      .filter(member => member.name !== except)
      .filter(isRequired)
      .map(member => [member.name, fitValue(member.type, member.name, fit)]),
  );
}

function isRequired(member: GraphQLArgument | GraphQLInputField): boolean {
  return isRequiredArgument(member as GraphQLArgument) || isRequiredInputField(member as GraphQLInputField);
}

function fitValue(type: GraphQLInputType, name: string, fit: FitValues): unknown {
  if (isNonNullType(type)) return fitValue(type.ofType, name, fit);
  if (isListType(type)) return [fitValue(type.ofType, name, fit)];
  if (isInputObjectType(type)) return required(Object.values(type.getFields()), '', fit);
  if (isEnumType(type)) return fit[type.name] ?? type.getValues()[0]?.name;
  const value = fit[name] ?? fit[type.name];
  if (value === undefined) throw new Error(`no fit value for ${name} of the type ${type.name}`);
  return value;
}

function isList(type: GraphQLInputType): boolean {
  return isNonNullType(type) ? isList(type.ofType) : isListType(type);
}

function documentOf(operation: Leaf['operation'], field: GraphQLField<unknown, unknown>): string {
  const variables = field.args.map(variableOf).join(', ');
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const type = getNamedType(field.type);
  // The field of the rows of a list, or of its counts.
  const rows = isObjectType(type) && ['nodes', 'buckets'].find(name => name in type.getFields());
  const selection = isObjectType(type) ? (rows ? ` { ${rows} { __typename } }` : ' { __typename }') : '';
  return `${operation}${variables && `(${variables})`} { result: ${field.name}${given && `(${given})`}${selection} }`;
}

/** An argument as a variable that may be absent where the argument may be. */
function variableOf(argument: GraphQLArgument): string {
  const { name, type } = argument;
  return `$${name}: ${isNonNullType(type) && !isRequiredArgument(argument) ? type.ofType : type}`;
}

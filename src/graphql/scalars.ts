/** Scalars of graphql-scalars with messages of ours: theirs repeat the value that does not fit, however long it is. */
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { DateTimeResolver, JSONObjectResolver, NonNegativeIntResolver, PositiveIntResolver } from 'graphql-scalars';

/** The scalar `DateTime`. */
export const DateTimeScalar = withFault(DateTimeResolver, 'must be a date and time, like 2026-01-31T12:00:00Z');

/** The scalar `JSONObject`. */
export const JSONObjectScalar = withFault(JSONObjectResolver, 'must be a JSON object');

/** The scalar `NonNegativeInt`. */
export const NonNegativeIntScalar = withFault(NonNegativeIntResolver, 'must be a whole number from 0');

/** The scalar `PositiveInt`. */
export const PositiveIntScalar = withFault(PositiveIntResolver, 'must be a whole number from 1');

function withFault<Input, Output>(
  scalar: GraphQLScalarType<Input, Output>,
  fault: string,
): GraphQLScalarType<Input, Output> {
  const { name, description, specifiedByURL, extensions } = scalar;
  const told = <Value>(read: () => Value): Value => {
    try {
      return read();
    } catch {
      throw new GraphQLError(fault);
    }
  };
  return new GraphQLScalarType({
    name,
    description,
    specifiedByURL,
    extensions,
    serialize: scalar.serialize,
    parseValue: value => told(() => scalar.parseValue(value)),
    parseLiteral: (node, variables) => told(() => scalar.parseLiteral(node, variables)),
  });
}

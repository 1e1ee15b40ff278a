/** The scalar `BigInt`, exact in both directions: the one of graphql-scalars gives small numbers as `number` and takes rounded ones. */
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

const DIGITS = /^-?[0-9]{1,40}$/;

/** In: a string of digits, or a number that JSON keeps exactly. Out: a number where it is exact, else a string: most parsers round. */
export const BigIntScalar = new GraphQLScalarType<bigint, number | string>({
  name: 'BigInt',
  description:
    'A whole number of any size. Beyond 2^53 - 1 it is written as a string of digits, since JSON parsers round such numbers.',
  coerceOutputValue: value => {
    const exact = BigInt(String(value));
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : String(exact);
  },
  coerceInputValue: value => {
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    if (typeof value === 'string' && DIGITS.test(value)) return BigInt(value);
    throw notWhole();
  },
  coerceInputLiteral: node => {
    if ((node.kind === Kind.INT || node.kind === Kind.STRING) && DIGITS.test(node.value)) return BigInt(node.value);
    throw notWhole();
  },
});

function notWhole(): GraphQLError {
  return new GraphQLError('must be a whole number; beyond 2^53 - 1 a string of digits');
}

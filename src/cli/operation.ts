/** Builds the GraphQL operations of the command line. */
import { z } from 'zod';
import type { Fields, Operation } from './gateway/operator.ts';

/** A word of an enum, in lower case, as in REST. */
export const word = <Word extends string>() => z.string().transform(value => value.toLowerCase() as Word);

/** An operation: its document, which calls its one field `result`, and the shape of what that answers. */
export const operation =
  <Variables extends Fields>() =>
  <Data>(document: string, result: z.ZodType<Data>): Operation<Data, Variables> => ({ document, result });
